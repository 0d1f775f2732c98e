// The lane of requests that reached the service from other clients: curl or another
// program, in any language.

import { byId, el, memo, say, svg } from "./dom.js";
import { table } from "./table.js";

/** The most requests to list. */
const MOST = 50;
/** The time span of the lane, in nanoseconds. */
const SPAN = 60e9;

export function wirePanel() {
  return memo((entries, columns) => {
    say(byId("wire-note"), note(entries));
    byId("wire").replaceChildren(...(entries.length === 0
      ? [el("p", { class: "nothing" }, "Requests that your own client sends to the service appear here.")]
      : [lane(entries), table("Requests from other clients, the newest first", columns, entries.slice(0, MOST).map(({ row }) => row))]));
  });
}

const requests = (number) => `${number} request${number === 1 ? "" : "s"}`;

/** The total, and which requests are listed. The service numbers them from 1, so the
    newest number is the total. */
function note([newest]) {
  if (!newest) return "";
  const listed = newest.seq > MOST ? `the newest ${MOST} are listed` : "the newest first";
  return `${requests(newest.seq)} so far, ${listed}`;
}

/** The minute before the newest request, with a mark for each request. */
function lane(entries) {
  const newest = entries[0].arrived_ns;
  const recent = entries.filter(({ arrived_ns }) => newest - arrived_ns <= SPAN);
  const length = Math.max(newest - recent.at(-1).arrived_ns, 1e9);
  const words = `${requests(recent.length)} in ${Math.floor(length / 1e9)} s`;
  return svg("svg", { class: "lane", role: "img", "aria-label": words },
    svg("line", { class: "ground", x1: "0", x2: "100%", y1: "50%", y2: "50%" }),
    ...recent.map(({ arrived_ns, status }) => {
      const ok = status !== null && status < 400;
      return svg("rect", {
        class: ok ? "ok" : "failed",
        x: `${(98 * (1 - (newest - arrived_ns) / length)).toFixed(2)}%`,
        y: ok ? "25%" : "10%",
        width: "6",
        height: ok ? "50%" : "80%",
        rx: "2",
      });
    }));
}
