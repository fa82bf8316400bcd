"use strict";
// The list of sessions: search as one types, filters without a new page, keys. The
// server makes the rows; the address has the query, and the history entry the position.
(() => {
  const { $, $$, make } = pith, root = document.documentElement, q = $("#q");
  let turn = 0, asking = null, timer, renewing, learning = false, known = location.pathname + location.search;
  const rows = () => $$(".row"), now = () => $(".row[aria-current]");
  const select = (row, quiet) => {
    now()?.removeAttribute("aria-current");
    row?.setAttribute("aria-current", "true");
    if (!quiet) row?.scrollIntoView({ block: "nearest", behavior: "instant" });
    return !!row;
  };
  const move = (step) => {
    const all = rows();
    select(all[Math.max(0, Math.min(all.length - 1, all.indexOf(now()) + step))]);
  };
  const silent = () => { root.dataset.fresh = "0"; $("#count").textContent = "The server does not answer. Is pith serve still running?"; };
  const ghosts = () => {
    const box = make("div", { className: "ghosts" }, make("span", { className: "vh", role: "status", textContent: "Reading sessions" }));
    for (let n = 0; n < 4; n++) box.append(make("div", { className: "ghost-row" }));
    $("#results").replaceChildren(box);
  };
  // load shows the list of an address. An answer to an older request is dropped. An
  // invalid filter leaves the rows as they are.
  const load = async (address, { renew = false, focus = "" } = {}) => {
    const mine = ++turn, was = now()?.dataset.key;
    asking?.abort();
    asking = new AbortController();
    root.dataset.busy = "1";
    const slow = renew ? 0 : setTimeout(ghosts, 150);
    const sep = address.includes("?") ? "&" : "?", have = renew ? sep + "have=" + $("#results").dataset.version : "";
    let text;
    try {
      const answer = await pithFetch(address + have, { signal: asking.signal });
      if (!answer.ok) throw new Error(answer.status);
      text = answer.status === 204 ? "" : await answer.text();
    } catch { clearTimeout(slow); if (mine === turn) { delete root.dataset.busy; silent(); } return; }
    clearTimeout(slow);
    if (mine !== turn) return;
    delete root.dataset.busy;
    if (root.dataset.fresh === "0" && !text) return load(address);
    root.dataset.fresh = "1";
    if (!text) return;
    const got = new DOMParser().parseFromString(text, "text/html");
    $("#fault").replaceWith($("#fault", got));
    const asked = new URL(address, location.href).searchParams.get("q") ?? ""; // more may be typed by now
    if ($("#fault").textContent && $(".row")) { root.dataset.asked = asked; return; }
    for (const id of ["facets", "heads", "results"]) if (!(id === "facets" && renew && pith.menus().length)) $("#" + id).replaceWith($("#" + id, got));
    known = address;
    select(renew ? rows().find((r) => r.dataset.key === was) || rows()[0] : rows()[0], true);
    if (focus) $$(`#facets a, #heads a`).find((a) => a.textContent === focus)?.focus();
    root.dataset.rows = rows().length;
    root.dataset.asked = asked;
    if ($("#results").dataset.more && !address.includes("&all=1")) load(address + (address.includes("?") ? "&" : "?") + "all=1", { renew: true });
    else if ($("#results").dataset.unindexed) learn();
  };
  // learn continues to build the index of words while the page is idle.
  const learn = async () => {
    if (learning) return;
    learning = true;
    try { while (!document.hidden && (await (await pithFetch("/learn.json")).json()).more); } catch { /* searches work without */ }
    learning = false;
  };
  // address returns the address of the list with the query in the box.
  const address = () => {
    const to = new URL(location.href), text = q.value.trim();
    to.searchParams.delete("n");
    if (text) to.searchParams.set("q", text); else to.searchParams.delete("q");
    return to.pathname + to.search;
  };
  const search = () => {
    const to = address();
    history.replaceState(history.state, "", to);
    return load(to);
  };
  const clear = () => { q.value = ""; search(); return true; };
  const save = () => {
    history.replaceState({ key: now()?.dataset.key, y: scrollY }, "");
    globalThis.navigation?.updateCurrentEntry({ state: "list" }); // for Esc in a session
  };
  q.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 10); });
  const open = () => { const row = now() || rows()[0]; select(row); row?.click(); };
  addEventListener("click", (e) => {
    const link = e.target.closest?.("a[href]");
    if (!link || e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey) return;
    if (link.matches(".row")) { select(link, true); save(); return; }
    if (link.origin !== location.origin || link.pathname !== "/" || link.closest(".top")) return;
    e.preventDefault(); // a filter, an order or more rows
    const y = link.closest(".older") ? scrollY : 0, to = new URL(link.href);
    q.value = to.searchParams.get("q") || "";
    history.replaceState(history.state, "", to.pathname + to.search);
    const focus = link.matches("#facets a, #heads a") && !link.closest(".pop") ? link.textContent : "";
    load(to.pathname + to.search, { focus }).then(() => scrollTo({ top: y, behavior: "instant" }));
  });
  addEventListener("pagehide", save);
  // renew gets the list again if it changed, while the page is visible.
  const renew = async () => {
    clearTimeout(renewing);
    if (!root.dataset.busy) await load(known, { renew: true });
    if (!document.hidden) renewing = setTimeout(renew, 2000);
  };
  document.addEventListener("visibilitychange", () => { if (!document.hidden) renew(); });
  Object.assign(pith.actions, {
    "/": () => { q.focus(); q.select(); }, j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(10), PageUp: () => move(-10),
    g: () => move(-1e9), G: () => move(1e9), Home: () => move(-1e9), End: () => move(1e9), Enter: open,
    c: () => {
      const to = new URL(location.href), key = now() && decodeURIComponent(now().dataset.key);
      if (to.searchParams.get("compare") && to.searchParams.get("compare") !== key) return open();
      if (to.searchParams.get("compare")) to.searchParams.delete("compare"); else if (key) to.searchParams.set("compare", key);
      history.replaceState(history.state, "", to.pathname + to.search);
      load(to.pathname + to.search);
    },
  });
  Object.assign(pith.typing, { Enter: open, ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(10), PageUp: () => move(-10) });
  pith.escapes.push(
    () => document.activeElement === q && !q.value && (q.blur(), true),
    () => q.value && clear(),
    () => new URL(location.href).searchParams.size && (history.replaceState(null, "", "/"), load("/"), true));
  history.scrollRestoration = "manual";
  const was = history.state;
  const row = rows().find((r) => r.dataset.key === was?.key);
  select(row || rows()[0], true);
  const restore = () => scrollTo({ top: was.y, behavior: "instant" });
  if (row) { restore(); document.fonts.ready.then(restore); }
  root.dataset.rows = rows().length;
  root.dataset.asked = q.value.trim();
  root.dataset.ready = "1";
  if ($("#results").dataset.more) load(known + "&all=1", { renew: true });
  renewing = setTimeout(renew, 50);
})();
