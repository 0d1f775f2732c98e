// Values in words. The words carry the whole meaning; colour and shape only
// repeat it. A length of time reads as it does in the terminal.

const MS = 1e6;
const SECOND = 1e9;

/** A length of time, rounded down: no label claims more than has passed. */
export function duration(ns) {
  const seconds = Math.floor(ns / SECOND);
  const millis = Math.floor((ns % SECOND) / MS);
  if (seconds === 0) return `${millis} ms`;
  if (seconds < 10) return millis < 100 ? `${seconds} s` : `${seconds}.${Math.floor(millis / 100)} s`;
  if (seconds < 600) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

/** What is left of a wait, rounded up: it never reads zero before its end. */
export function remaining(ns) {
  const tenths = Math.ceil(Math.max(ns, 0) / (SECOND / 10));
  return tenths < 100 ? `${(tenths / 10).toFixed(1)} s` : duration(Math.ceil(tenths / 10) * SECOND);
}

/** By how much something came too early, rounded up to the last digit that is
    shown: who waits for so much longer is not early again. */
export function tooEarly(ns) {
  const steps = [[1, MS], [10, SECOND / 10], [3600, SECOND], [86400, 60 * SECOND], [Infinity, 3600 * SECOND]];
  const [, step] = steps.find(([seconds]) => ns < seconds * SECOND);
  return duration(Math.ceil(ns / step) * step);
}

/** A time of day. */
export const clock = (moment) =>
  new Date(moment).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

/** How many of something. */
export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

/** What a waterfall, or its twin, does not show; nothing if it shows all. */
export const leftOut = (rows, spans) =>
  rows + spans > 0 ? `${rows} rows in the middle are not drawn, ${spans} spans were not kept; the counts hold them all.` : "";

/** What a counter rose by. */
export const risen = (value) => (value > 0 ? `+${value}` : "0");

const REASONS = new Map([
  [200, "OK"], [201, "Created"], [202, "Accepted"], [204, "No Content"],
  [301, "Moved Permanently"], [302, "Found"], [303, "See Other"], [304, "Not Modified"],
  [307, "Temporary Redirect"], [308, "Permanent Redirect"],
  [400, "Bad Request"], [401, "Unauthorized"], [403, "Forbidden"], [404, "Not Found"],
  [405, "Method Not Allowed"], [409, "Conflict"], [413, "Content Too Large"],
  [415, "Unsupported Media Type"], [422, "Unprocessable Content"], [429, "Too Many Requests"],
  [500, "Internal Server Error"], [501, "Not Implemented"], [502, "Bad Gateway"],
  [503, "Service Unavailable"], [504, "Gateway Timeout"], [507, "Insufficient Storage"],
]);

const withReason = (status) => [status, REASONS.get(Number(status))].filter(Boolean).join(" ");

/** How a span went, as the name of a class: `ok`, `failed`, `wait`, `service`
    or `open`. */
export function tone(span) {
  if (span.name === "wait") return "wait";
  if (span.name === "request") return "service";
  if (span.fields["otel.status_code"] === "ERROR") return "failed";
  return span.end_ns === null ? "open" : "ok";
}

/** The sign that stands beside the colour of a span. */
export const sign = (span) =>
  ({ ok: "✓", failed: "✗", wait: "◷", service: "↳", open: "…" })[tone(span)];

/** What a span is: the first column. */
export function what(span) {
  const { fields } = span;
  switch (span.name) {
    case "attempt": return `attempt ${(fields["http.request.resend_count"] ?? 0) + 1}`;
    case "wait": return `wait ${duration(lengthOf(span))}`;
    case "request": return "service";
    default: return fields["otel.name"] ?? fields.endpoint ?? span.name;
  }
}

/** How it went: the last column. `now` is the time of the run. */
export function how(span, now) {
  switch (span.name) {
    case "attempt": return attempt(span);
    case "wait": return wait(span, now);
    case "request": return request(span);
    default: return operation(span);
  }
}

function attempt({ fields, end_ns }) {
  const status = fields["http.response.status_code"];
  const error = fields["error.type"];
  if (error !== undefined && String(status) !== error && (status === undefined || error !== "other")) return error;
  if (status !== undefined) return withReason(status);
  return end_ns === null ? "in flight" : "no answer";
}

function wait(span, now) {
  const { fields, start_ns, end_ns } = span;
  const source = fields["wait.source"] === "retry_after" ? "Retry-After" : fields["wait.source"];
  if (end_ns === null) return [`${remaining(start_ns + lengthOf(span) - now)} left`, source].filter(Boolean).join(" · ");
  const reason = fields["retry.reason"];
  const why = /^\d{3}$/.test(reason) ? `status ${reason}` : reason;
  // A length in seconds is a float, so the last digits decide nothing.
  const cut = lengthOf(span) - (end_ns - start_ns) >= MS ? `, cut off after ${duration(end_ns - start_ns)}` : "";
  return [source, why && `(${why})`].filter(Boolean).join(" ") + cut;
}

/** How long a wait is to be, as it was decided. */
function lengthOf({ fields, start_ns, end_ns }) {
  const seconds = fields["wait.seconds"];
  return Number.isFinite(seconds) ? Math.round(seconds * SECOND) : (end_ns ?? start_ns) - start_ns;
}

function request({ fields, end_ns }) {
  const status = fields["http.response.status_code"];
  const answer = status ?? (end_ns === null ? "working" : "not answered");
  return fields.fault === undefined ? String(answer) : `${answer} · fault ${fields.fault}`;
}

function operation({ fields, end_ns }) {
  const attempts = fields.attempts;
  return [
    attempts === undefined ? undefined : count(attempts, "attempt"),
    fields.outcome,
    fields["error.type"],
    end_ns === null ? "running" : undefined,
  ].filter(Boolean).join(" · ");
}

const ENDINGS = new Map([
  ["http_error", "HTTP error"], ["response_error", "representation error"], ["stopped", "stopped by the lab"],
]);

/** What the class of an outcome is called. */
export const ending = (name) => ENDINGS.get(name) ?? name.replaceAll("_", " ");
