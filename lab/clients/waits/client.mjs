// A client for the tasks `flaky`, `down` and `retry-at` that pauses in one way.
//
// node client.mjs at-once        without a pause
// node client.mjs equal 50       for 50 ms before each retry
// node client.mjs unreadable     at random, and for NaN ms if Retry-After is unreadable

const [how, millis] = process.argv.slice(2);
const sleep = (millis) => new Promise((wake) => setTimeout(wake, millis));

const pause = (asked) => {
  if (how === "at-once") return 0;
  if (how === "equal") return Number(millis);
  if (asked === null) return 50 + 100 * Math.random();
  const date = Date.parse(asked);
  return asked.includes("GMT") && date > Date.now() ? date - Date.now() : Number(asked) * 1000;
};

let response;
for (let attempt = 0; attempt < 4; attempt++) {
  response = await fetch(process.env.LAB_URL, { headers: { Accept: "application/json" } });
  const body = await response.text();
  if (response.status === 200) {
    console.log(body);
    process.exit();
  }
  const wait = pause(response.headers.get("retry-after"));
  if (attempt < 3 && wait !== 0) await sleep(wait);
}
console.log(JSON.stringify({ error: `status ${response.status}` }));
process.exitCode = 1;
