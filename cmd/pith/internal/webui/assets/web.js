"use strict";
// Shared by the pages of pith serve: requests with the token, links in new tabs, the
// remembered choice of light or dark.
(() => {
  const root = document.documentElement;
  // pithFetch is fetch for addresses of this server, with the token of this tab.
  globalThis.pithFetch = (address, init = {}) => fetch(address, { ...init, headers: { ...init.headers, Authorization: "Bearer " + sessionStorage.getItem("token") } });
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
  Object.assign(pith.actions, { s: () => { location.href = "/"; }, u: () => { location.href = "/usage"; } });
  addEventListener("DOMContentLoaded", () => { // the comparison of branches
    const turns = pith.$(".turns, .one"), all = () => pith.$$("details.call", turns);
    if (!turns) return;
    pith.times(turns);
    pith.actions.e = () => { const open = all().some((d) => !d.open); for (const d of all()) d.open = open; };
    pith.escapes.push(() => { location.href = pith.$("h1 a").href; return true; });
    for (const b of pith.$$("[data-side]:is(button)")) b.addEventListener("click", () => {
      turns.dataset.side = b.dataset.side;
      for (const x of pith.$$("[data-side]:is(button)")) x.setAttribute("aria-pressed", x === b);
    });
  });
  // A text of a bar of a chart is next to it while the pointer or the focus is there.
  addEventListener("DOMContentLoaded", () => {
    const plot = pith.$(".plot"), tip = pith.$(".tip");
    if (!plot) return;
    for (const a of pith.$$("a", plot)) for (const on of ["mouseenter", "focus"]) a.addEventListener(on, () => {
      const [day, ...lines] = a.dataset.tip.split("\n");
      tip.replaceChildren(pith.make("b", { textContent: day }), ...lines.map((l) => pith.make("div", { textContent: l })));
      const box = a.getBoundingClientRect(), all = plot.getBoundingClientRect();
      tip.hidden = false;
      tip.style.left = Math.max(0, Math.min(box.right - all.left + 8, all.width - tip.offsetWidth)) + "px";
      tip.style.top = "8px";
    });
    for (const off of ["mouseleave", "focusout"]) plot.addEventListener(off, () => { tip.hidden = true; });
    pith.escapes.push(() => !tip.hidden && (tip.hidden = true));
  });
})();
