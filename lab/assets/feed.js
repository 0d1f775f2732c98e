// The live feed. A page that lost its connection, or was out of sight, goes on
// after the last event it got; the server says `missed` if that is gone.

/** Between a refusal and the next try, in milliseconds. */
const PATIENCE = 2000;

const KINDS = ["run", "change", "wire", "metrics", "missed"];

/** Follows the feed. `hear(kind, data)` gets each event, `lost()` the end of a
    connection, and `opened(anew)` the beginning of one: anew if it takes up
    nothing that was heard before, so that what came earlier has to be fetched. */
export function follow({ hear, opened, lost }) {
  let source = null;
  let last = "";

  function connect() {
    const resume = last ? `?last=${encodeURIComponent(last)}` : "";
    source = new EventSource(`/api/events${resume}`);
    source.addEventListener("open", () => opened(last === ""));
    source.addEventListener("error", () => {
      lost();
      // A dropped connection is taken up again by the browser, a refused one is not.
      if (source?.readyState === EventSource.CLOSED) setTimeout(reconnect, PATIENCE);
    });
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => {
        last = event.lastEventId;
        hear(kind, event.data);
      });
    }
  }

  function disconnect() {
    source?.close();
    source = null;
  }

  function reconnect() {
    disconnect();
    if (!document.hidden) connect();
  }

  // A browser has few connections to spare for one server: a page that nobody
  // sees holds none, or the seventh tab would not load.
  document.addEventListener("visibilitychange", reconnect);
  reconnect();
}
