// Keeps a page up to date: told that something has changed, it asks for itself again, and brings
// its parts in line with the answer.

import { parse, patchOne } from "./patch.js";

/** The pause before the page looks again, if it cannot listen, in milliseconds. */
const AGAIN = 2000;
/** The parts of a page that may change. */
const PARTS = ["main", "side"];

let source = null;
let again = null;
let [isAsking, isDue] = [false, false];

const changes = () => document.getElementById("main").dataset.changes;

/** Shows whether the page is told of changes. */
function tell(state, words) {
  const link = document.getElementById("link");
  if (!link) return;
  link.hidden = !state;
  link.classList.toggle("lost", state === "lost");
  if (link.textContent !== words) link.textContent = words;
}

/** Asks for the page again: of many requests while one is on its way, one is made. */
async function refresh() {
  isDue = true;
  if (isAsking) return;
  isAsking = true;
  while (isDue) {
    isDue = false;
    const html = await fetch(location.href, { headers: { Accept: "text/html" } }).then((page) => page.text(), () => null);
    if (html) show(parse(html));
  }
  isAsking = false;
  follow();
}

function show(page) {
  localize(page);
  document.title = page.title;
  const focused = document.activeElement;
  for (const id of PARTS) {
    const [part, wanted] = [document.getElementById(id), page.getElementById(id)];
    if (part && wanted) patchOne(part, wanted);
  }
  // The focus must not fall back to the top of the page with an element that is gone.
  if (!focused.isConnected) document.getElementById("main").focus({ preventScroll: true });
}

/** The server knows no time zone. */
function localize(page) {
  for (const time of page.querySelectorAll("time[datetime]")) {
    time.textContent = new Date(time.dateTime).toLocaleTimeString([], { hour12: false });
  }
}

/** Listens while the page may change and is shown: a browser opens only a few connections to one
    server, or the seventh tab would not load. */
function follow() {
  const wanted = changes() !== undefined && !document.hidden;
  if (!wanted) {
    leave();
    tell(null, "");
  } else if (!source && !again) {
    source = new EventSource(`/live?page=${encodeURIComponent(location.pathname + location.search)}`);
    source.addEventListener("open", () => {
      tell("live", "live");
      // What changed before the stream was open was not told.
      refresh();
    });
    source.addEventListener("message", refresh);
    source.addEventListener("error", lost);
  }
}

/** The browser connects again after a lost connection, but not after a refusal. */
function lost() {
  if (source.readyState !== EventSource.CLOSED) {
    tell("lost", "connection lost");
    return;
  }
  leave();
  tell(null, "");
  again = setTimeout(() => {
    again = null;
    if (changes() === "in-progress") refresh();
    else follow();
  }, AGAIN);
}

function leave() {
  clearTimeout(again);
  source?.close();
  [source, again] = [null, null];
}

document.addEventListener("visibilitychange", follow);
localize(document);
follow();
