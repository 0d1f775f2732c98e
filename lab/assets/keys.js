// The keyboard shortcuts, and the dialog that lists them.

import { byId, el } from "./dom.js";

/** Whether single-key shortcuts are enabled. The choice is stored, because they disturb
    some users of speech input. */
const KEPT = "keys";

/** The keys and their actions; keys without an action belong to a panel and are only
    listed. */
export function keyboard(actions, clients) {
  const keys = [
    ["r", "Run the chosen scenario, or the storm", actions.run],
    ["x", "Cancel the run or the storm that is shown", actions.cancel],
    ["/", "Find a scenario", () => byId("filter").focus()],
    ["s", "Go to the course", () => byId("course").querySelector("[tabindex='0']")?.focus()],
    ["w", "Go to the waterfall", actions.waterfall],
    ["v", "Go to the verdict", () => byId("verdict")?.focus()],
    ["l", "Go to the last runs", () => byId("runs").querySelector("[tabindex='0']")?.focus()],
    ...clients.map((name, index) => [String(index + 1), `Client: ${name}`, () => actions.client(name)]),
    ["t", "Go to Metrics", actions["metrics-view"]],
    ["m", "Go to Storm", actions.storm],
    ["g", "Go to Grade", actions.grade],
    ["p", "Predict first", actions.predict],
    ["f", "Present: one scenario fills the screen, and its answer is hidden", actions.present],
    ["a", "Show the hidden answer", actions.tell],
    ["n", "The next scenario", () => actions.step(1)],
    ["b", "The previous scenario", () => actions.step(-1)],
    ["c", "Copy the run as JSON", actions.copy],
    ["?", "These keys", open],
    ["↑ ↓ Home End", "In the course, the runs, the waterfall: from row to row"],
    ["← →", "In the waterfall: close and open a row, or go to the row around it"],
    ["Esc", "Close this"],
  ];
  const dialog = byId("keys");
  const on = byId("keys-on");
  on.checked = localStorage.getItem(KEPT) !== "off";
  on.addEventListener("change", () => localStorage.setItem(KEPT, on.checked ? "on" : "off"));
  byId("keys-list").append(...keys.map(([key, text]) =>
    el("div", null, el("dt", null, el("kbd", null, key)), el("dd", null, text))));
  byId("keys-close").addEventListener("click", () => dialog.close());
  byId("help").addEventListener("click", open);

  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input:not([type=radio], [type=checkbox], [type=range]), textarea, select");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || dialog.open || !on.checked) return;
    const act = keys.find(([key]) => key === event.key)?.[2];
    if (!act) return;
    event.preventDefault();
    act();
  });

  function open() {
    dialog.showModal();
  }
}
