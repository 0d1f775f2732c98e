// Which rows a waterfall has, and where on the axis its bars stand. Values in,
// values out: nothing here touches the page.

const MS = 1e6;
const SECOND = 1e9;
/** The shortest axis: shorter ones would magnify what is only noise. */
const SHORTEST = 4 * MS;

/** The most rows that are drawn of one side. A storm of requests is cut in the
    middle, and says so: its beginning and its end are what is worth seeing. */
export const MOST_ROWS = 400;

/** When an open wait is due to end, if it said how long it is. */
export function due(span) {
  const seconds = span.fields["wait.seconds"];
  const open = span.name === "wait" && span.end_ns === null;
  return open && Number.isFinite(seconds) ? span.start_ns + seconds * SECOND : null;
}

/** The rows in order: every root in order of time, and under it what belongs to
    it. A run is no row, and a lone operation needs no heading, unless there is
    nothing else to be seen. */
export function rows(spans, folded) {
  const ordered = [...spans.values()].sort((one, other) => one.start_ns - other.start_ns);
  const shown = ordered.filter((span) => span.name !== "run");
  const headings = shown.filter((span) => span.name === "operation");
  const lone = headings.length === 1 && shown.length > 1 ? headings[0] : null;
  const kept = new Set(shown.filter((span) => span !== lone).map((span) => span.id));

  const children = new Map();
  for (const span of shown) {
    if (!kept.has(span.id)) continue;
    const parent = kept.has(span.parent) ? span.parent : null;
    if (!children.has(parent)) children.set(parent, []);
    children.get(parent).push(span);
  }

  const rows = [];
  const descend = (parent, level) => {
    const family = children.get(parent) ?? [];
    family.forEach((span, index) => {
      const leaf = !children.has(span.id);
      const open = leaf ? null : !folded.has(span.id);
      rows.push({ span, parent, level, open, place: index + 1, of: family.length });
      if (open) descend(span.id, level + 1);
    });
  };
  descend(null, 1);
  return rows;
}

/** The rows that are drawn, and how many were left out before which of them. */
export function cut(rows) {
  const left = rows.length - MOST_ROWS;
  if (left <= 0) return { rows, left: 0, before: null };
  const half = MOST_ROWS / 2;
  const tail = rows.slice(-half);
  return { rows: [...rows.slice(0, half), ...tail], left, before: tail[0].span.id };
}

/** How far the axis of these spans has to reach. */
export function reach(spans, now) {
  let reach = 0;
  for (const span of spans.values()) reach = Math.max(reach, span.end_ns ?? due(span) ?? now);
  return reach;
}

/** The axis: its length, a round one so that it grows in steps while a run goes
    on, and the places of its ticks. */
export function axis(reach) {
  const length = round(Math.max(reach, SHORTEST), [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]);
  const step = Math.max(round(length / 4, [1, 2, 5, 10]), MS);
  const ticks = [];
  for (let tick = 0; tick <= length; tick += step) ticks.push(tick);
  return { length, ticks };
}

/** The next number at or above `least` that is a power of ten times a step. */
function round(least, steps) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * steps.find((step) => step * power >= least * (1 - 1e-9));
}
