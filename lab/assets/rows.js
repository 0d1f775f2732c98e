// The rows of a picture: the arrow keys move between them, and open and close them. The
// buttons beside a command copy it.

import { byId } from "./dom.js";

/** Follows the keys and buttons in an element. */
export function rows(root, { copyText }) {
  root.addEventListener("keydown", (event) => {
    if (!event.target.matches("summary.row")) return;
    const shown = [...root.querySelectorAll("summary.row")].filter((row) => row.checkVisibility());
    const at = shown.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    const details = event.target.parentElement;
    if (to !== undefined) shown[Math.min(Math.max(to, 0), shown.length - 1)].focus();
    else if (event.key === "ArrowRight") details.open = true;
    else if (event.key === "ArrowLeft" && details.open) details.open = false;
    else if (event.key === "ArrowLeft") details.parentElement.closest("details")?.firstElementChild.focus();
    else return;
    event.preventDefault();
  });
  root.addEventListener("click", ({ target }) => {
    if (!target.matches(".copy")) return;
    const command = target.parentElement.querySelector("code:last-of-type");
    copyText(target, target.dataset.copies ? command.querySelector(target.dataset.copies).textContent : command.textContent);
  });
}

/** Moves the focus to the first row of the story. */
export const focusFirst = () => byId("story").querySelector("summary.row")?.focus();
