// The page: events change the state, and each panel draws its part of it. The page is
// drawn once per frame, regardless of the number of events. What happened in a run, in
// Grade and in Storm is drawn by the server.

import { actionsOf, view } from "./actions.js";
import * as api from "./api.js";
import { briefPanel } from "./brief.js";
import { coursePanel } from "./course.js";
import { byId, el, say, set } from "./dom.js";
import { follow } from "./feed.js";
import { patch } from "./patch.js";
import * as news from "./state.js";

const { state } = news;
/** The interval at which open cases are fetched, and the shown run while it waits, in
    milliseconds. */
const LOOK = 500;
const GROW = 200;
/** The pause before the page tries to start again, in milliseconds. */
const AGAIN = 2000;
/** The views other than the course. */
const VIEWS = ["grade", "storm", "metrics-view"];

const actions = actionsOf({ draw, brief: () => brief, storm: () => storm, announce });
const course = coursePanel(actions);
let runs = () => {};
const brief = briefPanel(actions);
byId("story").addEventListener("click", ({ target }) => target.matches(".try") && actions.tryNext(target.dataset.next));

for (const name of ["predict", "present", "tell", "copy", "cancel"]) byId(name).addEventListener("click", actions[name]);
byId("reseed").addEventListener("click", actions.keepSeed);
byId("previous").addEventListener("click", () => actions.step(-1));
byId("next").addEventListener("click", () => actions.step(1));
byId("pick").addEventListener("change", () => {
  actions.choose(byId("pick").value);
  // In the list, a key would choose another scenario.
  byId("run").focus();
});
byId("to-course").addEventListener("click", () => {
  byId("course-title").scrollIntoView();
  byId("course").querySelector("[tabindex='0']")?.focus({ preventScroll: true });
});
byId("skip").addEventListener("click", (event) => {
  // Other first parts of an address name a scenario.
  event.preventDefault();
  byId(view()).focus();
});
for (const name of VIEWS) {
  byId(`to-${name}`).addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    actions[name]();
  });
}
addEventListener("popstate", actions.address);

/** Requests a redraw in the next frame. */
let due = false;
function draw() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    render();
  });
}

/** An open bar grows, and a wait counts down. */
setInterval(() => state.run?.state === "running" && state.link === "live" && !document.hidden && actions.refresh(), GROW);

/** Grade is loaded when it is first shown, and fetched while it is visible. */
let gradePanel = null;
async function fetchGrade() {
  gradePanel = () => {};
  gradePanel = (await import("./grade.js")).gradePanel(actions);
  setInterval(() => view() === "grade" && !document.hidden && state.link === "live" && actions.look(), LOOK);
  actions.look();
}

/** Storm, too; it draws itself, because no other part of the page changes it. */
let storm = null;
async function fetchStorm() {
  storm = {};
  const [{ stormPanel }] = await Promise.all([import("./storm.js"), import("./storms.js")]);
  storm = stormPanel(actions);
}

/** Metrics, too; it follows a feed of its own while it is shown. */
let showMetrics = null;
async function fetchMetrics() {
  showMetrics = () => {};
  showMetrics = (await import("./metrics-view.js")).metricsPanel(actions);
  draw();
}

function render() {
  const here = view();
  byId("stage").hidden = here !== "stage";
  for (const name of VIEWS) {
    byId(name).hidden = here !== name;
    set(byId(`to-${name}`), { "aria-current": here === name ? "page" : null });
  }
  if (here === "grade") {
    if (!gradePanel) fetchGrade();
    gradePanel?.(state.card, state.problem);
  }
  if (here === "storm" && !storm) fetchStorm();
  if (here === "metrics-view" && !showMetrics) fetchMetrics();
  showMetrics?.(here === "metrics-view");
  const { run } = state;
  const scenario = state.scenarios.find(({ name }) => name === state.chosen);

  const presenting = state.presenting && here === "stage";
  const held = presenting && news.held();
  document.body.classList.toggle("presenting", presenting);
  document.body.classList.toggle("held", held);
  set(byId("present"), { "aria-pressed": String(state.presenting) });
  byId("present").hidden = here !== "stage";
  set(byId("predict"), { "aria-pressed": String(state.predict) });
  const tells = held && news.over(run);
  const canTell = tells && byId("tell").hidden;
  byId("tell").hidden = !tells;
  // Enter and the space bar reveal the answer, too.
  if (canTell) byId("tell").focus();

  const goesOn = run?.state === "running" && state.link === "live";
  // The keyboard focus moves to the button that starts the next run.
  if (!goesOn && document.activeElement === byId("cancel")) byId("run").focus();
  byId("cancel").hidden = !goesOn;
  byId("story").hidden = !run;
  byId("nothing").hidden = run !== null;
  byId("actions").hidden = !run || run.gone || !["finished", "cancelled"].includes(run.state);
  if (!byId("actions").hidden) set(byId("report"), { href: api.reportPath(run.id) });
  say(byId("standing"), standing(run));
  say(byId("goes-on"), goesOn ? `${run.scenario} runs … ${Math.floor((Date.now() - Date.parse(run.started)) / 1000)} s` : tells ? "The run is over, and its answer is hidden." : "");
  byId("pick").value = state.chosen ?? "";
  byId("to-course").hidden = here !== "stage";

  if (state.scenarios.length > 0) course(state.scenarios, here === "stage" ? state.chosen : null, state.filter, state.predict);
  runs(state.runs, run?.id, state.link, state.clients);
  brief.render(scenario, run, state.predict, presenting, news.over(run) && !held, state.problem, here, state.judged);
  say(byId("link"), { connecting: "connecting", live: "live", lost: "connection lost" }[state.link]);
  set(byId("link"), { class: `link ${state.link}` });
}

