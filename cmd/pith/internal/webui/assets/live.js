"use strict";
// The live page: sessions that are being written, updated while the page is visible.
(() => {
  const every = 2000, list = document.getElementById("running"), told = document.getElementById("count"), root = document.documentElement;
  const make = (tag, props = {}, ...kids) => { const el = Object.assign(document.createElement(tag), props); el.append(...kids); return el; };
  const ago = (at) => { const s = Math.max(0, Math.round((Date.now() - at) / 1000)); return s < 5 ? "now" : s < 60 ? s + " s ago" : Math.floor(s / 60) + " min ago"; };
  const row = (s) => make("li", { className: "run-row" },
    make("span", { className: "st" }), make("a", { href: "/s/" + encodeURIComponent(s.key), dir: "auto" }), make("span", { className: "word" }),
    make("span", { className: "num" }), make("time", { className: "num" }), make("span", { className: "line", dir: "auto" }), make("span", { className: "dim" }));
  // fill changes only what differs: drawing costs more than comparing.
  const fill = (el, s) => {
    const set = (name, text) => { const part = el.querySelector(name); if (part.textContent !== text) part.textContent = text; return part; };
    if (el.dataset.status !== s.status) {
      el.dataset.status = s.status;
      Object.assign(el.querySelector(".st"), { className: "st " + s.status, title: s.status });
      set(".word", s.status).className = "word " + s.status;
    }
    set("a", s.title);
    set(".num", s.cost || "$0");
    set(".line", s.line || "no messages");
    set(".dim", `${s.waits ? `waits for ${s.waits} · ` : ""}${s.project} · ${s.model.split("/").pop()}`);
    const time = set("time", ago(s.written)), moment = pith.moment(s.written);
    if (time.title !== moment) time.title = moment;
    return el;
  };
  let timer, rows = new Map();
  const renew = async () => {
    clearTimeout(timer);
    try {
      const answer = await pithFetch("/live.json");
      if (!answer.ok) throw new Error(answer.status);
      const sessions = await answer.json();
      rows = new Map(sessions.map((s) => [s.key, fill(rows.get(s.key) ?? row(s), s)]));
      const shown = [...rows.values()];
      const moved = shown.length !== list.children.length || shown.some((el, n) => el !== list.children[n]);
      if (moved && !list.contains(document.activeElement)) list.replaceChildren(...shown); // a link keeps the focus
      told.textContent = sessions.length === 0 ? "No session was written in the last 10 minutes." : sessions.length === 1 ? "1 session written in the last 10 minutes" : `${sessions.length} sessions written in the last 10 minutes`;
      root.dataset.ready = "1";
    } catch { told.textContent = "The server does not answer. Is pith serve still running?"; }
    if (!document.hidden) timer = setTimeout(renew, every);
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) renew(); });
  renew();
})();
