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

/** A number as typed. */
export function number(text) {
  if (/^\d+$/.test(text) && JSON.rawJSON) return JSON.rawJSON(BigInt(text).toString());
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
