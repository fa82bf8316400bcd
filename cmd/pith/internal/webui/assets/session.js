"use strict";
// The page of a session over a server: its data is asked for, and what is appended
// appears by itself.
(() => {
  const base = location.pathname.replace(/\/$/, ""), root = document.documentElement, $ = (sel) => document.querySelector(sel);
  const ask = async (what) => {
    const answer = await fetch(base + "/" + what);
    if (!answer.ok) throw new Error("the server answered " + answer.status);
    return answer;
  };
  const get = async (what) => (await ask(what)).json();
  // drawn waits until the first text is on the screen: the index takes both the server
  // and the page some time. A page that nobody sees is never drawn.
  const drawn = () => new Promise((r) => { requestAnimationFrame(() => setTimeout(r)); setTimeout(r, 200); });
  const picture = (html) => { // of the window, made by pith
    const box = document.createElement("template");
    box.innerHTML = html;
    const old = $(".window");
    if (old) old.replaceWith(box.content); else $("#conversation").before(box.content);
  };
  const source = {
    index: async function* () {
      await drawn();
      for (const line of (await (await ask("index.json")).text()).split("\n")) {
        if (!line) continue;
        const { window: html, ...piece } = JSON.parse(line);
        if (html !== undefined) picture(html);
        yield piece;
      }
    },
    part: async (n) => (await ask("part/" + n)).text(),
    find: (query) => get("search.json?q=" + encodeURIComponent(query)),
    context: async (id, s) => {
      const got = await get("context.json?at=" + encodeURIComponent(id));
      return { ...got, seen: new Set(got.seen.flatMap((id) => s.at.get(id) ?? [])), compaction: s.at.get(got.compaction) ?? -1 };
    },
  };
  const page = new pith.Page();
  // ---- commands to copy ----
  const commands = JSON.parse($("#acts").dataset.commands);
  const word = (s) => /^[\w.-]+$/.test(s) ? s : "'" + s.replaceAll("'", "'\\''") + "'";
  const filled = (name, i) => commands[name].replaceAll("@entry@", () => word(page.s.ids[i]));
  page.offers = (i) => !commands.here || !/^(?!-)[\x20-\x7e]+$/.test(page.s.ids[i]) ? [] : [["resume here in pi", () => filled("here", i)], ["fork here", () => filled(page.s.kinds[i] === "u" ? "fork" : "clone", i)], ["pith show", () => filled("around", i)]];
  for (const b of document.querySelectorAll("[data-offer]")) {
    if (commands[b.dataset.offer]) b.addEventListener("click", () => page.copy(commands[b.dataset.offer], b)); else b.remove();
  }
  // ---- branches side by side ----
  page.forked = (line, k) => {
    const end = page.s.through(k).at(-1), link = document.createElement("a");
    link.href = `${base}/compare?a=${encodeURIComponent(page.s.ids[page.s.leaf])}&b=${encodeURIComponent(page.s.ids[end])}`;
    link.textContent = "side by side";
    line.append(link);
  };
  // ---- subagents unfold in place ----
  const runners = new Set(["subagent", "task", "bg_wait", "subagent_wait"]);
  page.dressed = (el, i) => {
    for (const call of el.querySelectorAll("details.call[data-call]")) {
      if (!runners.has(call.querySelector(".n").textContent)) continue;
      call.classList.add("runs");
      call.addEventListener("toggle", async () => {
        if (!call.open || call.querySelector(".ran")) return;
        const box = document.createElement("div");
        box.className = "ran";
        box.textContent = "…";
        call.firstElementChild.after(box);
        const answer = await fetch(`${base}/runs?at=${encodeURIComponent(page.s.ids[i])}&call=${encodeURIComponent(call.dataset.call)}`);
        if (answer.ok) box.innerHTML = await answer.text(); else box.textContent = "The runs could not be read.";
      });
    }
  };
  // ---- live: a page that nobody sees holds no connection ----
  const sign = $("#live");
  let events = null, busy = Promise.resolve();
  const live = () => {
    if (events || document.hidden) return;
    events = new EventSource(`${base}/live?seen=${page.s.count}`);
    events.addEventListener("here", () => { sign.hidden = false; sign.textContent = "● live"; root.dataset.live = "1"; });
    events.addEventListener("grown", (e) => { const more = JSON.parse(e.data); busy = busy.then(() => page.grow(more)).catch(rest); });
    events.addEventListener("gone", () => { sign.hidden = false; sign.textContent = "○ gone"; root.dataset.live = "gone"; events.close(); });
    events.addEventListener("error", () => { if (root.dataset.live !== "gone") { rest(); setTimeout(live, 3000); } });
  };
  const rest = () => { events?.close(); events = null; sign.textContent = "○ not live"; };
  document.addEventListener("visibilitychange", () => { if (root.dataset.live === "gone") return; if (document.hidden) rest(); else live(); });
  page.start(source).then(live, (err) => {
    root.dataset.failed = String(err);
    root.classList.remove("js");
  });
})();
