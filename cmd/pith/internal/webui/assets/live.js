"use strict";
// The live page: sessions that are being written, updated while the page is visible.
(() => {
  const every = 2000, list = document.getElementById("running"), told = document.getElementById("count"), root = document.documentElement;
  const make = (tag, props = {}, ...kids) => { const el = Object.assign(document.createElement(tag), props); el.append(...kids); return el; };
  const ago = (at) => { const s = Math.max(0, Math.round((Date.now() - at) / 1000)); return s < 5 ? "now" : s < 60 ? s + " s ago" : Math.floor(s / 60) + " min ago"; };
  const row = (s) => make("li", { className: "run-row" },
    make("span", { className: "st " + s.status, title: s.status }),
    make("a", { href: "/s/" + encodeURIComponent(s.key), textContent: s.title, dir: "auto" }), make("span", { className: "word " + s.status, textContent: s.status }),
    make("span", { className: "num", textContent: s.cost || "$0" }), make("time", { className: "num", textContent: ago(s.written), title: pith.moment(s.written) }),
    make("span", { className: "line", textContent: s.line || "no messages", dir: "auto" }), make("span", { className: "dim", textContent: `${s.waits ? `waits for ${s.waits} · ` : ""}${s.project} · ${s.model.split("/").pop()}` }));
  let timer, was = "";
  const renew = async () => {
    clearTimeout(timer);
    try {
      const answer = await pithFetch("/live.json");
      if (!answer.ok) throw new Error(answer.status);
      const sessions = await answer.json(), rows = sessions.map(row), now = rows.map((r) => r.outerHTML).join("");
      if (now !== was && !list.contains(document.activeElement)) list.replaceChildren(...rows);
      else if (now !== was) rows.forEach((r, n) => { // keeps the focus on a link
        const old = list.children[n];
        if (old?.querySelector("a").href === r.querySelector("a").href) for (const name of [".line", ".num", "time", ".word", ".dim"]) old.querySelector(name).textContent = r.querySelector(name).textContent;
      });
      was = now;
      told.textContent = sessions.length === 0 ? "No session was written in the last 10 minutes." : sessions.length === 1 ? "1 session written in the last 10 minutes" : `${sessions.length} sessions written in the last 10 minutes`;
      root.dataset.ready = "1";
    } catch { told.textContent = "The server does not answer. Is pith serve still running?"; was = ""; }
    if (!document.hidden) timer = setTimeout(renew, every);
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) renew(); });
  renew();
})();
