// Copies the command before a button.

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button.copy");
  if (!button) return;
  await navigator.clipboard.writeText(button.previousElementSibling.textContent);
  const usual = (button.dataset.usual ??= button.textContent);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = usual; }, 1500);
});
