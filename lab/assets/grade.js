// Grade: open cases for the user's own client, judged while its requests arrive.

import { byId, memo, say } from "./dom.js";
import { patch } from "./patch.js";
import { rows } from "./rows.js";

/** What a page says of cases that another one opened in place of those that it showed. */
const REPLACED = "Another window opened new cases, so the URLs have changed";

export function gradePanel({ openCases, stopCases, again, copyText, choose, announce }) {
  const tasks = byId("tasks");
  let [known, replaced] = [new Set(), null];
  byId("open-cases").addEventListener("click", openCases);
  byId("stop-cases").addEventListener("click", stopCases);
  rows(tasks, { copyText });
  tasks.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='/#']");
    if (event.target.matches(".again")) again(event.target.dataset.case);
    if (!link) return;
    event.preventDefault();
    choose(link.hash.slice(1));
  });

  return memo((card, problem) => {
    const isOpen = Boolean(card?.id && !card.gone);
    say(byId("grade-problem"), problem);
    say(byId("open-cases"), card?.id ? "Open anew" : "Open the cases");
    // The keyboard focus moves from the removed button to the one that opens the cases
    // again.
    if (!isOpen && document.activeElement === byId("stop-cases")) byId("open-cases").focus();
    byId("stop-cases").hidden = !isOpen;
    if (card?.replaced && replaced !== card.id) announce(REPLACED);
    replaced = card?.id;
    say(byId("grade-terms"), card?.gone ? "The cases were stopped: their ports are closed."
      : [card?.replaced && REPLACED, card?.terms].filter(Boolean).join(" · "));
    tasks.classList.toggle("gone", !isOpen);
    if (card) patch(tasks, card.html);
    const news = (card?.broken ?? []).filter((words) => !known.has(words));
    known = new Set(card?.broken);
    if (news.length > 0) announce(news.join("; "));
  });
}
