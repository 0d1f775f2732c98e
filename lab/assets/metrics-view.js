// Metrics: the counters over time, which the server draws once a second.

import { byId, say } from "./dom.js";
import { follow } from "./feed.js";
import { patch } from "./patch.js";

const charts = byId("charts");

charts.addEventListener("click", (event) => {
  // Another name of this machine would be another site to the service, which refuses those.
  const metrics = event.target.closest("a[href$='/metrics']");
  if (metrics) metrics.hostname = location.hostname;
});

follow("/api/metrics-view", ["charts"], {
  hear: (_, data) => patch(charts, JSON.parse(data).html),
  opened: () => say(byId("charts-link"), "● live"),
  lost: () => say(byId("charts-link"), "✗ connection lost"),
});
