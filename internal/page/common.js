"use strict";
// Shared by all pages: local times, light or dark, the list of keys, and tool results
// next to their calls.
(() => {
  const $ = (sel, at = document) => at.querySelector(sel);
  const two = (n) => String(n).padStart(2, "0");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const time = (at) => { const d = new Date(at); return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}`; };
  // moment is a time with its zone, for a tooltip.
  const moment = (at) => {
    const d = new Date(at), off = Math.abs(d.getTimezoneOffset());
    return `${time(at)} UTC${d.getTimezoneOffset() > 0 ? "-" : "+"}${two(Math.floor(off / 60))}:${two(off % 60)} ${zone}`;
  };
  // times shows times in the zone of the reader. Without a script they are in UTC.
  const times = (box) => {
    for (const el of box.querySelectorAll("time:not([title])")) {
      const at = Date.parse(el.textContent.replace(" ", "T") + "Z");
      if (isNaN(at)) continue;
      el.textContent = time(at);
      el.title = moment(at);
    }
  };
  const theme = () => {
    const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
  };
  // modal reports whether an open dialog takes all keys.
  const modal = () => !!$("dialog[open]");
  const help = () => $("#help")?.showModal();
  const bind = () => {
    $("#theme")?.addEventListener("click", theme);
    $("#keys")?.addEventListener("click", help);
    $("#help button")?.addEventListener("click", () => $("#help").close());
    times(document);
  };
  // attach moves a tool result into its call and hides the result's own turn. A diff
  // replaces the old and new text of an edit, which it repeats.
  const attach = (call, res) => {
    const turn = res.closest(".turn");
    $(".r", call.firstElementChild).replaceWith($(".r", res.firstElementChild).cloneNode(true));
    if ($(".result", call)) return false;
    if (/edit/i.test($(".n", call).textContent) && $(".add, .del", res)) $(":scope > pre", call)?.remove();
    res.open = true;
    call.append(res);
    turn.hidden = true;
    return true;
  };
  globalThis.pith = { time, moment, times, theme, modal, help, bind, attach };
})();
