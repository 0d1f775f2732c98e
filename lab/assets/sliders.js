// The sliders over the picture: the same run with other limits, in virtual time, drawn as
// they are dragged. Such a preview is neither kept nor counted.

import { ask, number, posting, read } from "./api.js";
import { byId, el, memo, say } from "./dom.js";
import { patch } from "./patch.js";
import { state } from "./state.js";

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
  const back = el("button", { type: "button", hidden: "" }, "Back to the run");
  back.addEventListener("click", () => {
    state.problem = "";
    refresh();
  });
  const root = el("fieldset", { class: "vary", hidden: "" }, el("legend", null, "What if?"),
    ...limits.map(({ label }) => label), el("p", { class: "terms" }, "Drag: the same seed in virtual time. ", back));
  byId("story").before(root);

  let [wanted, busy, axis] = [null, false, 0];

  /** Requests a preview; of several, the last. The axis grows and never shrinks, so that a
      shorter wait is a shorter bar. */
  async function drag() {
    const { id, scenario, client, without, seed } = state.run;
    const chosen = limits.map(({ name, input }) => [name, Number(input.value)]);
    wanted = { scenario, client, ...(without && { without }), seed: number(seed), ...Object.fromEntries(chosen) };
    if (busy) return;
    busy = true;
    state.problem = "";
    try {
      while (wanted) {
        const order = wanted;
        wanted = null;
        const preview = read(await ask(`/api/preview?axis_ns=${axis}`, posting(order)));
        if (state.run?.id !== id) return;
        axis = preview.axis_ns;
        back.hidden = false;
        patch(byId("story"), preview.html);
      }
    } catch (error) {
      state.problem = error.message;
    } finally {
      busy = false;
      redraw();
    }
  }

  return memo((run, hasSliders) => {
    root.hidden = !hasSliders || !run?.policy || run.state !== "finished" || ![state.clients[0], "compare"].includes(run.client);
    if (root.hidden) return;
    axis = run.axis_ns;
    back.hidden = true;
    limits.forEach(({ put }) => put(run.policy));
  });
}
