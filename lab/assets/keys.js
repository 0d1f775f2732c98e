// The keys: each acts on the element of the page that names it.

/** Whether single keys are enabled. The choice is stored, because they disturb some users of
    speech input. */
const KEPT = "keys";

const keys = document.getElementById("keys");
const on = document.getElementById("keys-on");
on.checked = localStorage.getItem(KEPT) !== "off";
on.addEventListener("change", () => localStorage.setItem(KEPT, on.checked ? "on" : "off"));

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const types = target.matches("input:not([type=radio], [type=checkbox], [type=range]), textarea, select");
  const chooses = key.startsWith("Arrow") && target.matches("input");
  // In a presentation a guess is not in the way: up and down choose, left and right go on, and
  // these are no part of a number.
  const free = ["ArrowLeft", "ArrowRight", ...(target.matches("[type=number]") ? ["f", "p", "?"] : [])];
  const steps = document.body.matches(".present") && free.includes(key);
  if (event.ctrlKey || event.metaKey || event.altKey || ((types || chooses) && !steps) || !on.checked || keys.matches(":popover-open")) return;
  const named = [...document.querySelectorAll("[aria-keyshortcuts]")];
  const element = named.find((element) => element.ariaKeyShortcuts.split(" ").includes(key) && element.checkVisibility());
  if (!element) return;
  event.preventDefault();
  if (element.matches("a, button, input")) element.click();
  else (element.querySelector("summary, a") ?? element).focus();
});
