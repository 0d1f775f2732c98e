// The page: events change the state, and each panel draws its part of it. The page is
// drawn once per frame, regardless of the number of events.

import { actionsOf, view } from "./actions.js";
import * as api from "./api.js";
import { briefPanel } from "./brief.js";
import { countersPanel } from "./counters.js";
import { coursePanel } from "./course.js";
import { byId, say, set, styled } from "./dom.js";
import { follow } from "./feed.js";
import { keyboard } from "./keys.js";
import { aloud, resultPanel } from "./result.js";
import { runsPanel } from "./runs.js";
import * as news from "./state.js";
import { wirePanel } from "./wire.js";

const { state } = news;
/** The interval at which open cases are fetched, in milliseconds. */
const LOOK = 500;
/** The views other than the course. */
const VIEWS = ["grade", "storm"];
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const actions = actionsOf({ draw, brief: () => brief, storm: () => storm, announce });
const course = coursePanel(actions);
const runs = runsPanel(actions);
const brief = briefPanel(actions);
const counters = countersPanel();
const result = resultPanel(actions);
const wire = wirePanel();

byId("predict").addEventListener("click", actions.predict);
byId("present").addEventListener("click", actions.present);
byId("tell").addEventListener("click", actions.tell);
byId("scheme").addEventListener("click", actions.scheme);
byId("copy").addEventListener("click", actions.copy);
byId("reseed").addEventListener("click", actions.keepSeed);
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
    // An open bar grows until its end is known: in every frame, or twice a second with
    // reduced motion.
    if (state.run?.state === "running" && state.run.pace === "real" && state.link === "live") {
      if (calm.matches) setTimeout(draw, 500);
      else draw();
    }
  });
}

/** Panels without content before the first run; they are loaded with it. */
let ofRun = null;
let fetching = false;
async function fetchPanels() {
  fetching = true;
  const modules = ["waterfall", "table-view", "verdict", "fields", "ledger", "sliders"].map((name) => import(`./${name}.js`));
  try {
    const [{ waterfallPanel }, { tableViewPanel }, { verdictPanel }, { fieldsPanel }, { ledgerPanel }, { slidersPanel }] =
      await Promise.all([...modules, styled("run")]);
    const [waterfall, tableView] = [waterfallPanel(actions), tableViewPanel({ redraw: draw })];
    const [verdict, fields, ledger] = [verdictPanel(), fieldsPanel(actions), ledgerPanel()];
    const sliders = slidersPanel({ redraw: draw, refresh: actions.refresh });
    ofRun = {
      focus: waterfall.focus,
      render(run, nows, hasSliders) {
        const { side, id } = state.row ?? {};
        waterfall.render(run, nows, state.row, state.folded);
        tableView(run);
        fields(run?.sides[side], id, state.service);
        verdict(run, run?.preview ? null : state.guesses.get(run?.id));
        sliders(run, hasSliders);
        ledger(run);
      },
    };
    draw();
  } finally {
    fetching = false;
  }
}

/** Grade is loaded when it is first shown, and fetched while it is visible. */
let gradePanel = null;
async function fetchGrade() {
  gradePanel = () => {};
  const [grade] = await Promise.all([import("./grade.js"), styled("grade")]);
  gradePanel = grade.gradePanel(actions);
  setInterval(() => view() === "grade" && !document.hidden && state.link === "live" && actions.look(), LOOK);
  actions.look();
}

/** Storm, too; it draws itself, because no other part of the page changes it. */
let storm = null;
async function fetchStorm() {
  storm = {};
  const modules = [import("./storm.js"), import("./storms.js"), import("./picture.js")];
  const [{ stormPanel }] = await Promise.all([...modules, styled("storm")]);
  storm = stormPanel(actions);
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
  // A run is shown completely or not at all.
  const run = ofRun ? state.run : null;
  if (state.run && !ofRun && !fetching) fetchPanels();
  const sides = run?.sides ?? [];
  const scenario = state.scenarios.find(({ name }) => name === state.chosen);
  const nows = sides.map(news.now);

  const presenting = state.presenting && here === "stage";
  const held = presenting && run !== null && state.told !== run.id;
  document.body.classList.toggle("presenting", presenting);
  document.body.classList.toggle("held", held);
  set(byId("present"), { "aria-pressed": String(state.presenting) });
  byId("tell").hidden = !(held && news.over(run));

  const asks = state.predict || presenting;
  course(state.scenarios, here === "stage" ? state.chosen : null, state.filter, asks);
  runs(state.runs, run?.id, state.link, state.clients);
  brief.render(scenario, run, asks, news.over(run) && !held, state.problem, here, state.score);
  ofRun?.render(run, nows, scenario?.sliders && !held);
  counters(run, state.samples, state.vocabulary, state.headlines);
  wire(state.wire, state.wireColumns);
  result(run, state.link, Math.max(0, ...nows));
  say(byId("link"), { connecting: "connecting", live: "live", lost: "connection lost" }[state.link]);
  set(byId("link"), { class: `link ${state.link}` });
  say(byId("scheme"), `Scheme: ${document.documentElement.dataset.scheme ?? "system"}`);
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
    actions.refresh(summary.id).then(() => {
      if (state.run?.id === summary.id) announce(`${summary.scenario}: ${aloud(state.run)}`);
    });
  },
  change(change) {
    // While a run is being fetched, its changes are kept until it arrives.
    if (!news.changed(change) && state.run.state !== "fetching") actions.refresh(change.id);
  },
  wire: news.requestSeen,
  metrics: ({ at, values }) => news.sampled({ at: Date.parse(at), values }),
  missed: () => catchUp(),
};

/** The changes received while responses are on their way, one list for each. */
const meanwhile = new Set();

/** Changes that a response may have been too early to include. */
const again = { run: news.summarised, wire: news.requestSeen };

/** Fetches the state that the feed would have sent. */
async function catchUp() {
  const since = [];
  meanwhile.add(since);
  try {
    const [listed, seen] = await Promise.all([api.runs(), api.wire()]);
    news.listed(listed);
    news.requestsSeen(seen);
    for (const [kind, data] of since) again[kind]?.(data);
    if (state.run) await actions.refresh(state.run.id);
  } catch (error) {
    if (!(error instanceof api.Problem)) throw error;
    state.problem = error.message;
  } finally {
    meanwhile.delete(since);
  }
  draw();
}

async function start() {
  try {
    const [scenarios, vocabulary] = await Promise.all([api.scenarios(), api.vocabulary()]);
    state.scenarios = scenarios;
    state.headlines = vocabulary.headlines;
    state.clients = vocabulary.clients;
    state.defences = vocabulary.defences;
    state.service = vocabulary.service;
    state.vocabulary = new Map(vocabulary.metrics.map((metric) => [metric.name, metric]));
  } catch (error) {
    if (!(error instanceof api.Problem)) throw error;
    state.problem = error.message;
    draw();
    return;
  }
  brief.offer(state.clients, state.defences);
  keyboard({ ...actions, waterfall: () => ofRun?.focus() }, state.clients);
  actions.address();
  follow({
    hear(kind, text) {
      const data = api.read(text);
      for (const since of meanwhile) since.push([kind, data]);
      handlers[kind](data);
      draw();
    },
    opened(anew) {
      news.linked("live");
      if (anew) catchUp();
      draw();
    },
    lost() {
      if (state.link === "live") announce("The connection to the lab is lost");
      news.linked("lost");
      draw();
    },
  });
}

start();
