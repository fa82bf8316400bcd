"use strict";
// The list of sessions: filters and search as one types, drawn for what is in view.
(() => {
  const $ = (id) => document.getElementById(id);
  const make = (tag, props = {}, ...kids) => { const el = Object.assign(document.createElement(tag), props); el.append(...kids); return el; };
  const height = 52, box = $("list"), pad = make("div", { className: "pad" });
  box.append(pad);
  let all = null, rows = [], hits = null, sel = 0, turn = 0;
  const ago = (ms) => {
    const s = Math.max(0, (Date.now() - ms) / 1000);
    for (const [n, u] of [[86400 * 365, "y"], [86400 * 30, "mo"], [86400, "d"], [3600, "h"], [60, "m"]]) if (s >= n) return Math.floor(s / n) + u;
    return "now";
  };
  const draw = () => {
    const from = Math.max(0, Math.floor(box.scrollTop / height) - 4), to = Math.min(rows.length, from + Math.ceil(box.clientHeight / height) + 8);
    pad.style.height = rows.length * height + "px";
    pad.replaceChildren(...rows.slice(from, to).map((i, k) => {
      const hit = hits?.get(all.id[i]);
      const el = make("a", { className: "list-row" + (from + k === sel ? " sel" : ""), href: "/s/" + encodeURIComponent(all.id[i]) + (hit?.entry ? "#e-" + encodeURIComponent(hit.entry) : "") });
      el.style.top = (from + k) * height + "px";
      el.setAttribute("role", "option");
      el.setAttribute("aria-selected", from + k === sel);
      const status = make("span", { className: "st " + all.status[i], title: all.status[i] });
      status.setAttribute("role", "img"); status.setAttribute("aria-label", all.status[i] || "unknown");
      el.append(status, make("span", { className: "name", textContent: all.title[i], dir: "auto" }),
        make("span", { className: "num opt", textContent: all.model[i].split("/").pop() }), make("span", { className: "num opt", textContent: all.cost[i] }), make("span", { className: "num", textContent: ago(all.modified[i]) }));
      el.append(hit ? make("span", { className: "hit", dir: "auto" }, hit.before, make("mark", { textContent: hit.match }), hit.after)
        : make("span", { className: "dim", textContent: `${all.project[i]} · ${all.messages[i]} messages` }));
      return el;
    }));
    $("count").textContent = rows.length.toLocaleString("en") + " sessions";
    document.documentElement.dataset.rows = rows.length;
  };
  const filter = () => {
    if (!all) return;
    const project = $("project").value, status = $("status").value, model = $("model").value;
    rows = [];
    for (let i = 0; i < all.id.length; i++)
      if ((!project || all.project[i] === project) && (!status || all.status[i] === status) && (!model || all.model[i] === model) && (!hits || hits.has(all.id[i]))) rows.push(i);
    sel = 0; box.scrollTop = 0; draw();
  };
  const search = async () => {
    const q = $("q").value.trim(), mine = ++turn;
    if (!q) { hits = null; document.documentElement.dataset.asked = ""; return filter(); }
    const answer = await (await fetch("/search.json?q=" + encodeURIComponent(q))).json();
    if (mine !== turn) return;
    hits = new Map();
    for (const h of answer.hits) if (!hits.has(h.session)) hits.set(h.session, h);
    const low = q.toLowerCase(); // titles and projects count too
    all.title.forEach((t, i) => { if (!hits.has(all.id[i]) && (t + " " + all.project[i]).toLowerCase().includes(low)) hits.set(all.id[i], { before: t, match: "", after: "" }); });
    document.documentElement.dataset.asked = q;
    filter();
  };
  const options = (id, values) => $(id).append(...[...new Set(values)].filter(Boolean).sort().map((v) => make("option", { value: v, textContent: v })));
  const start = async () => {
    all = await (await fetch("/sessions.json")).json();
    for (const k of ["title", "project", "status", "model", "cost", "messages", "modified"]) all[k] ||= [];
    options("project", all.project); options("status", all.status); options("model", all.model);
    filter();
    document.documentElement.dataset.ready = "1";
  };
  let timer;
  $("q").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 120); });
  for (const id of ["project", "status", "model"]) $(id).addEventListener("change", filter);
  box.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(() => all && draw()).observe(box);
  $("theme").addEventListener("click", () => {
    const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
  });
  addEventListener("keydown", (e) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[e.key];
    if (step && !e.target.matches("select")) {
      sel = Math.max(0, Math.min(rows.length - 1, sel + step));
      if (sel * height < box.scrollTop) box.scrollTop = sel * height;
      if ((sel + 1) * height > box.scrollTop + box.clientHeight) box.scrollTop = (sel + 1) * height - box.clientHeight;
      draw(); e.preventDefault();
    } else if (e.key === "Enter" && rows[sel] !== undefined && !e.target.matches("select,a")) {
      pad.querySelector(".sel")?.click();
    } else if (e.key === "/" && e.target !== $("q")) { $("q").focus(); e.preventDefault(); }
    else if (e.key === "Escape") { $("q").value = ""; search(); }
  });
  start();
})();
