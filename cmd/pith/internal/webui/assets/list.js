"use strict";
// The list of sessions: filters, and search as one types. Only the rows in view are in
// the page. The address has the query and the filters, and the history entry has the
// position, so that Back restores all of them.
(() => {
  const $ = (id) => document.getElementById(id);
  const make = (tag, props = {}, ...kids) => { const el = Object.assign(document.createElement(tag), props); el.append(...kids); return el; };
  const root = document.documentElement, box = $("list"), pad = make("div", { className: "pad" });
  const high = 52, low = 34; // heights of a session and of a project's name
  box.append(pad);
  const chosen = ["project", "date", "status", "model", "tag", "sort"];
  let all = null, rows = [], tops = [0], hits = null, sel = 0, turn = 0, note = "", picked = "";
  const count = (n, what) => `${n.toLocaleString("en")} ${n === 1 ? what : what.replace(/ch$/, "che") + "s"}`;
  const ago = (ms) => {
    const s = Math.max(0, (Date.now() - ms) / 1000);
    for (const [n, u] of [[86400 * 365, "y"], [86400 * 30, "mo"], [86400, "d"], [3600, "h"], [60, "m"]]) if (s >= n) return Math.floor(s / n) + u;
    return "now";
  };
  const height = () => tops[rows.length];
  const keyAt = (n) => rows[n] >= 0 ? all.key[rows[n]] : "";
  const at = (y) => { // the row at a height
    let lo = 0, hi = rows.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (tops[mid + 1] <= y) lo = mid + 1; else hi = mid; }
    return lo;
  };
  const session = (i, n) => {
    const key = all.key[i], hit = hits?.get(key);
    const el = make("a", { className: "list-row" + (n === sel ? " sel" : ""), id: "row" + n, tabIndex: -1, href: picked && picked !== key ? `/s/${encodeURIComponent(picked)}/compare?with=${encodeURIComponent(key)}` : pithMatch(key, hit, $("q").value.trim()) });
    el.dataset.row = n;
    el.setAttribute("role", "option");
    el.setAttribute("aria-selected", n === sel);
    const name = make("span", { className: "name" }, make("span", { className: "t", textContent: all.title[i], dir: "auto" }));
    if (all.status[i] !== "complete") name.append(make("span", { className: "word " + all.status[i], textContent: all.status[i] }));
    if (key === picked) name.append(make("span", { className: "tag", textContent: "compare" }));
    for (const tag of all.tags[i]) name.append(make("span", { className: "tag", textContent: tag }));
    el.append(make("span", { className: "st " + all.status[i], title: all.status[i] }), name,
      make("span", { className: "num opt", textContent: all.model[i].split("/").pop() }), make("span", { className: "num opt", textContent: all.cost[i] }),
      make("time", { className: "num", textContent: ago(all.modified[i]), title: pith.moment(all.modified[i]) }));
    const forks = all.branches[i] > 1 ? ` · ${count(all.branches[i], "branch")}` : "";
    el.append(hit?.entry || hit?.match ? make("span", { className: "hit", dir: "auto" }, make("span", { className: "role", textContent: hit.role + (hit.places > 1 ? ` · ${count(hit.places, "match")}` : "") + ": " }), hit.before, make("mark", { textContent: hit.match }), hit.after)
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
  const filter = (keep, was = keyAt(sel)) => {
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
    const sort = { cost: all.micros, size: all.size, messages: all.messages }[want.sort];
    if (sort) found.sort((a, b) => sort[b] - sort[a]);
    else if (!hits) found.sort((a, b) => all.tags[b].includes("pinned") - all.tags[a].includes("pinned"));
    rows = found;
    if ($("group").getAttribute("aria-pressed") === "true") {
      const groups = new Map();
      for (const i of found) { if (!groups.has(all.project[i])) groups.set(all.project[i], []); groups.get(all.project[i]).push(i); }
      rows = [...groups].flatMap(([name, list]) => [{ name: name || "no project", count: list.length }, ...list]);
    }
    tops = [0];
    for (let n = 0; n < rows.length; n++) tops.push(tops[n] + (rows[n] >= 0 ? high : low));
    if (!keep) { sel = rows[0] >= 0 ? 0 : 1; box.scrollTop = 0; }
    else if (was && keyAt(sel) !== was) sel = Math.max(0, rows.findIndex((i) => all.key[i] === was));
    sel = Math.min(sel, Math.max(0, rows.length - 1));
    draw();
    const limited = found.length !== all.key.length;
    $("count").textContent = picked ? `Comparing ${all.title[all.key.indexOf(picked)] ?? picked}: open another session, or press Esc to cancel` : note || (limited ? `${found.length.toLocaleString("en")} of ${count(all.key.length, "session")}` : count(found.length, "session"));
    $("reset").hidden = !limited && !$("q").value && !picked;
    root.dataset.rows = found.length;
    const q = new URLSearchParams();
    for (const id of ["q", ...chosen]) if ($(id).value) q.set(id, $(id).value);
    if ($("group").getAttribute("aria-pressed") === "true") q.set("group", "1");
    if (picked) q.set("compare", picked);
    history.replaceState(history.state, "", q.size ? "/?" + q : "/");
  };
  let asking = null, later;
  // silent says that the server does not answer.
  const silent = () => { root.dataset.fresh = "0"; $("count").textContent = "The server does not answer. Is pith serve still running?"; };
  const search = async (everything) => {
    const q = $("q").value.trim(), mine = ++turn;
    asking?.abort(); // an older search
    asking = new AbortController();
    clearTimeout(later);
    note = "";
    if (!q || !all) { hits = null; root.dataset.asked = ""; return filter(everything === "again"); }
    root.dataset.busy = "1";
    const answer = await ask(q, everything === true);
    if (mine !== turn) return;
    delete root.dataset.busy;
    if (!answer) return silent();
    if (answer.error) { note = answer.error; return filter(); }
    hits = new Map();
    for (const h of answer.hits) hits.set(h.session, h);
    note = answer.words ? `${answer.more ? "more than " : ""}${count(answer.places, "match")} in ${count(answer.hits.filter((h) => h.places).length, "session")}${answer.more ? " …" : ""}` : "";
    filter(everything === true || everything === "again");
    root.dataset.asked = q;
    if (answer.more && everything !== true) later = setTimeout(() => search(true), 30); // the first matches come quickly, the others follow
    else if (answer.unindexed > 0) learn();
    if (answer.brief) texts(q, mine);
  };
  const ask = (q, everything) => pithFetch("/search.json?q=" + encodeURIComponent(q) + (everything ? "&all=1" : ""), { signal: asking.signal }).then((a) => a.json()).catch(() => null); // an abort may come while the body is read
  // texts gets the matches of the rows far below, which a brief answer only counts.
  const texts = async (q, mine) => {
    const answer = await ask(q, true);
    if (mine !== turn || !answer?.hits) return;
    const bare = [...pad.children].some((el) => { const hit = hits.get(keyAt(el.dataset.row)); return hit?.places && !hit.entry; });
    hits = new Map(answer.hits.map((h) => [h.session, h]));
    if (bare) draw();
  };
  // learn continues to build the index of words while the page is idle.
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
    const was = all && keyAt(sel);
    all = list;
    for (const k of ["title", "project", "status", "model", "source", "cost", "micros", "size", "messages", "branches", "modified", "tags"]) all[k] ||= [];
    options("project", all.project); options("status", all.status); options("model", all.model); options("tag", all.tags.flat());
    if (was !== null) filter(true, was); // rows are numbers of sessions in the list
  };
  // ---- completion of filters: the last word of the query ----
  const complete = () => {
    const text = $("q").value, last = /\S*$/.exec(text)[0].toLowerCase(), before = text.slice(0, text.length - last.length), [key, value] = last.split(":");
    const values = { project: () => all.project, model: () => all.model, status: () => all.status, source: () => all.source, tag: () => all.tags.flat(), since: () => ["1d", "7d", "30d"], until: () => ["7d", "30d"], cost: () => [">1", ">5"], role: () => ["user", "assistant", "tool", "bash", "system", "custom", "summary", "label", "name"], archived: () => ["yes"], branch: () => ["active"] };
    let found = [];
    if (value === undefined) found = last ? [...Object.keys(values), "tool", "file", "name", "size"].filter((k) => k.startsWith(last)).map((k) => k + ":") : [];
    else if (values[key]) found = [...new Set(values[key]())].filter((v) => v && v.toLowerCase().includes(value)).sort().slice(0, 20).map((v) => `${key}:${/\s/.test(v) ? `"${v}"` : v}`);
    $("filters").replaceChildren(...found.filter((f) => f.toLowerCase() !== last).map((f) => make("option", { value: before + f })));
  };
  // renew gets the list again if it changed. It runs while the page is visible.
  const every = 2000;
  let renewing = null;
  const renew = async () => {
    clearTimeout(renewing);
    try {
      const answer = await pithFetch("/sessions.json?have=" + all.version);
      if (answer.status === 200) { take(await answer.json()); await search("again"); }
      else if (root.dataset.fresh === "0") filter(true);
      root.dataset.fresh = "1";
    } catch { silent(); }
    if (!document.hidden) renewing = setTimeout(renew, every);
  };
  const save = () => {
    history.replaceState({ key: keyAt(sel), top: box.scrollTop }, "");
    globalThis.navigation?.updateCurrentEntry({ state: "list" }); // for Esc in a session
  };
  const start = async () => {
    const was = new URLSearchParams(location.search), at = history.state;
    $("q").value = was.get("q") || "";
    picked = was.get("compare") || "";
    for (const id of ["date", "tag", "sort"]) $(id).value = was.get(id) || "";
    $("group").setAttribute("aria-pressed", was.get("group") === "1");
    take(await (await pithFetch("/sessions.json")).json());
    await search();
    if (at?.key) { // Back came here
      sel = Math.max(0, rows.findIndex((i) => all.key[i] === at.key));
      box.scrollTop = at.top;
      draw();
    }
    root.dataset.ready = "1";
    await renew();
  };
  let timer;
  $("q").addEventListener("input", () => { complete(); clearTimeout(timer); timer = setTimeout(search, 10); });
  for (const id of chosen) $(id).addEventListener("change", () => filter());
  const group = () => { $("group").setAttribute("aria-pressed", $("group").getAttribute("aria-pressed") !== "true"); filter(); };
  const reset = () => {
    if (picked) { picked = ""; return filter(true); }
    for (const id of ["q", ...chosen]) $(id).value = "";
    search();
  };
  $("group").addEventListener("click", group);
  $("reset").addEventListener("click", reset);
  box.addEventListener("scroll", draw, { passive: true });
  box.addEventListener("click", (e) => {
    const row = e.target.closest(".list-row");
    if (row) sel = +row.dataset.row;
    save();
  });
  addEventListener("pagehide", save);
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
  // pick chooses the selected session for a comparison; the next one opens it.
  const pick = () => {
    if (!keyAt(sel)) return;
    if (picked && picked !== keyAt(sel)) return pad.querySelector(".sel")?.click();
    picked = picked ? "" : keyAt(sel);
    filter(true);
  };
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || pith.modal() || e.target.matches("button") && (e.key === "Enter" || e.key === " ")) return;
    if (e.target.matches("select")) { if (e.key === "Escape") e.target.blur(); return; }
    const typing = e.target === $("q"), letters = typing ? {} : { j: 1, k: -1, g: -1e9, G: 1e9 }, ends = typing && $("q").value ? {} : { Home: -1e9, End: 1e9 };
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, ...letters, ...ends }[e.key];
    if (step) { move(step); e.preventDefault(); }
    else if (e.key === "Enter" && rows[sel] >= 0 && !e.target.matches("a")) { draw(); pad.querySelector(".sel")?.click(); }
    else if (e.key === "Escape" && typing) { if ($("q").value) { $("q").value = ""; search(); } else $("q").blur(); e.preventDefault(); }
    else if (e.key === "Escape") reset();
    else if (!typing && e.key === "/") { $("q").focus(); $("q").select(); e.preventDefault(); }
    else if (!typing && e.key === "p") group();
    else if (!typing && e.key === "c") pick();
  });
  start().catch((err) => { root.dataset.failed = String(err); $("count").textContent = "Cannot read the list. Is pith serve still running?"; });
})();
