// Brings a page in line with HTML of the server. Its templates escape all text, so text from
// the wire cannot become markup. What has not changed stays: elements keep the focus, the
// selection and the scroll position of their reader.

/** The attributes that belong to the reader. */
const READERS = ["open", "tabindex"];

/** Brings an element in line with another one. */
export function patchOne(element, wanted) {
  update(element, wanted);
}

/** Reads HTML of the server. */
export const parse = (html) => new DOMParser().parseFromString(html, "text/html");

function children(element, wanted) {
  // What is gone makes room first: an element that moves loses the focus.
  const kept = new Set([...wanted.children].map(({ id }) => id));
  for (const child of [...element.children]) {
    if (child.id && !kept.has(child.id)) child.remove();
  }
  let at = element.firstChild;
  for (const next of [...wanted.childNodes]) {
    const known = next.id ? [...element.children].find(({ id }) => id === next.id) : isAlike(at, next) && at;
    if (!known) {
      element.insertBefore(next, at);
      continue;
    }
    if (known === at) at = at.nextSibling;
    else element.insertBefore(known, at);
    update(known, next);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Whether an element without an id can become another one. */
const isAlike = (node, next) => node && node.nodeName === next.nodeName && !node.id;

function update(node, next) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (node.data !== next.data) node.data = next.data;
    return;
  }
  for (const { name } of [...node.attributes]) {
    if (!next.hasAttribute(name) && !READERS.includes(name)) node.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (node.getAttribute(name) !== value && !READERS.includes(name)) node.setAttribute(name, value);
  }
  children(node, next);
}
