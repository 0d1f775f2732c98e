// Before the first paint, for which a deferred module would be too late: sets the colour
// scheme, which `app.js` changes, and says that there are scripts.
const scheme = localStorage.getItem("scheme");
if (scheme === "dark" || scheme === "light") document.documentElement.dataset.scheme = scheme;
document.documentElement.classList.add("scripted");
