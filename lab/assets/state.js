// What the page knows: one object, and how each piece of news changes it. All of
// it is bounded, so that the thousandth run is drawn as fast as the first. A
// value that changed is a new object, so panels can tell by identity what they need
// to redraw.

/** How many runs are listed. */
export const KEPT_RUNS = 100;
/** How many samples of the counters are plotted. */
export const KEPT_SAMPLES = 120;
/** How many requests from elsewhere are kept. */
export const KEPT_WIRE = 200;

export const state = {
  /** The catalogue, in the order of the course. */
  scenarios: [],
  /** Who can run, by name, the reference client first. */
  clients: [],
  /** The defences that can be taken away from the reference client. */
  defences: [],
  /** The base URL of the service beside the page. */
  service: "",
  /** What each metric means, by its name. */
  vocabulary: new Map(),
  /** Summaries of the last runs, the newest first. */
  runs: [],
  /** The scenario that is chosen. */
  chosen: null,
  /** The run that is shown, its rows included; of others none are kept. */
  run: null,
  /** The row whose fields are shown: `{ side, id }`. */
  row: null,
  /** The rows whose children are hidden, by span id. */
  folded: new Set(),
  /** The tasks that a client of one's own is graded on, and what came of each. */
  card: null,
  /** What the counters of the process stood at, over time. */
  samples: [],
  /** Requests that reached the service from elsewhere, the newest first. */
  wire: [],
  /** The columns of their table. */
  wireColumns: [],
  /** The counters that are shown before there is a run. */
  headlines: [],
  /** Whether the question comes before the answer. */
  predict: false,
  /** Whether one scenario fills the screen, and its answer waits for a key. */
  presenting: false,
  /** The run whose answer was shown to the room. */
  told: null,
  /** What was predicted, by run: `{ value, text }`, and `right` once it is known. */
  guesses: new Map(),
  /** How many predictions came true, of how many. */
  score: { right: 0, of: 0 },
  /** What the course is narrowed down to. */
  filter: "",
  /** Whether news arrive: `connecting`, `live` or `lost`. */
  link: "connecting",
  /** What went wrong with the last thing that was asked for. */
  problem: "",
};

/** A run's summary, new or changed. */
export function summarised(summary) {
  const rest = state.runs.filter((run) => run.id !== summary.id);
  const runs = [summary, ...rest].sort((one, other) => other.started.localeCompare(one.started));
  listed(runs);
  // That the shown run is over is said with all that it left behind, once that is fetched.
  if (state.run?.id === summary.id && !over(summary)) state.run = { ...state.run, ...summary };
}

/** All summaries, the newest first. */
export function listed(runs) {
  state.runs = runs.slice(0, KEPT_RUNS);
  const kept = new Set(state.runs.map((run) => run.id));
  for (const id of state.guesses.keys()) if (!kept.has(id)) state.guesses.delete(id);
}

/** Another run is to be shown, of which nothing is known yet. */
export function opened(id) {
  const summary = state.runs.find((run) => run.id === id);
  early = [];
  state.run = { sides: [], compared: null, ...summary, id, state: "fetching" };
  state.row = null;
  state.folded = new Set();
}

/** No run is shown. */
export function closed() {
  state.run = null;
  state.row = null;
}

/** What came of the tasks so far. Cases that are open no more stay as they were. */
export function graded(card) {
  state.card = card.id === null && state.card?.id ? { ...state.card, gone: true } : card;
}

const ENDS = ["finished", "failed", "cancelled", "lost"];

/** Whether a run has ended, one way or the other. */
export const over = (run) => ENDS.includes(run?.state);

/** The server does not know the shown run any more: it was started anew since. A
    run that went on was lost with it. */
export function missing(id) {
  if (state.run?.id !== id) return;
  const was = state.run.state;
  state.run = { ...state.run, gone: true, state: was === "running" ? "lost" : was };
}

/** News arrive, or do not. Without any, nobody knows how long a run goes on. */
export function linked(link) {
  if (link !== "live") {
    for (const side of state.run?.sides ?? []) {
      side.taken = now(side);
      side.takenAt = performance.now();
    }
  }
  state.link = link;
}

/** Changes of the shown run that came before what they change. */
let early = [];

/** Everything about the shown run. News may have been faster than the response that
    carried it: what it lacks is added, and what is older than what is shown is left. */
export function fetched(detail) {
  if (state.run?.id !== detail.id) return;
  const sides = detail.sides.map((side, index) => {
    const mine = state.run.sides[index];
    const older = (mine?.outcome && !side.outcome) || mine?.revision > side.revision;
    const newest = older ? mine : { ...side, ...taken(side.now_ns ?? ended(side)) };
    return early.filter((change) => change.side === index).reduce(applied, newest);
  });
  early = [];
  judge(detail);
  state.run = { ...state.run, ...detail, sides, state: over(state.run) ? state.run.state : detail.state };
}

/** Holds the prediction of a run against its answer, once. */
function judge({ id, sides: [first] }) {
  const guess = state.guesses.get(id);
  if (!guess || !first?.answer || guess.right !== undefined) return;
  const right = String(first.answer.value) === guess.value;
  state.guesses.set(id, { ...guess, right });
  state.score = { right: state.score.right + (right ? 1 : 0), of: state.score.of + 1 };
}

/** A side of a run changed. Returns whether that could be shown: else the run has to
    be fetched. */
export function changed(change) {
  if (state.run?.id !== change.id) return true;
  const side = state.run.sides[change.side];
  if (side === undefined || change.revision > side.revision + 1) {
    early.push(change);
    return false;
  }
  state.run = { ...state.run, sides: state.run.sides.with(change.side, applied(side, change)) };
  return true;
}

/** A side with a change, if that is the next one. */
function applied(side, { revision, now_ns, keep, waterfall, counters }) {
  if (revision !== side.revision + 1) return side;
  const rows = [...side.view.waterfall.rows.slice(0, keep), ...waterfall.rows];
  return { ...side, revision, ...taken(now_ns), view: { ...side.view, counters, waterfall: { ...waterfall, rows } } };
}

/** The time of a side when it was sent, and when that was. */
const taken = (time) => ({ taken: time, takenAt: performance.now() });

const ended = ({ traces }) => Math.max(0, ...traces.map((trace) => trace.taken_at_ns));

/** The counters of the process. Counters only rise: where one fell, it is another
    process. */
export function sampled(sample) {
  const last = state.samples.at(-1)?.values ?? {};
  const anew = Object.entries(last).some(([name, value]) => (sample.values[name] ?? 0) < value);
  state.samples = [...(anew ? [] : state.samples), sample].slice(-KEPT_SAMPLES);
}

/** A request reached the service from elsewhere. */
export function requestSeen(request) {
  const rest = state.wire.filter((known) => known.seq !== request.seq);
  // A response that was slow comes after newer requests.
  const wire = [request, ...rest].sort((one, other) => other.seq - one.seq);
  state.wire = wire.slice(0, KEPT_WIRE);
}

/** All requests from elsewhere. */
export function requestsSeen({ requests, columns }) {
  state.wire = requests.reverse().slice(0, KEPT_WIRE);
  state.wireColumns = columns;
}

/** The time of a side's run now: of a real one it goes on between the news. */
export function now(side) {
  const goesOn = state.link === "live" && state.run.state === "running" && state.run.pace === "real" && !side.outcome;
  return side.taken + (goesOn ? (performance.now() - side.takenAt) * 1e6 : 0);
}

/** What a side is called beside another. */
export const sideName = (client) => (client.startsWith("without-") ? "without" : client);
