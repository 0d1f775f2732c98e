// The panel of the last runs, each a link with its own address.

import { byId, clock, el, keyed, memo, say, set } from "./dom.js";

/** The mark for a run's verdict, and the run's ending in words. They are separate,
    because a failed call may be exactly what was expected. */
const MARKS = {
  running: { sign: "…", words: "running" },
  unknown: { sign: "?", words: "state unknown" },
  passed: { sign: "✓", words: "all expectations held" },
  missed: { sign: "✗", words: "not all expectations held" },
  cancelled: { sign: "⊘", words: "cancelled" },
  failed: { sign: "!", words: "could not be run" },
};

function mark({ state, passed }, link) {
  if (state === "finished") return passed ? "passed" : "missed";
  return state === "running" && link === "lost" ? "unknown" : state;
}

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

  const create = ({ id, scenario, started }) =>
    el("li", null,
      el("a", { href: `/runs/${id}`, "data-run": id },
        el("span", { class: "mark", "aria-hidden": "true" }),
        el("span", { class: "name" }, scenario),
        el("span", { class: "how" }),
        el("time", { datetime: started }, clock(started)),
        el("span", { class: "unseen state" })));

  return memo((runs, shown, link, [reference]) => {
    const stop = shown && runs.some(({ id }) => id === shown) ? shown : runs[0]?.id;
    keyed(list, runs, ({ id }) => id, create, (item, run) => {
      const name = mark(run, link);
      const { sign, words } = MARKS[name];
      const who = run.client === "compare" ? `the ${reference} client ` : "";
      const ended = run.ended && `${who}${run.ended}`;
      set(item.firstElementChild, {
        class: name,
        tabindex: run.id === stop ? 0 : -1,
        "aria-current": run.id === shown ? "page" : null,
      });
      say(item.querySelector(".mark"), sign);
      const clients = run.client === "compare" ? `compare: the ${reference} client` : run.client;
      const how = [run.client === reference ? "" : clients, run.without && `without ${run.without}`];
      say(item.querySelector(".how"), how.filter(Boolean).join(", "));
      say(item.querySelector(".state"), [ended, words].filter(Boolean).join(", "));
    });
  });
}
