"use strict";
// What all pages share: requests with the token, links in new tabs, light or dark, which
// is remembered, copy buttons, keys.
(() => {
  const root = document.documentElement;
  // pithFetch is fetch for addresses of this server, with the token of this tab.
  globalThis.pithFetch = (address, init = {}) => fetch(address, { ...init, headers: { Authorization: "Bearer " + sessionStorage.getItem("token") } });
  // A new tab gets the token of the one that opens it, unless the browser opens it by
  // itself: so the page does.
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
  } catch { /* a browser that keeps nothing */ }
  addEventListener("DOMContentLoaded", () => {
    root.classList.add("js");
    if (document.querySelector("#conversation")) return; // the page of a session has keys of its own
    const $ = (sel) => document.querySelector(sel);
    const theme = () => {
      const dark = matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
    };
    for (const cell of document.querySelectorAll(".cell")) { // results of tools stand at their calls
      const calls = new Map([...cell.querySelectorAll("details.call[data-call]")].map((c) => [c.dataset.call, c]));
      for (const res of cell.querySelectorAll("details.result[data-for]")) {
        const call = calls.get(res.dataset.for), turn = res.closest(".turn");
        if (!call) continue;
        call.querySelector(".r").replaceWith(res.querySelector(".r"));
        res.open = true;
        call.append(res);
        turn.hidden = true;
      }
    }
    const help = () => $("#help")?.showModal();
    $("#theme")?.addEventListener("click", theme);
    $("#keys")?.addEventListener("click", help);
    $("#help button")?.addEventListener("click", () => $("#help").close());
    addEventListener("click", async (e) => {
      const button = e.target.closest?.("[data-copy]");
      if (!button) return;
      try { await navigator.clipboard.writeText(button.dataset.copy); button.textContent = "copied"; } catch { prompt("copy this", button.dataset.copy); }
      setTimeout(() => { button.textContent = "copy"; }, 1200);
    });
    $("[data-save]")?.addEventListener("click", (e) => {
      const link = document.createElement("a"), at = URL.createObjectURL(new Blob([$("#patch").textContent], { type: "text/plain" }));
      link.href = at;
      link.download = e.target.dataset.save;
      link.click();
      URL.revokeObjectURL(at);
    });
    addEventListener("keydown", (e) => {
      if (e.target.matches("input,textarea,select") || e.ctrlKey || e.metaKey || e.altKey) return;
      const to = { s: "/", u: "/usage", x: "/doctor" }[e.key];
      if (to) location.href = to;
      else if (e.key === "d") theme();
      else if (e.key === "?") help();
    });
  });
})();
