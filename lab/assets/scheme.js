// Sets the colour scheme before the first paint, for which a deferred module would be
// too late. `app.js` changes it.
const scheme = localStorage.getItem("scheme");
if (scheme === "dark" || scheme === "light") document.documentElement.dataset.scheme = scheme;
