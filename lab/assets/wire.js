// The lane of requests that reached the service from elsewhere: curl, another
// program, another language.

import { byId, el, memo, say, svg } from "./dom.js";
import { requests } from "./ledger.js";
import { count, duration } from "./words.js";

/** The most requests that are listed. */
const MOST = 50;
/** How far back the lane reaches, in nanoseconds. */
const SPAN = 60e9;

export function wirePanel() {
  return memo((entries) => {
    say(byId("wire-note"), note(entries));
    byId("wire").replaceChildren(...(entries.length === 0
      ? [el("p", { class: "nothing" }, "Call the service with a client of your own, and what it sends shows up here.")]
      : [lane(entries), requests("Requests from elsewhere, the newest first", entries.slice(0, MOST), { traces: true })]));
  });
}

/** How many there were, and which of them are listed. The service numbers them
    from 1, so the newest knows how many came before it. */
function note([newest]) {
  if (!newest) return "";
  const listed = newest.seq > MOST ? `the newest ${MOST} are listed` : "the newest first";
  return `${count(newest.seq, "request")} so far, ${listed}`;
}

/** The last minute before the newest request, a mark for each. */
function lane(entries) {
  const newest = entries[0].arrived_ns;
  const recent = entries.filter(({ arrived_ns }) => newest - arrived_ns <= SPAN);
  const length = Math.max(newest - recent.at(-1).arrived_ns, 1e9);
  const words = `${count(recent.length, "request")} in ${duration(length)}`;
  return svg("svg", { class: "lane", role: "img", "aria-label": words },
    svg("line", { class: "ground", x1: "0", x2: "100%", y1: "50%", y2: "50%" }),
    ...recent.map(({ arrived_ns, status }) => svg("rect", {
      class: status !== null && status < 400 ? "ok" : "failed",
      x: `${(98 * (1 - (newest - arrived_ns) / length)).toFixed(2)}%`,
      y: status !== null && status < 400 ? "25%" : "10%",
      width: "6",
      height: status !== null && status < 400 ? "50%" : "80%",
      rx: "2",
    })));
}
