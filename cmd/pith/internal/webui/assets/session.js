"use strict";
// The page of a session on pith serve: it requests its data, and shows appended entries
// as they arrive.
(() => {
  const { $, $$, make } = pith, base = location.pathname.replace(/\/$/, ""), root = document.documentElement;
  const ask = async (what, signal) => {
    const answer = await pithFetch(base + "/" + what, { signal });
    if (!answer.ok) throw new Error("the server responded with " + answer.status);
    return answer;
  };
  const get = async (what) => (await ask(what)).json();
  // drawn waits until the first text is on the screen, because the index takes some
  // time. A hidden page is never drawn.
  const drawn = () => new Promise((r) => { requestAnimationFrame(() => setTimeout(r)); setTimeout(r, 200); });
  const source = {
    index: async function* () {
      await drawn();
      for (const line of (await (await ask("index.json")).text()).split("\n")) {
        if (!line) continue;
        const { head, ...piece } = JSON.parse(line);
        if (head !== undefined) {
          const box = document.createElement("template");
          box.innerHTML = head;
          $("#head").replaceWith(box.content);
          pith.times($("#head"));
        }
        yield piece;
      }
    },
    part: async (n) => (await ask("part/" + n)).text(),
    find: (query) => get("search.json?q=" + encodeURIComponent(query)),
    context: (id) => get("context.json?at=" + encodeURIComponent(id)),
  };
  const page = new pith.Page();
  // ---- commands to copy: those about an entry take the selected one ----
  const word = (s) => /^[\w.-]+$/.test(s) ? s : "'" + s.replaceAll("'", "'\\''") + "'";
  const safe = (id) => /^(?!-)[\x20-\x7e]+$/.test(id);
  const about = $$("#commands [data-here]");
  page.command = (verb, at) => {
    const offer = about.find((b) => b.dataset.here.includes(` ${verb} `)), id = page.s.id(at);
    return offer && safe(id) ? offer.dataset.here.replaceAll("@entry@", () => word(id)) : "";
  };
  page.marked = (at) => {
    const id = page.s.id(at);
    for (const b of about) {
      b.hidden = !id || !safe(id) || b.dataset.here.includes(" fork ") && page.s.list[at.k].c[page.s.list[at.k].r[at.r]?.[1] ?? 0] !== "p";
      if (!b.hidden) $("code", b).textContent = b.dataset.copy = b.dataset.here.replaceAll("@entry@", () => word(id));
    }
  };
  // ---- one query for all sessions: n goes on to the next one ----
  const self = document.body.dataset.key;
  let others = null;
  page.searched = async (query) => {
    if (others?.query === query) return;
    const text = await pithFetch("/?n=1000&q=" + encodeURIComponent(query)).then((a) => a.text(), () => "");
    const rows = $$(".row", new DOMParser().parseFromString(text, "text/html")).map((a) => ({ key: a.dataset.key, href: a.getAttribute("href") }));
    others = { query, rows, at: rows.findIndex((r) => r.key === self) };
    root.dataset.around = "1";
  };
  page.beyond = (by) => {
    if (others?.query !== page.query || others.at < 0 || others.rows.length < 2) return false;
    const to = others.rows.at((others.at + by) % others.rows.length).href;
    location.href = by < 0 ? to.split("#")[0] + "#last" : to.split("#")[0];
    return true;
  };
  // ---- Esc: back to the list where it was left ----
  page.leave = () => {
    const past = globalThis.navigation?.entries().slice(0, navigation.currentEntry.index) ?? [], list = past.findLast((e) => e.getState() === "list");
    if (list) navigation.traverseTo(list.key); else location.href = "/";
  };
  // ---- branches side by side ----
  page.compare = (k, other) => {
    const end = (k) => { const last = page.s.through(k).at(-1), x = page.s.list[last]; return encodeURIComponent(x.i[x.r.at(-1)?.[1] ?? 0]); };
    return `${base}/compare?a=${end(other)}&b=${end(k)}`;
  };
  // ---- subagents unfold in place ----
  page.dressed = (el, k) => {
    for (const call of $$("details.call.runs", el)) {
      call.addEventListener("toggle", async () => {
        if (!call.open || $(".ran", call)) return;
        const box = make("div", { className: "calls ran", textContent: "…" });
        call.firstElementChild.after(box);
        const at = page.s.id({ k, r: +call.dataset.r });
        const answer = await pithFetch(`${base}/runs?at=${encodeURIComponent(at)}&call=${encodeURIComponent(call.dataset.call)}`).catch(() => null);
        if (answer?.ok) box.innerHTML = await answer.text(); else box.textContent = "Cannot read the subagent runs.";
        pith.times(box);
      });
    }
  };
  // ---- live: a hidden page holds no connection ----
  const sign = $("#live"), says = (text) => { // a long text is a notice
    const long = text.length > 20;
    $("#away")?.remove();
    if (long) $("article").prepend(make("p", { className: "notice bad", id: "away", role: "status", textContent: text }));
    sign.hidden = !text || long;
    sign.lastElementChild.textContent = text;
    sign.classList.toggle("bad", text !== "live");
  };
  // runs says of a last call without a result that it runs.
  const runs = (live) => {
    const call = $$("#conversation [data-r]").at(-1), result = call?.matches(".call") && $(".r", call);
    if (live && result?.textContent === "no result") result.textContent = "running";
  };
  let stream = null, busy = Promise.resolve();
  const told = {
    here: ({ written }) => {
      says(written ? "live" : "");
      busy = busy.then(async () => {
        if (written && !root.dataset.live && !location.hash && !location.search && scrollY < 100) await page.go(page.end(), true);
        runs(written);
        root.dataset.live = "1";
      });
    },
    grown: (more) => { says("live"); busy = busy.then(() => page.grow(more)).then(() => runs(true)).catch(() => rest()); },
    gone: () => { says("deleted"); root.dataset.live = "gone"; stream?.abort(); },
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
  const rest = (why = "not live") => { stream?.abort(); stream = null; says(why); root.dataset.live = "0"; };
  document.addEventListener("visibilitychange", () => { if (root.dataset.live === "gone") return; if (document.hidden) rest(""); else live(); });
  page.start(source).then(live, (err) => {
    root.dataset.failed = String(err);
    root.classList.remove("js");
  });
})();
