"use strict";
// The page of a session on pith serve: it requests its data, and shows appended entries
// as they arrive.
(() => {
  const base = location.pathname.replace(/\/$/, ""), root = document.documentElement, $ = (sel) => document.querySelector(sel);
  const ask = async (what, signal) => {
    const answer = await pithFetch(base + "/" + what, { signal });
    if (!answer.ok) throw new Error("the server responded with " + answer.status);
    return answer;
  };
  const get = async (what) => (await ask(what)).json();
  // drawn waits until the first text is on the screen, because the index takes some
  // time. A hidden page is never drawn.
  const drawn = () => new Promise((r) => { requestAnimationFrame(() => setTimeout(r)); setTimeout(r, 200); });
  const picture = (html) => { // of the context size, made by pith
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
  page.offers = (i) => !commands.here || !/^(?!-)[\x20-\x7e]+$/.test(page.s.ids[i]) ? [] : [["command: resume here in pi", () => filled("here", i)], ["command: fork here", () => filled(page.s.kinds[i] === "u" ? "fork" : "clone", i)], ["command: pith show", () => filled("at", i)]];
  for (const b of document.querySelectorAll("[data-offer]")) {
    if (commands[b.dataset.offer]) b.addEventListener("click", () => page.copy(commands[b.dataset.offer], b)); else b.remove();
  }
  // ---- one query for all sessions: matches before and after this session ----
  const self = decodeURIComponent(base.split("/").pop());
  let others = null;
  page.searched = async (query) => {
    const answer = await pithFetch("/search.json?all=1&q=" + encodeURIComponent(query)).then((a) => a.json(), () => null);
    if (!answer?.hits || query !== page.query) return;
    const hits = answer.hits.filter((h) => h.entry), at = hits.findIndex((h) => h.session === self), sum = (list) => list.reduce((n, h) => n + h.places, 0);
    others = { query, hits, at };
    page.around = at < 0 ? null : { before: sum(hits.slice(0, at)), after: sum(hits.slice(at + 1)) };
    page.count();
    root.dataset.around = "1";
  };
  page.beyond = (by) => {
    if (others?.query !== page.query || others.at < 0 || others.hits.length < 2) return false;
    const to = others.hits.at((others.at + by) % others.hits.length);
    location.href = pithMatch(to.session, to, page.query, by < 0 ? "last" : undefined);
    return true;
  };
  // ---- Esc: back to the list where it was left ----
  page.leave = () => {
    const past = globalThis.navigation?.entries().slice(0, navigation.currentEntry.index) ?? [], list = past.findLast((e) => e.getState() === "list");
    if (list) navigation.traverseTo(list.key); else location.href = "/";
  };
  // ---- branches side by side ----
  page.forked = (line, k) => {
    const end = page.s.through(k).at(-1), link = document.createElement("a");
    link.href = `${base}/compare?a=${encodeURIComponent(page.s.ids[page.s.leaf])}&b=${encodeURIComponent(page.s.ids[end])}`;
    link.textContent = "compare";
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
        const answer = await pithFetch(`${base}/runs?at=${encodeURIComponent(page.s.ids[i])}&call=${encodeURIComponent(call.dataset.call)}`).catch(() => null);
        if (answer?.ok) box.innerHTML = await answer.text(); else box.textContent = "Cannot read the subagent runs.";
        pith.times(box);
      });
    }
  };
  // ---- live: a hidden page holds no connection ----
  const sign = $("#live");
  let stream = null, busy = Promise.resolve();
  const told = {
    here: () => { sign.hidden = false; sign.textContent = "● live"; root.dataset.live = "1"; },
    grown: (more) => { busy = busy.then(() => page.grow(more)).catch(() => rest()); },
    gone: () => { sign.hidden = false; sign.textContent = "○ deleted"; root.dataset.live = "gone"; stream?.abort(); },
  };
  // An EventSource cannot send the token, so the events are read here.
  const read = async (signal) => {
    const text = (await ask(`live?seen=${page.s.count}`, signal)).body.pipeThrough(new TextDecoderStream()).getReader();
    for (let got = "", from = 0; ;) {
      const { value, done } = await text.read();
      if (done) return;
      got += value;
      for (let end; (end = got.indexOf("\n\n", from)) >= 0; from = 0) {
        const event = /^event: (\w+)\ndata: (.*)$/.exec(got.slice(0, end));
        got = got.slice(end + 2);
        if (event) told[event[1]]?.(JSON.parse(event[2]));
      }
      from = Math.max(0, got.length - 1);
    }
  };
  const live = async () => {
    if (stream || document.hidden) return;
    const mine = stream = new AbortController();
    let why;
    try { await read(mine.signal); } catch (err) { if (err instanceof TypeError) why = "The server does not answer. Is pith serve still running?"; }
    if (stream !== mine || root.dataset.live === "gone") return;
    rest(why);
    setTimeout(live, 3000);
  };
  const rest = (why = "○ not live") => { stream?.abort(); stream = null; sign.textContent = why; root.dataset.live = "0"; };
  document.addEventListener("visibilitychange", () => { if (root.dataset.live === "gone") return; if (document.hidden) rest(); else live(); });
  page.start(source).then(live, (err) => {
    root.dataset.failed = String(err);
    root.classList.remove("js");
  });
})();
