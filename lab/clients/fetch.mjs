// The fetch of Node.js as it is: it neither retries nor has a short timeout.

const TASKS =
  "flaky retry-after retry-at maintenance down refused no-body post-once silence";

async function main({ LAB_TASK: task, LAB_URL: url }) {
  if (!TASKS.split(" ").includes(task)) return { skip: true };
  const post = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ task: "resize" }),
  };
  try {
    const response = await fetch(url, task === "post-once" ? post : {});
    const { status } = response;
    if (status === 200) return await response.json();
    if (status < 400) return { status };
    const seconds = response.headers.get("retry-after") ?? "";
    const retry_after = /^\d+$/.test(seconds) ? Number(seconds) : null;
    return { error: response.statusText, status, retry_after };
  } catch (error) {
    return { error: String(error.cause ?? error) };
  }
}

const result = await main(process.env);
console.log(JSON.stringify(result));
process.exitCode = "error" in result ? 1 : 0;
