// A client to be graded, for Node 18 and later. It runs once for each case of a task.
//
// LAB_TASK names the task, and LAB_URL is the URL for the request. The last line that
// it prints is its result, as JSON. `lab list tasks` shows all tasks.

const { LAB_TASK, LAB_URL, LAB_TOKEN = "" } = process.env;

/** Sends one request; resolves to status, headers and body, with any status. Without a
    response the status is 0, and the body says why. The body is null if it breaks off: the
    status and the headers came before it. */
async function request(method, url, { body, headers = {} } = {}) {
  // fetch follows redirects, unless it has the option redirect: "manual".
  const options = {
    method,
    headers: { Accept: "application/json", ...headers },
    signal: AbortSignal.timeout(5_000),
  };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    // Refused, too slow, or closed without a response.
    return { status: 0, headers: new Headers(), body: String(error.cause ?? error) };
  }
  const text = await response.text().catch(() => null);
  return { status: response.status, headers: response.headers, body: text };
}

/** Counts the records of a listing, page by page. */
async function readAll() {
  const headers = { Authorization: `Bearer ${LAB_TOKEN}` };
  let records = 0;
  let url = LAB_URL;
  while (url) {
    const { status, body } = await request("GET", url, { headers });
    if (status !== 200) {
      return { error: `status ${status}: ${(body ?? "").slice(0, 300)}` };
    }
    if (body === null) return { error: "the body of a page broke off" };
    try {
      const { items, next_cursor: cursor } = JSON.parse(body);
      records += items.length;
      url = cursor && `${LAB_URL}?${new URLSearchParams({ cursor })}`;
    } catch (error) {
      return { error: `not a page: ${error}` };
    }
  }
  return { records };
}

// Add a function for each further task; tasks without one are skipped.
const TASKS = {
  "read-all": readAll,
};

if (!LAB_TASK || !LAB_URL) {
  console.error("LAB_TASK or LAB_URL is not set. The lab sets them:");
  console.error("  lab grade -- node client.mjs");
  process.exit(2);
}
const task = TASKS[LAB_TASK];
if (!task) {
  const known = Object.keys(TASKS).join(", ");
  console.error(`TASKS has no ${LAB_TASK}; it has: ${known}`);
}
const result = task ? await task() : { skip: true };
console.log(JSON.stringify(result));
process.exitCode = "error" in result ? 1 : 0;
