// Creates and changes elements. Text is set as text; only `patch.js` parses HTML.

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id);

/** An HTML element. Children are elements or strings; empty ones are skipped. */
export function el(name, attributes, ...children) {
  const element = document.createElement(name);
  set(element, attributes ?? {});
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Sets attributes that differ. `null` removes one. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
}

/** Sets the text if it differs. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes the children of `parent` one element for each item, in order. An item keeps its
    element, and therefore its focus, from one call to the next. */
export function keyed(parent, items, key, create, update) {
  const known = (parent.keyed ??= new Map());
  const wanted = new Set(items.map(key));
  for (const [id, element] of known) {
    if (wanted.has(id)) continue;
    element.remove();
    known.delete(id);
  }
  let next = parent.firstElementChild;
  for (const item of items) {
    const id = key(item);
    let element = known.get(id);
    if (!element) known.set(id, (element = create(item)));
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
    update?.(element, item);
  }
}
