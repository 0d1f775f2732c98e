// The user's actions: each changes the state and requests a redraw.

import * as api from "./api.js";
import { byId, say } from "./dom.js";
import { patch } from "./patch.js";
import * as news from "./state.js";

const { state } = news;

/** What leaving presentation mode means. */
const LEAVING = "The answer is hidden, and leaving shows it. Leave all the same?";

/** What new cases mean for users of the open ones. */
const SHARED = "Every window shares the open cases. New ones have other URLs, and what the open ones have received is lost.";

export function actionsOf({ draw, brief, storm, announce }) {
  /** Runs an action, and shows its error on the page if it fails. */
  const showingProblems = (action) => async (...inputs) => {
    state.problem = "";
    try {
      await action(...inputs);
    } catch (error) {
      if (!(error instanceof api.Problem)) throw error;
      state.problem = brief().inWords(error.message);
    }
    draw();
  };

  const scenario = (name) => state.scenarios.find((known) => known.name === name);
  const guess = () => new URLSearchParams(location.search).get("guess");

  /** The request for the shown run that is on its way, and whether it must be repeated. */
  let [busy, isDue] = [null, false];

  /** Fetches the shown run: of many requests while one is on its way, one is made. */
  function refresh() {
    isDue = true;
    busy ??= (async () => {
      try {
        while (isDue && state.run) {
          isDue = false;
          await fetchRun(state.run.id);
        }
      } finally {
        busy = null;
      }
    })();
    return busy;
  }

  /** The error of the last request without an action of the user. */
  let stale = "";

  /** Makes a request without an action of the user. The next one removes its error, but not
      that of an action. */
  async function inBackground(request) {
    const problem = await request().then(() => "", (error) => {
      if (!(error instanceof api.Problem)) throw error;
      return error.message;
    });
    if (problem || state.problem === stale) state.problem = problem;
    stale = problem;
    draw();
  }

  async function fetchRun(id) {
    const isFirst = state.run.state === "fetching";
    const { html, ...run } = await api.story(id, guess()).catch((error) => {
      if (error.status !== 404 || state.run?.state === "fetching") throw error;
      return {};
    });
    if (state.run?.id !== id) return;
    if (!html) {
      news.missing();
      return;
    }
    state.run = run;
    state.chosen = run.scenario;
    patch(byId("story"), html);
    // Later, the form holds what the reader chose for the next run.
    if (isFirst) brief().take(run);
    count();
  }

  /** Counts a prediction once, when its answer is shown. */
  function count() {
    const verdict = byId("story").querySelector(".answer > :is(.ok, .no)");
    if (!verdict || news.held() || !state.run || state.run.id in state.judged) return;
    news.asks({ judged: { ...state.judged, [state.run.id]: verdict.matches(".ok") } });
  }

  const showRun = showingProblems(async (id) => {
    if (state.run?.id !== id) byId("story").replaceChildren();
    news.opened(id);
    if (state.run.scenario) state.chosen = state.run.scenario;
    draw();
    await refresh().catch((error) => {
      // Once the run is shown, its other requests report their own errors.
      if (state.run?.id !== id || state.run.state !== "fetching") return;
      news.closed();
      state.chosen ??= state.scenarios[0]?.name ?? null;
      throw error;
    });
  });

  const run = showingProblems(async (name = state.chosen) => {
    // While predictions are asked for, a question comes before each run.
    if (state.predict && (state.run || name !== state.chosen)) {
      choose(name);
      return;
    }
    const { guess: expected, ...order } = brief().order(scenario(name));
    state.chosen = name;
    const { id } = await api.start(order);
    brief().forget();
    history.pushState(null, "", `/runs/${id}${expected ? `?guess=${encodeURIComponent(expected)}` : ""}`);
    announce(`${name} runs`);
    // In the form, Enter would start the next run and leave this one.
    if (document.activeElement.matches("#form :is(button, [type=radio])")) byId("stage").focus({ preventScroll: true });
    await showRun(id);
  });

  let [newest, asking, shown] = [0, 0, ""];

  /** Shows the card in this response, unless another card was requested since. `isOwn` means
      that this page opened its cases. */
  async function renew(request, isOwn = false) {
    const mine = ++newest;
    asking += 1;
    try {
      const text = await request();
      if (mine !== newest || text === shown) return;
      shown = text;
      news.graded(api.read(text), isOwn);
    } finally {
      asking -= 1;
    }
  }

  return {
    run: () => (view() === "storm" ? storm()?.start?.() : view() === "stage" && state.chosen && run()),
    runScenario: run,
    inBackground,
    refresh: () => inBackground(refresh),
    cancel: showingProblems(async () => {
      if (view() === "storm") await storm()?.cancel?.();
      else if (state.run?.state === "running") await api.cancel(state.run.id);
    }),
    address: () => route(),
    show(id) {
      history.pushState(null, "", `/runs/${id}`);
      showRun(id);
    },
    grade: () => enter("grade"),
    storm: () => enter("storm"),
    "metrics-view": () => enter("metrics-view"),
    /** Fetches the requests to the open cases. If the lab does not respond, the feed
        reports it. */
    look: () => asking === 0 && renew(api.cardText).then(draw, (error) => {
      if (!(error instanceof api.Problem)) throw error;
    }),
    openCases: showingProblems(async () => {
      const areOpen = state.card?.id && !state.card.gone;
      if (areOpen && !confirm(`${SHARED} Open new ones all the same?`)) return;
      await renew(api.openCases, true);
      announce("The cases are open");
    }),
    stopCases: showingProblems(async () => {
      await api.stopCases();
      await renew(api.cardText);
      announce("The cases were stopped");
    }),
    again: showingProblems(async (place) => {
      await renew(() => api.again(place));
      announce(`${place.split("/")[0]} begins again`);
    }),
    announce,
    /** Runs what a lesson suggests: the arguments of `lab`. */
    tryNext: showingProblems(async (line) => {
      const [, name, ...options] = line.split(" ");
      brief().fill(name, options);
      await run(name);
    }),
    copyText: showingProblems(async (button, text) => {
      await navigator.clipboard.writeText(text);
      announce("Copied");
      flash(button, "Copied");
    }),
    choose,
    narrow(words) {
      state.filter = words;
      draw();
    },
    predict() {
      news.asks({ predict: !state.predict });
      draw();
    },
    present() {
      if (view() !== "stage" || (news.held() && !confirm(LEAVING))) return;
      news.asks({ presenting: !state.presenting, predict: !state.presenting });
      state.told = null;
      count();
      draw();
    },
    /** Reveals the answer in presentation mode. */
    tell() {
      state.told = state.run?.id ?? null;
      count();
      draw();
      // A key that goes on is pressed on purpose.
      requestAnimationFrame(() => byId("stage").focus());
    },
    /** Moves this many scenarios forward in the course. */
    step(places) {
      const at = state.scenarios.findIndex(({ name }) => name === state.chosen);
      const next = state.scenarios[at + places];
      if (next && view() === "stage") choose(next.name);
    },
    client(name) {
      byId("form").elements.client.value = name;
      byId("form").dispatchEvent(new Event("input"));
    },
    keepSeed: () => state.run && brief().keepSeed(state.run.seed),
    copy: showingProblems(async () => {
      if (!state.run) return;
      await navigator.clipboard.writeText(await api.runText(state.run.id));
      announce("Copied as JSON");
      flash(byId("copy"), "Copied");
    }),
  };

  function choose(name) {
    history.pushState(null, "", `/#${name}`);
    route();
  }

  function enter(name) {
    history.pushState(null, "", `/${name}`);
    route();
    requestAnimationFrame(() => byId(name).focus());
  }

  /** Shows the view that the address names: a run, Grade, Storm, Metrics or a scenario; the
      first scenario by default. */
  function route() {
    const { pathname, hash } = location;
    const [id, name] = [pathname.match(/^\/runs\/(.+)$/)?.[1], hash.slice(1)].map(decoded);
    if (id) return showRun(id);
    news.closed();
    state.problem = "";
    if (view() !== "stage") {
      storm()?.address?.();
      draw();
      return undefined;
    }
    const named = scenario(name);
    state.chosen = (named ?? state.scenarios[0])?.name ?? null;
    if (pathname !== "/") state.problem = `There is no page ${decoded(pathname)}.`;
    else if (name && !named) state.problem = `No scenario is called '${name}'.`;
    draw();
    return undefined;
  }
}

/** The view that the address selects: the course, Grade, Storm or Metrics. */
export const view = () => ({ "/grade": "grade", "/storm": "storm", "/metrics-view": "metrics-view" })[location.pathname] ?? "stage";

/** Decodes a part of an address. An invalid encoding stays as it is, because anybody can
    type an address. */
function decoded(part) {
  try {
    return part && decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Confirms on a button for a moment that its action was done. */
function flash(button, text) {
  const usual = (button.dataset.usual ??= button.textContent);
  say(button, text);
  setTimeout(() => say(button, usual), 1500);
}
