// The course: selects a scenario, and filters the list.

import { byId, memo, say, set } from "./dom.js";

/** The panel. Arrow keys move from one scenario to the next, so that the whole course is
    a single stop of the Tab key. */
export function coursePanel({ choose, runScenario, narrow }) {
  const list = byId("course");
  const filter = byId("filter");
  const items = [...list.children];
  const shown = () => items.filter(({ hidden }) => !hidden).map((item) => item.querySelector(".choose"));
  filter.addEventListener("input", () => narrow(filter.value));
  filter.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") list.querySelector("[tabindex='0']")?.focus();
    else if (event.key === "Enter") shown()[0]?.click();
    else return;
    event.preventDefault();
  });
  list.addEventListener("keydown", (event) => {
    const links = shown();
    const at = links.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    links[to]?.focus();
  });
  list.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const name = event.target.closest("li")?.dataset.name;
    if (!name) return;
    if (event.target.closest(".run-one")) runScenario(name);
    else if (event.target.closest(".choose")) choose(name);
    event.preventDefault();
    // On a narrow screen the list stands below what it chooses.
    const stage = byId("stage");
    if (stage.getBoundingClientRect().top < 0) stage.scrollIntoView();
  });

  /** Scrolls the list to the selected scenario, unless the focus is in it. The page stays. */
  function show() {
    const item = list.querySelector("[aria-current]")?.closest("li");
    if (!item || list.contains(document.activeElement)) return;
    const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight];
    if (top < list.scrollTop) list.scrollTop = top;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
  }
  // The list of runs below grows and shrinks the course.
  new ResizeObserver(show).observe(list);

  return memo((scenarios, chosen, words, asks) => {
    const wanted = words.toLowerCase().split(/\s+/);
    for (const item of items) {
      const { name, title, question } = scenarios.find((scenario) => scenario.name === item.dataset.name);
      const text = `${name} ${title} ${question}`.toLowerCase();
      item.hidden = !wanted.every((word) => text.includes(word));
      // A title reveals the answer to the question.
      say(item.querySelector(".title"), asks ? question : title);
      set(item.querySelector(".choose"), { "aria-current": item.dataset.name === chosen ? "true" : null, tabindex: -1 });
    }
    const links = shown();
    set(links.find((link) => link.ariaCurrent) ?? links[0] ?? filter, { tabindex: 0 });
    show();
  });
}
