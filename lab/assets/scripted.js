// Before the first paint, for which a deferred module would be too late: says that there are
// scripts.
document.documentElement.classList.add("scripted");
