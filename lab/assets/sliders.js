// The sliders over the picture: the same run with other limits, in virtual time, drawn as
// they are dragged. Such a preview is neither kept nor counted.

import { ask, number, posting, read } from "./api.js";
import { byId, el, memo, say } from "./dom.js";
import { finished, state } from "./state.js";

/** Each slider: the field of the request, its label, its range, the value of a policy, and
    its words. */
const LIMITS = [
  ["max_attempts", "Attempts, at most", { min: 1, max: 6, step: 1 }, (policy) => policy.max_attempts, String],
  ["backoff_ms", "First backoff, at most", { min: 100, max: 2000, step: 100 }, (policy) => policy.backoff_seconds * 1000,
    (ms) => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)],
];

export function slidersPanel({ redraw, refresh }) {
  const limits = LIMITS.map(([name, label, range, of, words]) => {
    const input = el("input", { type: "range", name, ...range });
    const output = el("output");
    const show = () => say(output, words(Number(input.value)));
    input.addEventListener("input", () => {
      show();
      drag();
    });
    return { name, input, label: el("label", null, label, output, input), put: (policy) => { input.value = of(policy); show(); } };
  });
  const back = el("button", { type: "button" }, "Back to the run");
  back.addEventListener("click", () => refresh(shown.id));
  const root = el("fieldset", { class: "vary", hidden: "" }, el("legend", null, "What if?"),
    ...limits.map(({ label }) => label), el("p", { class: "terms" }, "Drag: the same seed in virtual time. ", back));
  byId("waterfalls").before(root);

  let [shown, wanted, busy] = [null, null, false];

  /** Requests a preview; of several, the last. */
  async function drag() {
    const { id, scenario, client, without, seed } = shown;
    const chosen = limits.map(({ name, input }) => [name, Number(input.value)]);
    wanted = { scenario, client, ...(without && { without }), seed: number(seed), ...Object.fromEntries(chosen) };
    if (busy) return;
    busy = true;
    try {
      while (wanted) {
        const order = wanted;
        wanted = null;
        const detail = read(await ask("/api/preview", posting(order)));
        if (state.run?.id !== id) wanted = null;
        else preview(detail);
      }
    } catch (error) {
      state.problem = error.message;
    } finally {
      busy = false;
      redraw();
    }
  }

  /** Shows a preview in place of the run. The axis grows and never shrinks, so that a
      shorter wait is a shorter bar. */
  function preview({ sides, compared, lesson, pace }) {
    const axes = [...state.run.sides, ...sides].map(({ view }) => view.waterfall.axis);
    const axis = [state.run.preview ?? axes[0], ...axes].reduce((one, other) => (other.length_ns > one.length_ns ? other : one));
    state.run = { ...state.run, sides: sides.map(finished), compared, lesson, pace, preview: axis };
    redraw();
  }

  return memo((run, hasSliders) => {
    const policy = run?.sides[0]?.policy;
    root.hidden = !hasSliders || !policy || run.state !== "finished" || ![state.clients[0], "compare"].includes(run.client);
    if (root.hidden) return;
    back.hidden = !run.preview;
    if (shown?.id !== run.id || !run.preview) limits.forEach(({ put }) => put(policy));
    shown = run;
  });
}