/** What the server cannot say, because it is not there. */
function standing(run) {
  if (run?.state === "lost") return "✗ lost: the lab was stopped while it ran";
  return run?.state === "running" && state.link === "lost" ? "✗ connection lost, state unknown" : "";
}

/** Of many requests from other clients at once, the list is fetched once. */
let wireDue = false;
function fetchWire() {
  if (wireDue) return;
  wireDue = true;
  setTimeout(async () => {
    wireDue = false;
    await api.wire().then((html) => patch(byId("wire"), html), () => {});
  }, GROW);
}

/** Tells a screen reader, politely and rarely, about a start, an end or a lost
    connection. */
function announce(text) {
  say(byId("announce"), text);
}

const handlers = {
  run(summary) {
    news.summarised(summary);
    if (summary.id !== state.run?.id || summary.state === "running") return;
    actions.refresh().then(() => {
      if (state.run?.id === summary.id) announce(`${summary.scenario}: ${news.held() ? "the run is over" : state.run.spoken}`);
    });
  },
  change: ({ id }) => id === state.run?.id && actions.refresh(),
  wire: fetchWire,
  missed: () => catchUp(),
};

/** Summaries that were received while the list was on its way. */
const meanwhile = new Set();

/** Fetches the state that the feed would have sent. */
async function catchUp() {
  const since = [];
  meanwhile.add(since);
  await actions.inBackground(async () => {
    news.listed(await api.runs());
    since.forEach(news.summarised);
  }).finally(() => meanwhile.delete(since));
  fetchWire();
  const { run } = state;
  // A run that has ended does not change, unless the lab has forgotten it.
  const isKnown = run && state.runs.some(({ id }) => id === run.id);
  if (run?.state === "running" || (run && !isKnown && run.state !== "fetching")) await actions.refresh();
}

/** Removes the error that the lab does not respond, wherever it stands. */
function responds() {
  if (state.problem === api.NO_RESPONSE) state.problem = "";
  for (const line of document.querySelectorAll(".problem")) {
    if (line.textContent === api.NO_RESPONSE) say(line, "");
  }
}

/** Starts the page, once the lab responds. */
async function start() {
  try {
    const [scenarios, vocabulary] = await Promise.all([api.scenarios(), api.vocabulary()]);
    state.scenarios = scenarios;
    state.clients = vocabulary.clients;
    state.defences = vocabulary.defences;
  } catch (error) {
    if (!(error instanceof api.Problem)) throw error;
    state.problem = error.message;
    draw();
    setTimeout(start, AGAIN);
    return;
  }
  brief.offer(state.clients, state.defences);
  byId("pick").replaceChildren(...state.scenarios.map(({ name }) => el("option", { value: name }, name)));
  actions.address();
  // The page is drawn without them.
  const later = [import("./keys.js"), import("./rows.js"), import("./runs.js")];
  const [{ keyboard }, { rows, focusFirst }, { runsPanel }] = await Promise.all(later);
  keyboard({ ...actions, waterfall: focusFirst }, state.clients);
  rows(byId("story"), actions);
  runs = runsPanel(actions);
  follow("/api/events", ["run", "change", "wire", "missed"], {
    hear(kind, text) {
      const data = api.read(text);
      if (kind === "run") meanwhile.forEach((since) => since.push(data));
      handlers[kind](data);
      draw();
    },
    opened() {
      state.link = "live";
      responds();
      catchUp();
      draw();
    },
    lost() {
      if (state.link === "live") announce("The connection to the lab is lost");
      state.link = "lost";
      draw();
    },
  });
}

start();
