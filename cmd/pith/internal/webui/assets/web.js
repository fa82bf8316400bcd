"use strict";
// Shared by the pages of pith serve: requests with the token, links in new tabs, the
// remembered choice of light or dark, keys.
(() => {
  const root = document.documentElement;
  // pithFetch is fetch for addresses of this server, with the token of this tab.
  globalThis.pithFetch = (address, init = {}) => fetch(address, { ...init, headers: { ...init.headers, Authorization: "Bearer " + sessionStorage.getItem("token") } });
  // pithMatch returns the address of a session, or of its first or last match for a query.
  globalThis.pithMatch = (key, hit, query, to = hit?.entry && "e-" + hit.entry) => "/s/" + encodeURIComponent(key) + (to ? "?q=" + encodeURIComponent(query) + "#" + encodeURIComponent(to) : "");
  // A new tab gets the token of the tab that opens it only if a script opens it.
  const inNewTab = (e) => {
    const link = e.target.closest?.("a[href]");
    if (e.defaultPrevented || link?.origin !== location.origin || !(e.button === 1 || e.button === 0 && (e.ctrlKey || e.metaKey || e.shiftKey))) return;
    e.preventDefault();
    open(link.href, "_blank");
  };
  addEventListener("click", inNewTab);
  addEventListener("auxclick", inNewTab);
  try {
    const was = localStorage.getItem("theme");
    if (was === "light" || was === "dark") root.dataset.theme = was;
    new MutationObserver(() => localStorage.setItem("theme", root.dataset.theme || "")).observe(root, { attributeFilter: ["data-theme"] });
  } catch { /* a browser without storage */ }
  addEventListener("DOMContentLoaded", () => {
    root.classList.add("js");
    const $ = (sel) => document.querySelector(sel), session = $("#conversation");
    addEventListener("keydown", (e) => {
      if (e.target.matches("input,textarea,select") || e.ctrlKey || e.metaKey || e.altKey || pith.modal()) return;
      const to = { s: "/", u: "/usage" }[e.key];
      if (to) location.href = to;
      else if (session) return; // its page has the other keys
      else if (e.key === "d") pith.theme();
      else if (e.key === "?") pith.help();
    });
    if (session) return;
    pith.bind();
    for (const cell of document.querySelectorAll(".cell")) {
      const calls = new Map([...cell.querySelectorAll("details.call[data-call]")].map((c) => [c.dataset.call, c]));
      for (const res of cell.querySelectorAll("details.result[data-for]")) {
        const call = calls.get(res.dataset.for);
        if (call) pith.attach(call, res);
      }
    }
  });
})();
