"use strict";
// Shared by all pages: light or dark, menus, keys, copying, local times.
(() => {
  const root = document.documentElement;
  const $ = (sel, at = document) => at.querySelector(sel), $$ = (sel, at = document) => [...at.querySelectorAll(sel)];
  const make = (tag, props = {}, ...kids) => {
    const el = Object.assign(document.createElement(tag), props);
    el.append(...kids);
    return el;
  };
  root.classList.add("js");
  const theme = () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
  };
  const menus = () => $$("details.pick[open]");
  const shut = () => {
    const open = menus();
    for (const m of open) { m.open = false; if (m.contains(document.activeElement)) $("summary", m).focus(); }
    return open.length > 0;
  };
  // say says something that is gone after a while.
  const say = (text) => {
    $(".toast")?.remove();
    const el = make("div", { className: "toast", role: "status" });
    document.body.append(el);
    el.textContent = text; // a status is announced when it changes
    setTimeout(() => el.remove(), 2400);
  };
  const copy = async (text) => {
    try { await navigator.clipboard.writeText(text); say("Copied: " + text); } catch { prompt("Copy this:", text); }
  };
  // times shows times in the zone of the reader. Without a script they are in UTC.
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }), date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" }), exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
  const times = (box) => {
    for (const el of $$("time[datetime]:not([title])", box)) {
      const at = new Date(el.dateTime);
      if (isNaN(at)) continue;
      el.title = exact.format(at);
      el.textContent = "day" in el.dataset ? `${date.format(at)}, ${clock.format(at)}` : clock.format(at);
    }
  };
  // actions are what keys do; typing those in a text field. Esc takes the first of
  // the escapes that has something to do.
  const actions = { "?": () => $("#help")?.showModal(), d: theme }, typing = {}, escapes = [shut];
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || $("dialog[open]")) return;
    if (e.key === "Escape") {
      for (const step of escapes) if (step()) { e.preventDefault(); break; }
      return;
    }
    const act = (e.target.matches("input,textarea,select") ? typing : actions)[e.key];
    if (!act || e.key === "Enter" && e.target.closest("a,button,summary")) return;
    e.preventDefault();
    act(e);
  });
  addEventListener("click", (e) => {
    for (const m of menus()) if (!m.contains(e.target) || e.target.closest("a,button")) m.open = false;
    if (e.target.closest("#theme")) theme();
    else if (e.target.closest("#keys")) actions["?"]();
    else if (e.target.closest("#help button")) $("#help").close();
    else if (e.target.closest("[data-copy]")) copy(e.target.closest("[data-copy]").dataset.copy);
  });
  addEventListener("DOMContentLoaded", () => times(document));
  globalThis.pith = { $, $$, make, menus, shut, say, copy, times, actions, typing, escapes };
})();
