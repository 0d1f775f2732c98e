// The state of the page: one object, and the functions that apply events to it. Its
// size is bounded, so that the thousandth run is drawn as fast as the first. A changed
// value is a new object, so that panels can compare by identity.

/** The number of listed runs. */
export const KEPT_RUNS = 100;
/** The number of plotted samples of the counters. */
export const KEPT_SAMPLES = 120;
/** The number of kept requests from other clients. */
export const KEPT_WIRE = 200;

export const state = {
  /** The catalogue, in the order of the course. */
  scenarios: [],
  /** The clients by name, with the reference client first. */
  clients: [],
  /** The defences that can be removed from the reference client. */
  defences: [],
  /** The base URL of the service. */
  service: "",
  /** The meaning of each metric, by its name. */
  vocabulary: new Map(),
  /** Summaries of the last runs, the newest first. */
  runs: [],
  /** The selected scenario. */
  chosen: null,
  /** The shown run with its rows; the rows of other runs are not kept. */
  run: null,
  /** The selected row: `{ side, id }`. */
  row: null,
  /** The rows whose children are hidden, by span id. */
  folded: new Set(),
  /** The tasks for the user's own client, and the result of each. */
  card: null,
  /** The values of the process's counters over time. */
  samples: [],
  /** Requests from other clients, the newest first. */
  wire: [],
  /** The columns of their table. */
  wireColumns: [],
  /** The counters that are shown before there is a run. */
  headlines: [],
  /** Whether the question is shown before the answer. */
  predict: false,
  /** Whether one scenario fills the screen, with its answer hidden until a key is
      pressed. */
  presenting: false,
  /** The run whose answer was revealed in presentation mode. */
  told: null,
  /** The predictions by run: `{ value, text }`, and `right` once it is known. */
  guesses: new Map(),
  /** How many predictions were right, and their total. */
  score: { right: 0, of: 0 },
  /** The filter of the course. */
  filter: "",
  /** The state of the feed: `connecting`, `live` or `lost`. */
  link: "connecting",
  /** The error of the last action. */
  problem: "",
};

/** A run's summary, new or changed. */
export function summarised(summary) {
  const rest = state.runs.filter((run) => run.id !== summary.id);
  const runs = [summary, ...rest].sort((one, other) => other.started.localeCompare(one.started));
  listed(runs);
  // The end of the shown run is applied together with its full data, once that is
  // fetched.
  if (state.run?.id === summary.id && !over(summary)) state.run = { ...state.run, ...summary };
}

/** All summaries, the newest first. */
export function listed(runs) {
  state.runs = runs.slice(0, KEPT_RUNS);
  const kept = new Set(state.runs.map((run) => run.id));
  for (const id of state.guesses.keys()) if (!kept.has(id)) state.guesses.delete(id);
}

/** Selects another run, which is not loaded yet. */
export function opened(id) {
  const summary = state.runs.find((run) => run.id === id);
  early = [];
  state.run = { sides: [], compared: null, ...summary, id, state: "fetching" };
  state.row = null;
  state.folded = new Set();
}

/** Shows no run. */
export function closed() {
  state.run = null;
  state.row = null;
}

/** The results of the tasks so far. Cases that are no longer open keep theirs. */
export function graded(card) {
  state.card = card.id === null && state.card?.id ? { ...state.card, gone: true } : card;
}

const ENDS = ["finished", "failed", "cancelled", "lost"];

/** Whether a run has ended, in any way. */
export const over = (run) => ENDS.includes(run?.state);

/** The server does not know the shown run: it was restarted. If the run was going on, it
    is lost. */
export function missing(id) {
  if (state.run?.id !== id) return;
  const was = state.run.state;
  state.run = { ...state.run, gone: true, state: was === "running" ? "lost" : was };
}

/** The state of the feed changed. Without the feed the progress of a run is unknown. */
export function linked(link) {
  if (link !== "live") {
    for (const side of state.run?.sides ?? []) {
      side.taken = now(side);
      side.takenAt = performance.now();
    }
  }
  state.link = link;
}

/** Changes of the shown run that arrived before the state that they change. */
let early = [];

/** The full data of the shown run. Changes that arrived before this response are added if
    they are newer than it, and data that is older than the shown one is ignored. */
export function fetched(detail) {
  if (state.run?.id !== detail.id) return;
  const sides = detail.sides.map((side, index) => {
    const mine = state.run.sides[index];
    const older = (mine?.outcome && !side.outcome) || mine?.revision > side.revision;
    const newest = older ? mine : finished(side);
    return early.filter((change) => change.side === index).reduce(applied, newest);
  });
  early = [];
  judge(detail);
  state.run = { ...state.run, ...detail, sides, preview: null, state: over(state.run) ? state.run.state : detail.state };
}

/** Compares the prediction of a run with its answer, once. */
function judge({ id, sides: [first] }) {
  const guess = state.guesses.get(id);
  if (!guess || !first?.answer || guess.right !== undefined) return;
  const right = String(first.answer.value) === guess.value;
  state.guesses.set(id, { ...guess, right });
  state.score = { right: state.score.right + (right ? 1 : 0), of: state.score.of + 1 };
}

/** A side of a run changed. Returns whether the change could be applied; otherwise the
    run must be fetched. */
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

/** Applies a change to a side if it is the next one. */
function applied(side, { revision, now_ns, keep, waterfall, counters }) {
  if (revision !== side.revision + 1) return side;
  const rows = [...side.view.waterfall.rows.slice(0, keep), ...waterfall.rows];
  return { ...side, revision, ...taken(now_ns), view: { ...side.view, counters, waterfall: { ...waterfall, rows } } };
}

/** The time of a side when it was sent, and the page's time at that moment. */
const taken = (time) => ({ taken: time, takenAt: performance.now() });

/** A side as of its end, or of now. */
export const finished = (side) =>
  ({ ...side, ...taken(side.now_ns ?? Math.max(0, ...side.traces.map((trace) => trace.taken_at_ns))) });

/** The counters of the process. Counters only rise, so a lower value means a new process.
    */
export function sampled(sample) {
  const last = state.samples.at(-1)?.values ?? {};
  const anew = Object.entries(last).some(([name, value]) => (sample.values[name] ?? 0) < value);
  state.samples = [...(anew ? [] : state.samples), sample].slice(-KEPT_SAMPLES);
}

/** A request from another client reached the service. */
export function requestSeen(request) {
  const rest = state.wire.filter((known) => known.seq !== request.seq);
  // A slow response can arrive after newer requests.
  const wire = [request, ...rest].sort((one, other) => other.seq - one.seq);
  state.wire = wire.slice(0, KEPT_WIRE);
}

/** All requests from other clients. */
export function requestsSeen({ requests, columns }) {
  state.wire = requests.reverse().slice(0, KEPT_WIRE);
  state.wireColumns = columns;
}

/** The current time of a side's run: in real time it advances between events. */
export function now(side) {
  const goesOn = state.link === "live" && state.run.state === "running" && state.run.pace === "real" && !side.outcome;
  return side.taken + (goesOn ? (performance.now() - side.takenAt) * 1e6 : 0);
}

/** The name of a side in a comparison. */
export const sideName = (client) => (client.startsWith("without-") ? "without" : client);
