"use strict";
// The live page: sessions that are being written, updated while the page is visible. A
// row keeps its place while its session runs; new ones come first.
(() => {
  const every = 2000, list = document.getElementById("running"), told = document.getElementById("count"), root = document.documentElement;
  const make = (tag, props = {}, ...kids) => { const el = Object.assign(document.createElement(tag), props); el.append(...kids); return el; };
  const ago = (at) => { const s = Math.max(0, Math.round((Date.now() - at) / 1000)); return s < 5 ? "now" : s < 60 ? s + " s ago" : Math.floor(s / 60) + " min ago"; };
  // put changes a text only if it differs, and keeps its node: drawing costs more than comparing.
  const put = (el, text) => { if (el.firstChild?.data !== text) { if (el.firstChild) el.firstChild.data = text; else el.textContent = text; } };
  const row = (s) => make("li", { className: "run-row" },
    make("span", { className: "st" }), make("a", { href: "/s/" + encodeURIComponent(s.key), dir: "auto" }), make("span", { className: "word" }),
    make("span", { className: "num" }), make("time", { className: "num" }), make("span", { className: "line", dir: "auto" }), make("span", { className: "dim" }));
  const fill = (el, s) => {
    const [st, title, word, cost, time, line, rest] = el.children;
    if (el.dataset.status !== s.status) {
      el.dataset.status = s.status;
      Object.assign(st, { className: "st " + s.status, title: s.status });
      word.className = "word " + s.status;
      put(word, s.status);
    }
    put(title, s.title);
    put(cost, s.cost || "$0");
    put(time, ago(s.written));
    const moment = pith.moment(s.written);
    if (time.title !== moment) time.title = moment;
    put(line, s.line || "no messages");
    put(rest, `${s.waits ? `waits for ${s.waits} · ` : ""}${s.project} · ${s.model.split("/").pop()}`);
  };
  let timer;
  const rows = new Map();
  const show = (sessions) => {
    const running = new Set(sessions.map((s) => s.key)), fresh = [];
    for (const [key, el] of rows) {
      if (running.has(key) || el.contains(document.activeElement)) continue; // a link keeps the focus
      el.remove();
      rows.delete(key);
    }
    for (const s of sessions) {
      if (!rows.has(s.key)) { rows.set(s.key, row(s)); fresh.push(rows.get(s.key)); }
      fill(rows.get(s.key), s);
    }
    list.prepend(...fresh);
  };
  const renew = async () => {
    clearTimeout(timer);
    try {
      const answer = await pithFetch("/live.json");
      if (!answer.ok) throw new Error(answer.status);
      const sessions = await answer.json();
      show(sessions);
      put(told, sessions.length === 0 ? "No session was written in the last 10 minutes." : sessions.length === 1 ? "1 session written in the last 10 minutes" : `${sessions.length} sessions written in the last 10 minutes`);
      root.dataset.ready = "1";
    } catch { put(told, "The server does not answer. Is pith serve still running?"); }
    if (!document.hidden) timer = setTimeout(renew, every);
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) renew(); });
  renew();
})();
