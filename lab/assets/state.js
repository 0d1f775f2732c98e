// The state of the page: one object, and the functions that apply events to it. Its
// size is bounded. What a run looks like is not here: the server draws it.

/** What survives a reload of this window: a hidden answer stays hidden, and the score counts on. */
const KEPT = "asks";
const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}");

/** The number of listed runs. */
export const KEPT_RUNS = 100;

export const state = {
  /** The catalogue, in the order of the course. */
  scenarios: [],
  /** The clients by name, with the reference client first. */
  clients: [],
  /** The defences that can be removed from the reference client. */
  defences: [],
  /** Summaries of the last runs, the newest first. */
  runs: [],
  /** The selected scenario. */
  chosen: null,
  /** The summary of the shown run. */
  run: null,
  /** The tasks for the user's own client, as the server drew them. */
  card: null,
  /** Whether the question is shown before the answer. */
  predict: kept.predict ?? false,
  /** Whether one scenario fills the screen, with its answer hidden until it is asked for. */
  presenting: kept.presenting ?? false,
  /** The run whose answer was revealed in presentation mode. */
  told: null,
  /** The runs whose predictions were judged, by their ids: whether each was right. */
  judged: kept.judged ?? {},
  /** The filter of the course. */
  filter: "",
  /** The state of the feed: `connecting`, `live` or `lost`. */
  link: "connecting",
  /** The error of the last action. */
  problem: "",
};

/** Asks before each answer, presents, or counts a prediction. */
export function asks(changes) {
  Object.assign(state, changes);
  const { presenting, predict, judged } = state;
  sessionStorage.setItem(KEPT, JSON.stringify({ presenting, predict, judged }));
}

/** A run's summary, new or changed. */
export function summarised(summary) {
  const rest = state.runs.filter((run) => run.id !== summary.id);
  listed([summary, ...rest].sort((one, other) => other.started.localeCompare(one.started)));
}

/** All summaries, the newest first. */
export function listed(runs) {
  state.runs = runs.slice(0, KEPT_RUNS);
}

/** Selects another run, which is not loaded yet. */
export function opened(id) {
  const summary = state.runs.find((run) => run.id === id);
  state.run = { ...summary, id, state: "fetching" };
}

/** Shows no run. */
export function closed() {
  state.run = null;
}

/** The results of the tasks so far. Cases that are no longer open keep theirs. Others in their
    place are `replaced`, unless this page opened them. */
export function graded(card, isOwn) {
  const last = state.card;
  if (card.id === null && last?.id) {
    state.card = { ...last, gone: true };
    return;
  }
  const isAnother = Boolean(last?.id) && card.id !== last.id;
  state.card = { ...card, replaced: !isOwn && (isAnother || Boolean(last?.replaced)) };
}

const ENDS = ["finished", "failed", "cancelled", "lost"];

/** Whether a run has ended, in any way. */
export const over = (run) => ENDS.includes(run?.state);

/** Whether the answer of the shown run is hidden: in presentation mode, until it is asked
    for. */
export const held = () => state.presenting && state.run !== null && state.told !== state.run.id;

/** The server does not know the shown run: it was restarted. If the run was going on, it
    is lost. */
export function missing() {
  const was = state.run.state;
  state.run = { ...state.run, gone: true, state: was === "running" ? "lost" : was };
}
