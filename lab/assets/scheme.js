// Sets the colour scheme before anything is painted, which a module, being
// deferred, could not. `app.js` changes it.
const scheme = localStorage.getItem("scheme");
if (scheme === "dark" || scheme === "light") document.documentElement.dataset.scheme = scheme;
