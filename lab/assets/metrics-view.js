// Metrics: the counters over time, which the server draws once a second.

import { byId, el } from "./dom.js";
import { follow } from "./feed.js";
import { patch } from "./patch.js";

export function metricsPanel({ show }) {
  document.head.append(el("link", { rel: "stylesheet", href: "/assets/metrics-view.css" }));
  const charts = byId("charts");
  let stop = null;

  charts.addEventListener("click", (event) => {
    // Another name of this machine would be another site to the service, which refuses those.
    const metrics = event.target.closest("a[href$='/metrics']");
    if (metrics) metrics.hostname = location.hostname;
    const run = event.target.closest("a[href^='/runs/']")?.getAttribute("href");
    if (!run || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(run.slice("/runs/".length));
    requestAnimationFrame(() => scrollTo(0, 0));
  });

  /** Follows the charts while they are shown. */
  return (isShown) => {
    if (isShown) {
      stop ??= follow("/api/metrics-view", ["charts"], { hear: (_, data) => patch(charts, JSON.parse(data).html) });
    } else {
      stop?.();
      stop = null;
    }
  };
}
