// The possible answers to a question: choices, or a number.

import { byId, el } from "./dom.js";

/** The letter of a choice, as the server writes an answer: the first choice is a. */
const letter = (index) => String.fromCharCode(97 + index);

/** Offers the answers to a scenario's question. Returns a function that reads the given
    answer: its `value`, as the server writes an answer, and its `text`; null while there
    is none. */
export function offer({ choices = [], number_of: of }) {
  byId("guess-answers").replaceChildren(...(of
    ? [el("label", null, el("input", { name: "guess", type: "number", min: 0, step: 1 }), ` ${of}`)]
    : choices.map((text, index) =>
      el("label", null, el("input", { type: "radio", name: "guess", value: letter(index) }), ` ${text}`))));
  return () => {
    const value = byId("guess").querySelector(of ? "input" : ":checked")?.value.trim();
    if (!value) return null;
    const choice = choices.find((_, index) => letter(index) === value);
    return choice ? { value, text: choice } : { value: String(Number(value)), text: `${Number(value)} ${of}` };
  };
}
