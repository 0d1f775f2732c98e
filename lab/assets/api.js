// The page's requests to its server.

/** A response that is not a success, with its problem object; without a status if there
    was no response. */
export class Problem extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** The error while there is no response. It is removed once the feed is live again. */
export const NO_RESPONSE = "The lab does not respond. Is `lab serve` still running?";

export const ask = async (path, options) => (await answered(path, options)).text();

/** A response that is a success. */
export async function answered(path, options) {
  const response = await fetch(path, options).catch(() => {
    throw new Problem(NO_RESPONSE);
  });
  if (response.ok) return response;
  throw new Problem(explain(await response.text()) ?? `${response.status} ${response.statusText}`, response.status);
}

/** A request with a JSON body. */
export const posting = (body) =>
  ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

function explain(text) {
  try {
    const { title, detail } = JSON.parse(text);
    return detail ?? title;
  } catch {
    return undefined;
  }
}

/** A seed may be larger than the integers that a JavaScript number can represent, so it
    stays the text from the wire. */
export const read = (text) =>
  JSON.parse(text, (key, value, context) => (key === "seed" && value !== null ? context?.source ?? String(value) : value));

export const get = async (path) => read(await ask(path));

export const scenarios = () => get("/api/scenarios");
export const vocabulary = () => get("/api/vocabulary");
export const runs = () => get("/api/runs");

/** The requests from other clients, as HTML. */
export const wire = () => ask("/api/wire");

/** A run as the server draws it, with the reader's guess: its summary, and `html`. */
export const story = (id, guess) =>
  get(`/api/runs/${encodeURIComponent(id)}/story${guess === null ? "" : `?guess=${encodeURIComponent(guess)}`}`);

/** A run exactly as the server sent it. */
export const runText = (id) => ask(`/api/runs/${encodeURIComponent(id)}`);

/** Cancels a run; the feed reports when it has ended. */
export const cancel = (id) => ask(`/api/runs/${encodeURIComponent(id)}`, { method: "DELETE" });

/** The open card, or the tasks if none is open, as text. */
export const cardText = () => ask("/api/card");
export const openCases = () => ask("/api/card", { method: "POST" });
export const stopCases = () => ask("/api/card", { method: "DELETE" });

/** Starts a case again. */
export const again = (place) => ask(`/api/card/tasks/${place}/again`, { method: "POST" });

/** The address of a run's report. */
export const reportPath = (id) => `/api/runs/${encodeURIComponent(id)}/report`;

/** Starts a run. Numbers are sent as typed; the server validates them. */
export const start = async (order) => read(await ask("/api/runs", ordering(order)));

/** What holds for a run before it is started: premises, hint and settings. */
export const premises = async (order) => read(await ask("/api/premises", ordering(order)));

const ordering = ({ seed, settings, ...choice }) =>
  posting({ ...choice, ...numbers({ seed }), settings: numbers(settings) });

/** The numbers in the fields that are not empty. */
function numbers(fields) {
  const typed = Object.entries(fields).filter(([, text]) => text !== "");
  return Object.fromEntries(typed.map(([name, text]) => [name, number(text)]));
}

/** A number as typed. */
export function number(text) {
  if (/^\d+$/.test(text) && JSON.rawJSON) return JSON.rawJSON(BigInt(text).toString());
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
