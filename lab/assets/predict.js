// The possible answers to a question: choices, or a number.

import { get } from "./api.js";
import { byId, el, say } from "./dom.js";

/** The letter of a choice, as the server writes an answer: the first choice is a. */
const letter = (index) => String.fromCharCode(97 + index);

/** Offers the answers to a scenario's question, below its premises. Returns a function that reads the given
    answer as the server writes one; null while there is none. */
export function offer({ name, choices = [], number_of: of }) {
  say(byId("premises"), "");
  // Without an answer the question stands without its premises.
  get(`/api/scenarios/${name}/premises`).then((terms) => say(byId("premises"), `(${terms.join(", ")})`), () => {});
  byId("guess-answers").replaceChildren(...(of
    ? [el("label", null, el("input", { name: "guess", type: "number", min: 0, step: 1 }), ` ${of}`)]
    : choices.map((text, index) =>
      el("label", null, el("input", { type: "radio", name: "guess", value: letter(index) }), ` ${text}`))));
  return () => byId("guess").querySelector(of ? "input" : ":checked")?.value.trim() || null;
}
