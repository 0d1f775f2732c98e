// What the page knows: one object, and how each piece of news changes it. All of
// it is bounded, so that the thousandth run is drawn as fast as the first. A
// value that changed is a new object (the spans of the shown run apart, which
// have a `version`), so panels can tell by identity what they need to redraw.

/** How many runs are listed. */
export const KEPT_RUNS = 100;
/** How many samples of the counters are plotted. */
export const KEPT_SAMPLES = 120;
/** How many requests from elsewhere are kept. */
export const KEPT_WIRE = 200;

export const state = {
  /** The catalogue, in the order of the course. */
  scenarios: [],
  /** What each metric means, by its name. */
  vocabulary: new Map(),
  /** Summaries of the last runs, the newest first. */
  runs: [],
  /** The scenario that is chosen. */
  chosen: null,
  /** The run that is shown, its spans included; of others no spans are kept. */
  run: null,
  /** The row whose fields are shown: `{ side, id }`. */
  row: null,
  /** The rows whose children are hidden, by span id. */
  folded: new Set(),
  /** What the counters of the process stood at, over time. */
  samples: [],
  /** Requests that reached the service from elsewhere, the newest first. */
  wire: [],
  /** Whether the question comes before the answer. */
  predict: false,
  /** What was predicted, by run. */
  guesses: new Map(),
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
  if (state.run?.id === summary.id) state.run = { ...state.run, ...summary };
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
  state.run = { sides: [], differences: [], ...summary, id, state: "fetching" };
  state.row = null;
  state.folded = new Set();
}

/** No run is shown. */
export function closed() {
  state.run = null;
  state.row = null;
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

/** Everything about the shown run. News may have been faster than the answer
    that carried it, so spans are merged and not replaced; their order is that
    of the answer. */
export function fetched(detail) {
  if (state.run?.id !== detail.id) return;
  const sides = detail.sides.map((side, index) => {
    const mine = sideOf(index);
    const spans = side.traces.flatMap((trace) => trace.spans);
    const taken = Math.max(side.now_ns ?? 0, ...side.traces.map((trace) => trace.taken_at_ns));
    merge(mine, spans, taken);
    mine.spans = new Map([...spans, ...mine.spans.values()].map(({ id }) => [id, mine.spans.get(id)]));
    const dropped = side.traces.reduce((sum, trace) => sum + trace.dropped_spans, 0);
    const { traces: _, ...rest } = side;
    const late = mine.outcome && !rest.outcome;
    return { ...mine, ...(late ? { client: side.client } : known(rest)), dropped };
  });
  state.run = { ...state.run, ...detail, sides, state: over(state.run) ? state.run.state : detail.state };
}

/** Spans of a run opened, changed or closed. */
export function moved({ id, side, spans, taken_at_ns }) {
  if (state.run?.id !== id) return;
  merge(sideOf(side), spans, taken_at_ns);
}

/** A side of a run has finished. */
export function sided({ id, side, ...results }) {
  if (state.run?.id !== id) return;
  const sides = [...state.run.sides];
  sides[side] = { ...sideOf(side), ...known(results) };
  state.run = { ...state.run, sides };
}

/** The counters of the process. Counters only rise: where one fell, it is another
    process. */
export function sampled(sample) {
  const last = state.samples.at(-1)?.values ?? {};
  const anew = Object.entries(last).some(([name, value]) => (sample.values[name] ?? 0) < value);
  state.samples = [...(anew ? [] : state.samples), sample].slice(-KEPT_SAMPLES);
}

/** A request reached the service from elsewhere. */
export function heard({ entry, spans }) {
  const fault = spans.find((span) => span.fields.fault !== undefined)?.fields.fault;
  const rest = state.wire.filter((known) => known.seq !== entry.seq);
  // Told when it is over, so one that was slow comes after newer ones.
  const wire = [{ ...entry, fault }, ...rest].sort((one, other) => other.seq - one.seq);
  state.wire = wire.slice(0, KEPT_WIRE);
}

/** All requests from elsewhere. */
export function overheard({ entries, traces }) {
  const spans = traces.flatMap((trace) => trace.spans);
  const faults = new Map(spans.map((span) => [span.fields.request_id, span.fields.fault]));
  const wire = entries.map((entry) => ({ ...entry, fault: faults.get(entry.request_id) }));
  state.wire = wire.reverse().slice(0, KEPT_WIRE);
}

/** The time of a side's run now: of a real one it goes on between the news. */
export function now(side) {
  const goesOn = state.link === "live" && state.run.state === "running" && state.run.pace === "real" && !side.outcome;
  return side.taken + (goesOn ? (performance.now() - side.takenAt) * 1e6 : 0);
}

function sideOf(index) {
  const { sides } = state.run;
  for (let each = sides.length; each <= index; each += 1) {
    sides[each] = { spans: new Map(), version: 0, taken: 0, takenAt: performance.now(), dropped: 0 };
  }
  return sides[index];
}

function merge(side, spans, taken) {
  for (const span of spans) {
    const mine = side.spans.get(span.id);
    // A closed span is final; an open one only ever gains fields.
    const newer = !mine || (mine.end_ns === null && (span.end_ns !== null || gained(span, mine)));
    if (newer) side.spans.set(span.id, span);
  }
  if (taken >= side.taken) {
    side.taken = taken;
    side.takenAt = performance.now();
  }
  side.version += 1;
}

const gained = (span, mine) => Object.keys(span.fields).length > Object.keys(mine.fields).length;

/** What has a value, without what is still to come. */
const known = (side) =>
  Object.fromEntries(Object.entries(side).filter(([, value]) => value !== null && value !== undefined));
