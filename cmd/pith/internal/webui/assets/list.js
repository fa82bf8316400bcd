"use strict";
// The list of sessions: filters and search as one types, drawn for what is in view.
// What is chosen stands in the address, so that going back finds it again.
(() => {
  const $ = (id) => document.getElementById(id);
  const make = (tag, props = {}, ...kids) => { const el = Object.assign(document.createElement(tag), props); el.append(...kids); return el; };
  const root = document.documentElement, box = $("list"), pad = make("div", { className: "pad" });
  const high = 52, low = 34; // of a session, and of a project's name
  box.append(pad);
  const chosen = ["project", "date", "status", "model", "tag"];
  let all = null, rows = [], tops = [0], hits = null, sel = 0, turn = 0, note = "";
  const count = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
  const ago = (ms) => {
    const s = Math.max(0, (Date.now() - ms) / 1000);
    for (const [n, u] of [[86400 * 365, "y"], [86400 * 30, "mo"], [86400, "d"], [3600, "h"], [60, "m"]]) if (s >= n) return Math.floor(s / n) + u;
    return "now";
  };
  const height = () => tops[rows.length];
  const at = (y) => { // the row at a height
    let lo = 0, hi = rows.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (tops[mid + 1] <= y) lo = mid + 1; else hi = mid; }
    return lo;
  };
  const session = (i, n) => {
    const hit = hits?.get(all.key[i]);
    const el = make("a", { className: "list-row" + (n === sel ? " sel" : ""), id: "row" + n, tabIndex: -1, href: "/s/" + encodeURIComponent(all.key[i]) + (hit?.entry ? "#e-" + encodeURIComponent(hit.entry) : "") });
    el.setAttribute("role", "option");
    el.setAttribute("aria-selected", n === sel);
    const name = make("span", { className: "name" }, make("span", { className: "t", textContent: all.title[i], dir: "auto" }));
    if (all.status[i] !== "complete") name.append(make("span", { className: "word " + all.status[i], textContent: all.status[i] }));
    for (const tag of all.tags[i]) name.append(make("span", { className: "tag", textContent: tag }));
    el.append(make("span", { className: "st " + all.status[i], title: all.status[i] }), name,
      make("span", { className: "num opt", textContent: all.model[i].split("/").pop() }), make("span", { className: "num opt", textContent: all.cost[i] }),
      make("time", { className: "num", textContent: ago(all.modified[i]), title: new Date(all.modified[i]).toLocaleString() }));
    const forks = all.branches[i] > 1 ? ` · ${count(all.branches[i], "branche").replace(/e$/, "")}` : "";
    el.append(hit?.entry || hit?.match ? make("span", { className: "hit", dir: "auto" }, make("span", { className: "role", textContent: hit.role + (hit.places > 1 ? ` · ${hit.places} places` : "") + ": " }), hit.before, make("mark", { textContent: hit.match }), hit.after)
      : make("span", { className: "dim", textContent: `${count(all.messages[i], "message")}${forks} · ${all.project[i]}` }));
    return el;
  };
  const draw = () => {
    const from = Math.max(0, at(box.scrollTop) - 4), to = Math.min(rows.length, at(box.scrollTop + box.clientHeight) + 5);
    pad.style.height = height() + "px";
    const out = [];
    for (let n = from; n < to; n++) {
      const el = rows[n] >= 0 ? session(rows[n], n) : make("div", { className: "group", role: "presentation", textContent: rows[n].name + " · " + count(rows[n].count, "session") });
      el.style.top = tops[n] + "px";
      out.push(el);
    }
    pad.replaceChildren(...out);
    if (pad.querySelector(".sel")) box.setAttribute("aria-activedescendant", "row" + sel); else box.removeAttribute("aria-activedescendant");
  };
  const filter = (keep) => {
    if (!all) return;
    const want = Object.fromEntries(chosen.map((id) => [id, $(id).value]));
    const since = want.date && (want.date === "1" ? new Date().setHours(0, 0, 0, 0) : Date.now() - want.date * 864e5);
    const found = [];
    for (let i = 0; i < all.key.length; i++) {
      if (want.project && all.project[i] !== want.project || want.status && all.status[i] !== want.status || want.model && all.model[i] !== want.model) continue;
      if (since && all.modified[i] < since || hits && !hits.has(all.key[i])) continue;
      if (want.tag ? !all.tags[i].includes(want.tag) : !hits && all.tags[i].includes("archived")) continue;
      found.push(i);
    }
    rows = found;
    if ($("group").getAttribute("aria-pressed") === "true") {
      const groups = new Map();
      for (const i of found) { if (!groups.has(all.project[i])) groups.set(all.project[i], []); groups.get(all.project[i]).push(i); }
      rows = [...groups].flatMap(([name, list]) => [{ name: name || "no project", count: list.length }, ...list]);
    }
    tops = [0];
    for (let n = 0; n < rows.length; n++) tops.push(tops[n] + (rows[n] >= 0 ? high : low));
    if (!keep) { sel = rows[0] >= 0 ? 0 : 1; box.scrollTop = 0; }
    sel = Math.min(sel, Math.max(0, rows.length - 1));
    draw();
    const limited = found.length !== all.key.length;
    $("count").textContent = note || (limited ? `${found.length.toLocaleString("en")} of ${count(all.key.length, "session")}` : count(found.length, "session"));
    $("reset").hidden = !limited && !$("q").value;
    root.dataset.rows = found.length;
    const q = new URLSearchParams();
    for (const id of ["q", ...chosen]) if ($(id).value) q.set(id, $(id).value);
    if ($("group").getAttribute("aria-pressed") === "true") q.set("group", "1");
    history.replaceState(null, "", q.size ? "/?" + q : "/");
  };
  let asking = null, later;
  const search = async (everything) => {
    const q = $("q").value.trim(), mine = ++turn;
    asking?.abort(); // a search that nobody waits for ends
    asking = new AbortController();
    clearTimeout(later);
    note = "";
    if (!q || !all) { hits = null; root.dataset.asked = ""; return filter(everything === "again"); }
    root.dataset.busy = "1";
    const answer = await pithFetch("/search.json?q=" + encodeURIComponent(q) + (everything === true ? "&all=1" : ""), { signal: asking.signal }).then((a) => a.json(), () => null);
    if (mine !== turn || !answer) return;
    delete root.dataset.busy;
    if (answer.error) { note = answer.error; return filter(); }
    hits = new Map();
    for (const h of answer.hits) hits.set(h.session, h);
    const places = answer.places, sessions = hits.size, low = q.toLowerCase(); // titles and projects count too
    all.title.forEach((t, i) => { if (!hits.has(all.key[i]) && (t + " " + all.project[i]).toLowerCase().includes(low)) hits.set(all.key[i], {}); });
    note = `${answer.more ? "more than " : ""}${count(places, "place")} in ${count(sessions, "session")}${answer.more ? " …" : ""}`;
    filter(everything === true || everything === "again");
    root.dataset.asked = q;
    if (answer.more && everything !== true) later = setTimeout(() => search(true), 400); // the first places are there at once, the others follow
    else if (answer.unindexed > 0) learn();
  };
  // learn goes on with the index of words while nobody types.
  let learning = false;
  const learn = async () => {
    if (learning) return;
    learning = true;
    try { while (!document.hidden && (await (await pithFetch("/learn.json")).json()).more); } catch { /* searches work without */ }
    learning = false;
  };
  const options = (id, values) => {
    const was = $(id).value || new URLSearchParams(location.search).get(id) || "", here = new Set([...$(id).options].map((o) => o.value));
    $(id).append(...[...new Set(values)].filter((v) => v && !here.has(v)).sort().map((v) => make("option", { value: v, textContent: v })));
    $(id).value = was;
    if ($(id).selectedIndex < 0) $(id).value = "";
  };
  const take = (list) => {
    if (all?.demo && !list.demo) location.reload(); // without the filters of the demo
    all = list;
    $("demo").hidden = !list.demo;
    for (const k of ["title", "project", "status", "model", "cost", "messages", "branches", "modified", "tags"]) all[k] ||= [];
    options("project", all.project); options("status", all.status); options("model", all.model); options("tag", all.tags.flat());
  };
  // renew asks whether the list changed since.
  const renew = async () => {
    const answer = await pithFetch("/sessions.json?have=" + all.version);
    if (answer.status === 200) { take(await answer.json()); await search("again"); }
    root.dataset.fresh = "1";
  };
  const start = async () => {
    const was = new URLSearchParams(location.search);
    $("q").value = was.get("q") || "";
    for (const id of ["date", "tag"]) $(id).value = was.get(id) || "";
    $("group").setAttribute("aria-pressed", was.get("group") === "1");
    take(await (await pithFetch("/sessions.json")).json());
    await search();
    root.dataset.ready = "1";
    await renew();
  };
  let timer;
  $("q").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 120); });
  for (const id of chosen) $(id).addEventListener("change", () => filter());
  const group = () => { $("group").setAttribute("aria-pressed", $("group").getAttribute("aria-pressed") !== "true"); filter(); };
  const reset = () => { for (const id of ["q", ...chosen]) $(id).value = ""; search(); };
  $("group").addEventListener("click", group);
  $("reset").addEventListener("click", () => { reset(); $("q").focus(); });
  box.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(() => all && draw()).observe(box);
  document.addEventListener("visibilitychange", () => { if (!document.hidden && all) renew(); });
  const move = (step) => {
    let to = Math.max(0, Math.min(rows.length - 1, sel + step));
    if (!(rows[to] >= 0)) to = to + 1 < rows.length && (step > 0 || to === 0) ? to + 1 : to - 1;
    if (!(rows[to] >= 0)) return;
    sel = to;
    if (tops[sel] < box.scrollTop) box.scrollTop = tops[sel];
    if (tops[sel + 1] > box.scrollTop + box.clientHeight) box.scrollTop = tops[sel + 1] - box.clientHeight;
    draw();
  };
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches("select,button,dialog *")) return;
    const typing = e.target === $("q"), step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, ...(typing ? {} : { j: 1, k: -1, Home: -1e9, End: 1e9 }) }[e.key];
    if (step) { move(step); e.preventDefault(); }
    else if (e.key === "Enter" && rows[sel] >= 0 && !e.target.matches("a")) { draw(); pad.querySelector(".sel")?.click(); }
    else if (e.key === "Escape") reset();
    else if (!typing && e.key === "/") { $("q").focus(); e.preventDefault(); }
    else if (!typing && e.key === "g") group();
  });
  start().catch((err) => { root.dataset.failed = String(err); $("count").textContent = "The list could not be read; is pith serve still running?"; });
})();
