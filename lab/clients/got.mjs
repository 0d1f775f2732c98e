// got with its defaults, and its retries among them.

import got, { HTTPError } from "got";

const TASKS =
  "flaky retry-after retry-at maintenance down refused no-body post-once silence";

async function main({ LAB_TASK: task, LAB_URL: url }) {
  if (!TASKS.split(" ").includes(task)) return { skip: true };
  try {
    const response =
      task === "post-once"
        ? await got.post(url, { json: { task: "resize" } })
        : await got(url);
    if (response.statusCode !== 200) return { status: response.statusCode };
    return JSON.parse(response.body);
  } catch (error) {
    if (!(error instanceof HTTPError)) return { error: String(error) };
    const { statusCode: status, headers } = error.response;
    const seconds = headers["retry-after"] ?? "";
    const retry_after = /^\d+$/.test(seconds) ? Number(seconds) : null;
    return { error: error.message, status, retry_after };
  }
}

const result = await main(process.env);
console.log(JSON.stringify(result));
process.exitCode = "error" in result ? 1 : 0;
