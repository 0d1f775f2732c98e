// The panel of the last runs, each a link with an address of its own.

import { byId, el, keyed, memo, say, set } from "./dom.js";

const MARKS = {
  running: { sign: "…", words: "running" },
  passed: { sign: "✓", words: "held" },
  missed: { sign: "✗", words: "did not hold" },
  failed: { sign: "!", words: "could not be played" },
};

const mark = ({ state, passed }) => (state === "finished" ? (passed ? "passed" : "missed") : state);

export function runsPanel({ show }) {
  const list = byId("runs");
  list.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(link.dataset.run);
  });
  list.addEventListener("keydown", (event) => {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    links[to]?.focus();
  });

  const create = ({ id, scenario, client, started }) => {
    const how = client === "reliable" ? "" : client;
    return el("li", null,
      el("a", { href: `/runs/${id}`, "data-run": id },
        el("span", { class: "mark", "aria-hidden": "true" }),
        el("span", { class: "name" }, scenario),
        el("span", { class: "how" }, how),
        el("time", { datetime: started }, clock(started)),
        el("span", { class: "unseen state" })));
  };

  return memo((runs, shown) => {
    const stop = shown && runs.some(({ id }) => id === shown) ? shown : runs[0]?.id;
    keyed(list, runs, ({ id }) => id, create, (item, run) => {
      const link = item.firstElementChild;
      const { sign, words } = MARKS[mark(run)];
      set(link, {
        class: mark(run),
        tabindex: run.id === stop ? 0 : -1,
        "aria-current": run.id === shown ? "page" : null,
      });
      say(link.querySelector(".mark"), sign);
      say(link.querySelector(".state"), words);
    });
  });
}

const clock = (started) =>
  new Date(started).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
