// The live feeds. After a lost connection, or after being hidden, a page fetches the state, as
// after `missed`.

/** The pause between a refusal and the next attempt, in milliseconds. */
const PATIENCE = 2000;

/** Follows a feed, until the function that this returns is called. `hear(kind, data)` gets each
    event of these kinds, `lost()` the end of a connection, and `opened()` the start of one: the
    state must be fetched. */
export function follow(path, kinds, { hear, opened, lost }) {
  let source = null;
  let waiting = null;

  function connect() {
    source = new EventSource(path);
    source.addEventListener("open", () => opened?.());
    source.addEventListener("error", () => {
      lost?.();
      // The browser reconnects after a dropped connection, but not after a refused one.
      if (source?.readyState === EventSource.CLOSED) waiting = setTimeout(reconnect, PATIENCE);
    });
    for (const kind of kinds) {
      source.addEventListener(kind, (event) => hear(kind, event.data));
    }
  }

  function disconnect() {
    clearTimeout(waiting);
    source?.close();
    source = null;
  }

  function reconnect() {
    disconnect();
    if (!document.hidden) connect();
  }

  // A browser opens only a few connections to one server: a hidden page closes its own,
  // or the seventh tab would not load.
  document.addEventListener("visibilitychange", reconnect);
  reconnect();
  return () => {
    document.removeEventListener("visibilitychange", reconnect);
    disconnect();
  };
}
