"use strict";
// Shared by the pages of pith serve: requests with the token, links in new tabs, the
// remembered choice of light or dark, copy buttons, keys.
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
      const to = { s: "/", l: "/live", i: "/inbox", w: "/digest", u: "/usage", x: "/doctor" }[e.key];
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
    addEventListener("click", async (e) => {
      const button = e.target.closest?.("[data-copy]");
      if (!button) return;
      try { await navigator.clipboard.writeText(button.dataset.copy); button.textContent = "copied"; } catch { prompt("Copy this:", button.dataset.copy); }
      setTimeout(() => { button.textContent = "copy"; }, 1200);
    });
    const save = (blob, name) => {
      const link = document.createElement("a"), at = URL.createObjectURL(blob);
      link.href = at;
      link.download = name;
      link.click();
      URL.revokeObjectURL(at);
    };
    $("[data-save]")?.addEventListener("click", (e) => save(new Blob([$("#patch").textContent], { type: "text/plain" }), e.target.dataset.save));
    $("[data-download]")?.addEventListener("click", async (e) => {
      const button = e.target, said = $("#downloaded");
      button.disabled = true;
      said.textContent = "writing…";
      try {
        const answer = await pithFetch(button.dataset.download);
        if (!answer.ok) throw new Error(answer.status);
        save(await answer.blob(), button.dataset.name);
        said.textContent = "downloaded";
      } catch { said.textContent = "Cannot write the export."; }
      button.disabled = false;
    });
  });
})();
