// The possible answers to a question: choices, or a number.

import { byId, el } from "./dom.js";

/** The letter of a choice, as the server writes an answer: the first choice is a. */
const letter = (index) => String.fromCharCode(97 + index);

/** Offers the answers to a scenario's question. Returns a function that reads the given answer
    as the server writes one; null while there is none. */
export function offer({ choices = [], number_of: of }) {
  byId("guess-answers").replaceChildren(...(of
    ? [el("label", null, el("input", { name: "guess", type: "number", min: 0, step: 1 }), ` ${of}`)]
    : choices.map((text, index) =>
      el("label", null, el("input", { type: "radio", name: "guess", value: letter(index) }), ` ${text}`))));
  return () => byId("guess").querySelector(of ? "input" : ":checked")?.value.trim() || null;
}
