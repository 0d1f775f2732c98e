// The panel of the course: all scenarios, one of them selected.

import { byId, el, keyed, memo, say, set } from "./dom.js";

/** The panel. Arrow keys move from one scenario to the next, so that the whole course is
    a single stop of the Tab key. */
export function coursePanel({ choose, runScenario, narrow }) {
  const list = byId("course");
  const filter = byId("filter");
  filter.addEventListener("input", () => narrow(filter.value));
  filter.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") list.querySelector("[tabindex='0']")?.focus();
    else if (event.key === "Enter") list.querySelector(".choose")?.click();
    else return;
    event.preventDefault();
  });

  list.addEventListener("keydown", (event) => {
    const names = [...list.querySelectorAll(".choose")];
    const at = names.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    names[to]?.focus();
  });

  const create = ({ name, title, number }) => {
    const button = el("button", { type: "button", class: "choose" },
      el("span", { class: "number" }, String(number)),
      el("span", { class: "name" }, name),
      el("span", { class: "title" }, title));
    button.addEventListener("click", () => choose(name));
    // A button to run with the mouse; on the keyboard, Enter and then `r` do the same.
    const run = el("button", { type: "button", class: "run-one", tabindex: "-1", "aria-label": `Run ${name}` }, "▶");
    run.addEventListener("click", () => runScenario(name));
    return el("li", null, button, run);
  };

  /** Scrolls the selected scenario into view, unless the focus is in the list. */
  function show() {
    if (!list.contains(document.activeElement)) list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }
  // The list of runs below grows and shrinks the course.
  new ResizeObserver(show).observe(list);

  return memo((scenarios, chosen, words, predict) => {
    const wanted = words.toLowerCase().split(/\s+/);
    const listed = scenarios
      .map((scenario, index) => ({ ...scenario, number: index + 1 }))
      .filter(({ name, title, question }) => {
        const text = `${name} ${title} ${question}`.toLowerCase();
        return wanted.every((word) => text.includes(word));
      });
    const stop = listed.some(({ name }) => name === chosen) ? chosen : listed[0]?.name;
    keyed(list, listed, ({ name }) => name, create, (item, { name, title, question }) => {
      const button = item.firstElementChild;
      set(button, { tabindex: name === stop ? 0 : -1, "aria-current": name === chosen ? "true" : null });
      // A title reveals the answer to the question.
      say(button.lastElementChild, predict ? question : title);
    });
    show();
  });
}
