"use strict";
// The script of a session page. The page can be read without it; it adds the tree of
// all branches, search, other branches, and the context of the model.
//
// A page has a source, which provides an index of all entries and the HTML of each. An
// exported file embeds both, compressed; pith serve sends them.
// pith generated and escaped all HTML that is put into the page.
(() => {
  const $ = (sel, at = document) => at.querySelector(sel);
  const make = (tag, props = {}, ...kids) => {
    const el = Object.assign(document.createElement(tag), props);
    el.append(...kids);
    return el;
  };
  const svg = (tag, attrs) => {
    const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const k in attrs) el.setAttribute(k, attrs[k]);
    return el;
  };

  const entries = (n) => n === 1 ? "1 entry" : `${n.toLocaleString("en")} entries`;
  const matches = (n) => n === 1 ? "1 match" : `${n.toLocaleString("en")} matches`;
  const idle = globalThis.requestIdleCallback || setTimeout;
  // pause yields to the browser, because no task may take long.
  const pause = () => globalThis.scheduler?.yield?.() ?? new Promise((r) => setTimeout(r));

  const separator = "\u001e"; // between the HTML of two entries

  // ---- the source: compressed data inside the page ----
  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const inflate = async (bytes) =>
    new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const embedded = () => {
    const parts = [...document.querySelectorAll("script[data-part]")];
    return {
      index: async function* () {
        for (const el of document.querySelectorAll("script[data-index]")) yield JSON.parse(await inflate(bytesOf(el.textContent)));
      },
      part: (n) => inflate(bytesOf(parts[n].textContent)),
    };
  };

  // ---- a session: its entries as columns, and their HTML in parts ----
  class Session {
    constructor(source) {
      this.source = source;
      this.count = 0;
      this.ids = []; this.parents = []; this.kinds = ""; this.texts = [];
      this.at = new Map();
      this.children = []; // of an entry: nothing, the only one, or a list
      this.roots = [];
      this.loaded = new Map();
      this.fresh = new Map(); // HTML of entries that came while the page was open
    }
    // read builds a session from the index of a source.
    static async read(source) {
      const s = new Session(source);
      for await (const piece of source.index()) {
        s.add(piece);
        await pause();
      }
      return s;
    }
    // add appends entries, with their HTML if they are new, and takes over the other
    // changes: labels, kept, hidden, firsts, leaf.
    add({ from, html, ids, parents, kinds, texts, ...rest }) {
      Object.assign(this, rest);
      html?.split(separator).forEach((text, k) => this.fresh.set(from + k, text));
      this.kinds += kinds;
      for (let k = 0; k < ids.length; k++) {
        const i = this.count++, p = parents[k];
        this.ids.push(ids[k]); this.parents.push(p); this.texts.push(texts[k]);
        if (!this.at.has(ids[k])) this.at.set(ids[k], i);
        const had = this.children[p];
        if (p < 0) this.roots.push(i);
        else if (had === undefined) this.children[p] = i;
        else if (typeof had === "number") this.children[p] = [had, i];
        else had.push(i);
      }
    }
    kids(i) {
      const kids = this.children[i];
      return kids === undefined ? [] : typeof kids === "number" ? [kids] : kids;
    }
    partOf(i) {
      let lo = 0, hi = this.firsts.length - 1;
      while (lo < hi) {
        const mid = (lo + hi + 1) >> 1;
        if (this.firsts[mid] <= i) lo = mid; else hi = mid - 1;
      }
      return lo;
    }
    part(n) {
      if (!this.loaded.has(n)) {
        if (this.loaded.size > 24) this.loaded.delete(this.loaded.keys().next().value);
        this.loaded.set(n, this.source.part(n).then((text) => text.split(separator)));
      }
      return this.loaded.get(n);
    }
    async html(i) {
      if (this.fresh.has(i)) return this.fresh.get(i);
      const n = this.partOf(i);
      return (await this.part(n))[i - this.firsts[n]];
    }
    path(i) {
      const out = [], seen = new Set();
      for (; i >= 0 && !seen.has(i); i = this.parents[i]) { seen.add(i); out.push(i); }
      return out.reverse();
    }
    // between returns the path from below an entry to a descendant, or null if there is none.
    between(i, to) {
      const out = [];
      for (; to >= 0 && to !== i && out.length <= this.count; to = this.parents[to]) out.push(to);
      return to === i ? out.reverse() : null;
    }
    // through returns the newest path that contains an entry.
    through(i) {
      const seen = new Set();
      while (this.children[i] !== undefined && !seen.has(i)) { seen.add(i); i = this.kids(i).at(-1); }
      return this.path(i);
    }
    // context returns the context of a model at the end of a path: the entries, and the
    // compaction that replaces the entries before them.
    context(path) {
      let compaction = -1;
      path.forEach((i, n) => { if (this.kept[i] !== undefined) compaction = n; });
      const hidden = new Set();
      for (const i of path) if (this.hidden[i] !== undefined) hidden.add(this.hidden[i]);
      let first = 0;
      if (compaction >= 0) {
        const kept = path.indexOf(this.kept[path[compaction]]);
        first = kept >= 0 && kept < compaction ? kept : compaction;
      }
      const seen = new Set(path.slice(first).filter((i) => "uarxbcs".includes(this.kinds[i]) && !hidden.has(i)));
      if (compaction >= 0) seen.add(path[compaction]);
      return { seen, compaction: compaction < 0 ? -1 : path[compaction], gone: first, kept: compaction < 0 ? 0 : compaction - first };
    }
  }

  // ---- the tree as lanes ----
  const rowHeight = 24, lane = 14, lanesShown = 6;
  const looks = ["line off", "line on", "step off", "step on", "failed off", "failed on", "answer off", "answer on", "said off", "said on"]; // the last ones on top
  class Tree {
    constructor(box, session, choose) {
      this.box = box; this.s = session; this.choose = choose;
      this.pad = make("div", { className: "pad" });
      this.lines = Object.fromEntries(looks.map((look) => [look, svg("path", { class: look })]));
      this.picture = svg("svg", { class: "lanes", width: 20 + lanesShown * lane, "aria-hidden": "true" });
      this.picture.append(...Object.values(this.lines));
      box.append(this.pad);
      this.folded = new Set(); this.keep = () => true; this.sel = -1; this.on = new Set();
      this.drawn = new Map(); // the rows in the page, by their number
      box.addEventListener("scroll", () => this.draw(this.drawn), { passive: true });
      box.addEventListener("click", (e) => {
        const row = e.target.closest(".row");
        if (row) this.choose(+row.dataset.i);
      });
      box.addEventListener("keydown", (e) => this.key(e));
      new ResizeObserver(() => this.draw()).observe(box);
    }
    // layout lists the rows: other branches come first, then the active one continues in
    // the same lane.
    layout() {
      this.rows = []; // entries
      this.lanes = []; // of each row: which one, and which others go on beside it
      this.place = []; // of an entry: its row
      const seen = new Uint8Array(this.s.count), stack = this.s.roots.slice().reverse().map((i) => [i, { at: 0, open: [] }]);
      while (stack.length) {
        let [i, lane] = stack.pop();
        while (i !== undefined && !seen[i]) {
          seen[i] = 1;
          if (this.keep(i)) this.put(i, lane);
          const kids = this.folded.has(i) ? undefined : this.s.children[i];
          if (typeof kids !== "object") { i = kids; continue; } // none, or one that goes on
          const main = kids.find((k) => this.on.has(k)) ?? kids.at(-1);
          stack.push([main, lane]);
          const open = lane.at < lanesShown ? lane.open.concat({ at: lane.at, on: this.on.has(main) }) : lane.open; // no more are drawn
          for (const k of kids.slice().reverse()) if (k !== main) stack.push([k, { at: lane.at + 1, open }]);
          break;
        }
      }
      this.pad.style.height = this.rows.length * rowHeight + "px";
      this.draw();
    }
    put(i, lane) {
      lane.first ??= this.rows.length; // its row
      this.place[i] = this.rows.length;
      this.rows.push(i);
      this.lanes.push(lane);
    }
    // extend adds rows for the entries from one on. It returns false if they do not all
    // follow the last row.
    extend(from) {
      for (let i = from; i < this.s.count; i++) {
        if (this.rows.at(-1) !== this.s.parents[i] || !this.keep(i)) return false;
        this.put(i, this.lanes.at(-1));
      }
      this.pad.style.height = this.rows.length * rowHeight + "px";
      this.draw();
      return true;
    }
    // draw draws the rows in view. It keeps rows that did not change.
    draw(before = new Map()) {
      if (!this.rows) return;
      const top = Math.max(0, Math.floor(this.box.scrollTop / rowHeight) - 5);
      const end = Math.min(this.rows.length, top + Math.ceil(this.box.clientHeight / rowHeight) + 10);
      this.drawn = new Map();
      for (let n = top; n < end; n++) this.drawn.set(n, before.get(n) || this.row(n));
      for (const [n, el] of before) if (!this.drawn.has(n)) el.remove();
      if (!before.size) this.pad.replaceChildren(this.picture);
      this.paint(top, end);
      let next = null;
      for (const el of [...this.drawn.values()].reverse()) {
        if (!el.isConnected) this.pad.insertBefore(el, next);
        next = el;
      }
    }
    // paint draws the lanes and marks of rows as one image.
    paint(top, end) {
      const drawn = Object.fromEntries(looks.map((look) => [look, ""])), round = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
      for (let n = top; n < end; n++) {
        const i = this.rows[n], { at, open, first } = this.lanes[n], x = 10 + Math.min(at, lanesShown) * lane, y = (n - top) * rowHeight, mid = y + rowHeight / 2;
        const kind = this.s.kinds[i], state = this.on.has(i) ? " on" : " off", ends = this.folded.has(i) || this.s.children[i] === undefined;
        for (const o of open) drawn[o.on ? "line on" : "line off"] += `M${10 + o.at * lane} ${y}v${rowHeight}`;
        if (n === first && at > 0 && at <= lanesShown) drawn["line" + state] += `M${x - lane} ${y}Q${x - lane} ${mid} ${x} ${mid}`;
        drawn["line" + state] += `M${x} ${n > first ? y : mid}V${ends ? mid : y + rowHeight}`;
        if (kind === "u") drawn["said" + state] += round(x, mid, 5);
        else if (kind === "a") drawn["answer" + state] += round(x, mid, 4);
        else drawn[(kind === "x" ? "failed" : "step") + state] += `M${x - 3} ${mid - 3}h6v6h-6z`;
      }
      for (const look of looks) this.lines[look].setAttribute("d", drawn[look]);
      this.picture.setAttribute("height", Math.max(0, end - top) * rowHeight);
      this.picture.style.top = top * rowHeight + "px";
    }
    row(n) {
      const i = this.rows[n], deep = this.lanes[n].at, at = Math.min(deep, lanesShown), s = this.s, folded = this.folded.has(i);
      const el = make("div", { className: `row ${s.kinds[i]}${this.on.has(i) ? " on" : ""}${i === this.sel ? " sel" : ""}`, id: "row" + i });
      el.dataset.i = i;
      el.style.top = n * rowHeight + "px";
      el.style.paddingLeft = 26 + at * lane + "px";
      el.setAttribute("role", "treeitem");
      el.setAttribute("aria-level", at + 1);
      el.setAttribute("aria-selected", i === this.sel);
      if (folded || typeof s.children[i] === "object") el.setAttribute("aria-expanded", !folded);
      el.append(make("span", { className: "t", textContent: s.texts[i], dir: "auto" }));
      for (const tag of [folded && "folded", deep > lanesShown && "lane " + (deep + 1), i === s.leaf && !s.excerpt && "current", s.labels[i]]) if (tag) el.append(make("span", { className: "tag", textContent: tag }));
      return el;
    }
    select(i) {
      this.sel = i;
      const n = this.place[i];
      if (n !== undefined) {
        const y = n * rowHeight;
        if (y < this.box.scrollTop || y > this.box.scrollTop + this.box.clientHeight - rowHeight) this.box.scrollTop = y - this.box.clientHeight / 2;
        this.box.setAttribute("aria-activedescendant", "row" + i);
      }
      this.draw();
    }
    key(e) {
      const n = this.place[this.sel] ?? -1;
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 }[e.key];
      if (step) {
        const to = this.rows[Math.max(0, Math.min(this.rows.length - 1, n + step))];
        if (to !== undefined) this.choose(to);
        e.preventDefault();
      } else if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
        this.fold(this.sel, e.key === "ArrowLeft");
        e.preventDefault();
      }
    }
    fold(i, away) {
      if (i < 0) return;
      if (away) this.folded.add(i); else this.folded.delete(i);
      this.layout();
    }
  }

  // ---- the conversation: the path in chunks; those near the view are in the page ----
  // A path of ordinary length is in the page completely, so that the browser can print
  // and search it. Of a longer one, only the chunks near the view are.
  const chunkSize = 12, likelyHeight = 64, nearby = 1500, ordinary = 3000;
  class Conversation {
    constructor(box, session, page) {
      this.box = box; this.s = session; this.page = page;
      this.shown = null; // the path, as a list
      this.chunks = []; // { el, from, to, filled, height }
      this.empty = []; // chunks in the page that wait to be filled
      this.filling = false;
      this.from = this.to = 0; // the chunks that are in the page
      this.whole = false; // all of them stay there
      this.above = make("div", { className: "room" });
      this.below = make("div", { className: "room" });
      this.calls = new Map(); // the calls in the page, for their results
      this.unseen = null; // the entries that are dimmed
      this.unfolded = false; // all tools and thinking are open
      for (const what of ["scroll", "resize"]) addEventListener(what, () => this.look(), { passive: true });
      box.addEventListener("click", (e) => this.clicked(e));
    }
    // adopt takes over the entries that the page was delivered with.
    adopt(path) {
      this.shown = path;
      for (const el of this.box.querySelectorAll(".turn[data-i]")) this.dress(el);
    }
    async show(path, around) {
      this.shown = path;
      this.whole = path.length <= ordinary;
      this.calls.clear();
      this.chunks = [];
      for (let from = 0; from < path.length;) {
        let to = Math.min(path.length, from + chunkSize);
        while (to < path.length && "rx".includes(this.s.kinds[path[to]])) to++; // a result stands with its call
        this.chunk(from, to);
        from = to;
      }
      const near = this.chunkAt(Math.max(0, path.indexOf(around)));
      if (this.chunks[near]) await this.fill(this.chunks[near]);
      if (this.shown !== path) return; // another one was asked for meanwhile
      this.box.replaceChildren();
      this.from = this.to = 0;
      this.place(near, near + 1);
      this.look();
      if (this.whole) setTimeout(() => this.fillRest(path), 300);
    }
    // fillRest fills the whole path while the page is idle.
    async fillRest(path) {
      for (const c of this.chunks) {
        if (this.shown !== path) return;
        await this.fill(c);
        await new Promise((r) => setTimeout(r));
      }
    }
    chunk(from, to) {
      this.chunks.push({ el: null, from, to, filled: null, height: (to - from) * likelyHeight });
    }
    boxOf(c) {
      if (!c.el) {
        c.el = make("div", { className: "chunk" });
        c.el.style.minHeight = c.height + "px";
      }
      return c.el;
    }
    // chunkAt returns the number of the chunk that contains a path position.
    chunkAt(n) {
      let lo = 0, hi = this.chunks.length - 1;
      while (lo < hi) {
        const mid = (lo + hi) >> 1;
        if (this.chunks[mid].to <= n) lo = mid + 1; else hi = mid;
      }
      return lo;
    }
    fill(c) { return (c.filled ||= this.filled(c)); }
    async filled(c) {
      const box = document.createElement("template");
      box.innerHTML = (await Promise.all(this.shown.slice(c.from, c.to).map((i) => this.s.html(i)))).join("");
      const turns = [...box.content.children];
      this.boxOf(c).replaceChildren(box.content);
      c.el.style.minHeight = "";
      for (const el of turns) this.dress(el);
      c.done = true;
    }
    // look puts the chunks near the view into the page.
    look() {
      if (!this.chunks.length) return;
      for (const c of this.chunks.slice(this.from, this.to)) c.height = c.el.getBoundingClientRect().height;
      let y = this.box.getBoundingClientRect().top, from = 0;
      while (from < this.chunks.length - 1 && y + this.chunks[from].height < -nearby) y += this.chunks[from++].height;
      let to = from;
      while (to < this.chunks.length && y < innerHeight + nearby) y += this.chunks[to++].height;
      this.place(from, Math.max(to, from + 1));
      this.empty = this.chunks.slice(from, to).filter((c) => !c.filled);
      if (this.empty.length && !this.filling) this.fillNear();
    }
    // fillNear fills the chunks near the view, one at a time, until none is empty.
    async fillNear() {
      this.filling = true;
      for (let c; (c = this.empty.shift());) {
        try { await this.fill(c); } catch { c.filled = null; break; } // asked for again by the next look
        await pause();
        if (!this.empty.length) this.look();
      }
      this.filling = false;
    }
    // place selects the chunks that are in the page. It removes none while text is
    // selected.
    place(from, to) {
      if (this.whole) { from = 0; to = this.chunks.length; }
      if (this.from < this.to && !getSelection().isCollapsed && from <= this.to && to >= this.from) { from = Math.min(from, this.from); to = Math.max(to, this.to); }
      const room = (el, from, to, put) => {
        let height = 0;
        for (let n = from; n < to; n++) height += this.chunks[n].height;
        el.style.height = height + "px";
        if (!height) el.remove(); else if (!el.isConnected) put(el);
      };
      for (let n = this.from; n < Math.min(this.to, this.chunks.length); n++) if (n < from || n >= to) this.chunks[n].el?.remove();
      room(this.above, 0, from, (el) => this.box.prepend(el));
      room(this.below, to, this.chunks.length, (el) => this.box.append(el));
      let next = this.below.isConnected ? this.below : null;
      for (let n = to - 1; n >= from; n--) {
        const el = this.boxOf(this.chunks[n]);
        if (!el.isConnected) {
          this.box.insertBefore(el, next);
          this.shade(el);
          this.badges(el);
        }
        next = el;
      }
      this.from = from;
      this.to = to;
    }
    complete() { return !this.chunks.length || this.whole && this.chunks.every((c) => c.done); }
    // all fills every chunk, for printing.
    async all() {
      this.whole = true;
      for (const c of this.chunks) await this.fill(c);
      this.place(0, this.chunks.length);
    }
    // near removes the chunks that all added.
    near() {
      this.whole = this.shown.length <= ordinary;
      this.look();
    }
    // extend adds the entries that follow the path.
    async extend(more) {
      const from = this.shown.length, atEnd = this.to === this.chunks.length;
      for (const i of more) this.shown.push(i);
      this.chunk(from, this.shown.length);
      await this.fill(this.chunks.at(-1));
      this.place(this.from, atEnd ? this.chunks.length : this.to);
    }
    // dress adds the parts that need a script: local times, actions, colors, results at calls.
    dress(el) {
      const i = +el.dataset.i, who = $(".who", el);
      pith.times(el);
      if (who && i === this.s.leaf && !this.s.excerpt && !$(".current", who)) who.append(make("span", { className: "tag current", textContent: "current" }));
      this.badges(el);
      if (who && !$(".act", who)) {
        const act = make("span", { className: "act" }, make("button", { type: "button", textContent: "copy" }), make("button", { type: "button", textContent: "context" }));
        act.children[0].dataset.act = "copy";
        act.children[1].dataset.act = "saw";
        who.append(act);
      }
      for (const call of el.querySelectorAll("details.call[data-call]")) this.calls.set(call.dataset.call, call);
      for (const res of el.querySelectorAll("details.result[data-for]")) {
        const call = this.calls.get(res.dataset.for);
        if (call && pith.attach(call, res)) el.dataset.for = res.dataset.for;
      }
      if (this.unfolded) for (const d of el.querySelectorAll("details")) d.open = true;
      const codes = el.querySelectorAll("pre code");
      if (codes.length) idle(() => codes.forEach(highlight));
      el.classList.toggle("unseen", !!this.unseen?.has(i));
      this.forks(el, i);
      this.page.dressed?.(el, i);
    }
    // badges removes the mark of the current entry from all others.
    badges(box) {
      for (const tag of box.querySelectorAll(".current")) if (+tag.closest(".turn").dataset.i !== this.s.leaf) tag.remove();
    }
    unfold(open) {
      this.unfolded = open;
      for (const d of this.box.querySelectorAll("details")) d.open = open;
    }
    // forks lists the other branches from an entry. A record that nothing follows, such as
    // that of an earlier position, is not a branch.
    forks(el, i) {
      const kids = this.s.kids(i);
      if (kids.length < 2 || el.nextElementSibling?.classList.contains("fork")) return;
      const others = kids.filter((k) => !this.page.tree.on.has(k) && (this.s.kinds[k] !== "o" || this.s.kids(k).length)), room = others.length > 6 ? 5 : 6;
      const line = (k) => {
        const line = make("div", { className: "fork" }, make("span", { dir: "auto" }, make("b", { textContent: "Other branch: " }), this.s.texts[k]));
        if (this.s.labels[k]) line.append(make("span", { className: "tag", textContent: this.s.labels[k] }));
        const go = make("button", { type: "button", textContent: "open" });
        go.dataset.go = k;
        line.append(go);
        this.page.forked?.(line, k);
        return line;
      };
      const told = others.slice(0, room).map(line);
      if (others.length > room) {
        const more = make("details", { className: "fork" }, make("summary", { textContent: `${others.length - room} more branches from here` }));
        more.addEventListener("toggle", () => { if (more.children.length === 1) more.append(...others.slice(room, 500).map(line)); });
        told.push(more);
      }
      el.after(...told);
    }
    clicked(e) {
      const button = e.target.closest("button");
      if (!button) return;
      if (button.dataset.go) this.page.go(+button.dataset.go);
      const turn = button.closest(".turn[data-i]");
      if (button.dataset.act === "copy") this.page.menu(+turn.dataset.i, button);
      if (button.dataset.act === "saw") this.page.saw(+turn.dataset.i);
    }
    dim(unseen) {
      this.unseen = unseen;
      this.shade(this.box);
    }
    shade(box) { for (const el of box.querySelectorAll(".turn[data-i]")) el.classList.toggle("unseen", !!this.unseen?.has(+el.dataset.i)); }
    find(i) { return this.box.querySelector(`.turn[data-i="${i}"]`); }
    async scrollTo(i) {
      const at = this.shown.indexOf(i);
      if (this.chunks.length && at >= 0) {
        const n = this.chunkAt(at);
        await this.fill(this.chunks[n]);
        if (n < this.from || n >= this.to) this.place(n, n + 1);
      }
      let el = this.find(i);
      for (let n = at; !el && n >= 0; n--) el = this.find(this.shown[n]); // not all of them are told
      if (el?.hidden) el = this.calls.get(el.dataset.for)?.closest(".turn") || el.previousElementSibling || el;
      for (const old of this.box.querySelectorAll(".here")) old.classList.remove("here");
      el?.classList.add("here");
      el?.scrollIntoView({ block: "start", behavior: "instant" });
    }
  }

  // ---- code in colors: strings, comments and the words that most languages share ----
  const words = /\b(?:abstract|async|await|break|case|catch|class|const|continue|def|default|defer|do|elif|else|enum|except|export|extends|false|finally|fn|for|from|func|function|go|if|impl|import|in|interface|is|lambda|let|match|mut|new|nil|none|None|not|null|of|or|package|pass|private|protected|pub|public|raise|range|return|select|self|static|struct|super|switch|this|throw|trait|true|True|False|try|type|typeof|undefined|union|use|var|void|while|with|yield)\b/g;
  // An escaped quote outside a string does not start one, and the search for the end of a
  // comment is bounded: the time is linear in the length of any text.
  const tokens = /\\.|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\/\/[^\n]*|\/\*[^]{0,2000}?\*\/|(?:^|\s)#[^\n]*|--[^\n]*)/g;
  const highlight = (code) => {
    if (code.dataset.done || code.textContent.length > 30000 || !code.className) return;
    code.dataset.done = "1";
    const text = code.textContent, out = [];
    const plain = (part) => {
      let last = 0;
      for (const m of part.matchAll(words)) {
        out.push(part.slice(last, m.index), make("span", { className: "k", textContent: m[0] }));
        last = m.index + m[0].length;
      }
      out.push(part.slice(last));
    };
    let last = 0;
    for (const m of text.matchAll(tokens)) {
      if (!m[1] && !m[2]) continue;
      plain(text.slice(last, m.index));
      out.push(make("span", { className: m[1] ? "s" : "c", textContent: m[0] }));
      last = m.index + m[0].length;
    }
    plain(text.slice(last));
    code.replaceChildren(...out);
  };

  // fold returns a text without case and accents, of the same length.
  const fold = (text) => text.toLowerCase().length === text.length ? text.toLowerCase().replace(/[^\x00-\x7f]/g, (c) => c.normalize("NFD")[0]) : text;
  const item = /(?:\b(re|project|role|tool|file|since|until|branch|model|status|source|tag|cost):)?(?:"([^"]*)"?|(\S+))/gi;
  // spans returns where a text contains the terms of a query. whole means that terms are
  // whole words, but for the last one, which may be incomplete.
  const spans = (query, text, whole) => {
    const folded = fold(text), out = [];
    for (const [got, key, quoted, plain] of query.matchAll(item)) {
      if (key && key.toLowerCase() !== "re") continue; // a filter
      let source = quoted ?? plain, flags = "gu", last = query.trimEnd().endsWith(got);
      if (!key) {
        const prefix = quoted === undefined && (last || plain.endsWith("*"));
        source = fold(source.replace(/\*$/, "")).replace(/[\\^$.*+?()[\]{}|\/]/g, "\\$&").replace(/\s+/g, "\\s+");
        if (whole && /[\p{L}\p{N}]/u.test(source)) source = `(?<![\\p{L}\\p{N}])${source}${prefix ? "" : "(?![\\p{L}\\p{N}])"}`;
      }
      try { for (const m of (key ? text : folded).matchAll(new RegExp(source, flags))) if (m[0] && out.length < 1000) out.push([m.index, m.index + m[0].length]); } catch { /* an expression that is not one of JavaScript */ }
    }
    return out.sort((a, b) => a[0] - b[0]);
  };

  // ---- search: every word anywhere in an entry, on all branches ----
  class Search {
    constructor(session) { this.s = session; this.texts = []; this.turn = 0; }
    async read(n) {
      if (!this.texts[n]) {
        const html = await this.s.source.part(n);
        this.texts[n] = html.replace(/<[^>]*>/g, " ").replace(/&(lt|gt|amp|quot|#39|#34);/g, (_, e) => ({ lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'", "#34": '"' })[e]).toLowerCase().split(separator);
      }
      return this.texts[n];
    }
    // warm reads all texts while the page is idle, so that the first search is as fast as
    // later ones.
    async warm() {
      for (let n = 0; !this.s.source.find && n < this.s.firsts.length; n++) {
        await new Promise((r) => idle(r));
        await this.read(n);
      }
      document.documentElement.dataset.warm = "1";
    }
    // run calls found with the entries that contain all words, as it finds them. A newer
    // search ends an older one.
    async run(query, found) {
      const turn = ++this.turn, hits = new Set();
      if (!query.trim()) return found(null, true);
      const want = (query.toLowerCase().match(/"[^"]+"|\S+/g) || []).map((w) => w.replaceAll('"', ""));
      if (this.s.source.find) {
        const got = await this.s.source.find(query);
        if (turn === this.turn) found(new Set(got.flatMap((id) => this.s.at.get(id) ?? [])), true);
        return;
      }
      let told = performance.now();
      for (let n = 0; n < this.s.firsts.length; n++) {
        const texts = await this.read(n);
        if (turn !== this.turn) return;
        texts.forEach((text, k) => { if (want.every((w) => text.includes(w))) hits.add(this.s.firsts[n] + k); });
        if (performance.now() - told > 100) { found(hits, false); await new Promise((r) => setTimeout(r)); told = performance.now(); }
      }
      found(hits, true);
    }
  }

  // ---- the page ----
  const manyParts = 64; // more are read only once the search box has focus
  class Page {
    async start(source) {
      this.s = await Session.read(source);
      const box = $("#conversation");
      this.talk = new Conversation(box, this.s, this);
      this.tree = new Tree($("#rows"), this.s, (i) => this.go(i));
      this.search = new Search(this.s);
      const path = this.s.path(this.s.leaf);
      this.tree.on = new Set(path);
      this.tree.layout();
      if (box.dataset.part === undefined) this.talk.adopt(path); else await this.replace(box, path);
      this.tree.select(this.s.leaf);
      $("#count").textContent = entries(this.s.count);
      this.bind();
      document.documentElement.dataset.ready = "1";
      if (this.s.firsts.length <= manyParts) this.search.warm(); else $("#search").addEventListener("focus", () => this.search.warm(), { once: true });
      const query = new URLSearchParams(location.search).get("q");
      if (query) {
        $("#search").value = query;
        await this.find(query);
        this.searched?.(query);
      }
      if (location.hash === "#last" && this.hits?.length) this.go(this.hits.at(-1));
      else if (location.hash.length > 1) this.hash(); else if (query) this.next(1);
    }
    // replace shows the whole path instead of a part of it and keeps the scroll position.
    async replace(box, path) {
      const read = scrollY > 0 && [...box.querySelectorAll(".turn")].find((el) => el.getBoundingClientRect().bottom > 0);
      const at = read ? this.s.at.get(read.id.replace(/^e-/, "")) : undefined;
      await this.talk.show(path, at ?? path[0]);
      if (at !== undefined) await this.talk.scrollTo(at);
    }
    // grow adds appended entries to the tree, and to the conversation if it shows the
    // current branch. Without entries it reads the whole session again.
    async grow(more) {
      const atEnd = this.talk.shown.at(-1) === this.s.leaf, from = this.s.count, all = more.from !== from;
      if (all) {
        this.s = await Session.read(this.s.source);
        this.talk.s = this.tree.s = this.s;
        this.tree.folded.clear();
      } else this.s.add(more);
      this.search = new Search(this.s);
      const tail = all ? null : this.s.between(this.talk.shown.at(-1), this.s.leaf);
      let laid = false, follow = false;
      if (all || atEnd) {
        follow = innerHeight + scrollY > document.documentElement.scrollHeight - 200;
        if (tail) {
          for (const i of tail) this.tree.on.add(i);
          if (tail.length) await this.talk.extend(tail);
          laid = this.tree.extend(from);
        } else {
          const path = this.s.path(this.s.leaf);
          this.tree.on = new Set(path);
          await this.talk.show(path, this.s.leaf);
        }
        if (follow) await this.talk.scrollTo(this.s.leaf);
      }
      this.talk.badges(this.talk.box);
      if (!laid) this.tree.layout();
      if (follow) this.tree.select(this.s.leaf);
      this.count();
      document.documentElement.dataset.grown = this.s.count;
    }
    bind() {
      const input = $("#search");
      let timer;
      input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => this.find(input.value), 40); });
      input.addEventListener("keydown", (e) => {
        if (e.key === "Escape") { if (input.value) { input.value = ""; this.find(""); } input.blur(); }
        if (e.key === "Enter") { input.blur(); clearTimeout(timer); this.enter(input.value, e.shiftKey ? -1 : 1); }
      });
      for (const b of document.querySelectorAll("[data-filter]")) b.addEventListener("click", () => this.filter(b));
      pith.bind();
      $("#unfold").addEventListener("click", (e) => {
        this.talk.unfold(!this.talk.unfolded);
        e.target.setAttribute("aria-pressed", this.talk.unfolded);
      });
      addEventListener("keydown", (e) => this.key(e));
      addEventListener("hashchange", () => this.hash());
      addEventListener("beforeprint", () => {
        if (!this.talk.complete()) this.talk.box.before(make("p", { className: "notice paper", textContent: "This is a part of the conversation. Press Ctrl+P in the page to print all of it." }));
      });
      addEventListener("afterprint", () => { $(".paper")?.remove(); this.talk.near(); });
      addEventListener("click", (e) => {
        const bar = e.target.closest?.(".window [data-at]");
        if (bar && +bar.dataset.at < this.s.count) this.go(+bar.dataset.at);
        if (!e.target.closest?.(".menu, [data-act=copy]")) this.shut();
      });
    }
    key(e) {
      if (pith.modal()) return;
      if ((e.ctrlKey || e.metaKey) && e.key === "p" && !this.talk.complete()) {
        e.preventDefault(); // entries that are not read yet would be missing on paper
        this.talk.all().then(() => print());
      }
      if (e.target.matches("input,textarea,select") || e.ctrlKey || e.metaKey || e.altKey) return;
      const act = {
        "/": () => { $("#search").focus(); $("#search").select(); }, "?": pith.help, t: () => $("#rows").focus(),
        j: () => this.step(1, "ua"), k: () => this.step(-1, "ua"), "}": () => this.step(1, "u"), "{": () => this.step(-1, "u"), n: () => this.next(1), N: () => this.next(-1), b: () => this.branch(), c: () => this.compaction(),
        g: () => this.go(this.talk.shown[0]), G: () => this.go(this.talk.shown.at(-1)), Escape: () => this.escape(),
        m: () => this.saw(this.tree.sel), y: () => this.menu(this.tree.sel, this.talk.find(this.tree.sel)?.querySelector("[data-act=copy]")),
        f: () => $("#unfold").click(), d: pith.theme,
      }[e.key];
      if (act) { act(); e.preventDefault(); }
    }
    // escape closes a menu or the context. If none is open, it leaves the page or ends
    // the search.
    escape() {
      if ($(".menu") || $("#saw")) { this.shut(); this.unsee(); }
      else if (this.leave) this.leave();
      else if (this.hits) { $("#search").value = ""; this.find(""); }
    }
    // step goes to the next or previous entry of some kinds on the path.
    step(by, kinds) {
      const path = this.talk.shown, at = path.indexOf(this.tree.sel);
      for (let n = at < 0 && by < 0 ? path.length - 1 : at + by; n >= 0 && n < path.length; n += by) if (kinds.includes(this.s.kinds[path[n]])) return this.go(path[n]);
    }
    // branch goes to the next branch that leaves the path, compaction to the next
    // compaction. Both wrap around.
    branch() {
      const on = new Set(this.talk.shown), at = this.talk.shown.indexOf(this.tree.sel);
      const forks = this.talk.shown.map((i, n) => [n, this.s.kids(i).find((k) => !on.has(k))]).filter(([, k]) => k !== undefined);
      const next = forks.find(([n]) => n > at) || forks[0];
      if (next) this.go(next[1]);
    }
    compaction() {
      const at = this.talk.shown.indexOf(this.tree.sel), all = this.talk.shown.filter((i) => this.s.kept[i] !== undefined);
      const next = all.find((i) => this.talk.shown.indexOf(i) > at) ?? all[0];
      if (next !== undefined) this.go(next);
    }
    async go(i, quiet) {
      if (!this.talk.shown.includes(i)) {
        this.unsee();
        const path = this.s.through(i);
        this.tree.on = new Set(path);
        await this.talk.show(path, i);
        this.tree.layout();
      }
      this.tree.select(i);
      await this.talk.scrollTo(i);
      this.mark(i);
      this.count();
      if (!quiet) history.replaceState(null, "", "#e-" + encodeURIComponent(this.s.ids[i]));
    }
    hash() {
      let name = location.hash.slice(1);
      try { name = decodeURIComponent(name); } catch { /* no address of ours */ }
      const i = this.s.at.get(name.replace(/^e-/, ""));
      if (i !== undefined) this.go(i, true);
    }
    filter(button) {
      for (const b of document.querySelectorAll("[data-filter]")) b.setAttribute("aria-pressed", b === button);
      const s = this.s, kinds = { all: "", user: "u", talk: "ua", labels: "" }[button.dataset.filter];
      this.tree.keep = button.dataset.filter === "labels" ? (i) => s.labels[i] !== undefined : kinds ? (i) => kinds.includes(s.kinds[i]) : () => true;
      this.tree.layout();
    }
    find(query) {
      this.query = query;
      this.around = null;
      CSS.highlights?.delete("match");
      const to = new URL(location.href);
      if (query) to.searchParams.set("q", query); else to.searchParams.delete("q");
      try { history.replaceState(history.state, "", to); } catch { /* a file whose address cannot change */ }
      return this.search.run(query, (hits, done) => {
        this.hits = hits && [...hits].sort((a, b) => a - b);
        this.tree.keep = hits ? (i) => hits.has(i) : () => true;
        this.tree.layout();
        this.count(done);
        if (done) document.documentElement.dataset.found = hits ? hits.size : "";
      });
    }
    // enter goes to a match of the query in the search box.
    async enter(query, by) {
      if (query !== this.query) await this.find(query);
      if (!this.around) this.searched?.(query);
      this.next(by);
    }
    // count shows the number of entries, or which match of the search is selected. A
    // server adds the matches in the sessions before and after this one.
    count(done = true) {
      const n = this.hits ? this.hits.indexOf(this.tree.sel) : -1, { before = 0, after = 0 } = this.around || {};
      $("#count").textContent = !this.hits ? entries(this.s.count) : n < 0 ? matches(this.hits.length) + (done ? "" : " …")
        : `match ${(before + n + 1).toLocaleString("en")} of ${(before + this.hits.length + after).toLocaleString("en")}`;
    }
    // next goes to the next or previous match. After the last one it goes to another
    // session that matches, or to the first.
    next(by) {
      if (!this.hits?.length) return this.hits && this.beyond?.(by);
      const n = this.hits.indexOf(this.tree.sel), to = n < 0 && by < 0 ? this.hits.length - 1 : n + by;
      if ((to < 0 || to >= this.hits.length) && this.beyond?.(by)) return;
      this.go(this.hits[(to + this.hits.length) % this.hits.length]);
    }
    // mark marks the words of the search in an entry, unfolds them, and brings the first
    // into view.
    mark(i) {
      CSS.highlights?.delete("match");
      if (!this.hits?.includes(i)) return;
      const turn = this.talk.find(i), box = turn?.hidden ? this.talk.calls.get(turn.dataset.for)?.querySelector(".result") : turn;
      if (!box) return;
      box.querySelectorAll("pre code").forEach(highlight);
      const nodes = [], walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT, (t) => t.parentElement.closest(".act, .r") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
      let text = "";
      while (walk.nextNode()) { nodes.push([text.length, walk.currentNode]); text += walk.currentNode.data; }
      let n = 0;
      const ranges = spans(this.query, text, !!this.s.source.find).map(([start, end]) => {
        const range = new Range();
        while (n + 1 < nodes.length && nodes[n + 1][0] <= start) n++;
        let last = n;
        while (last + 1 < nodes.length && nodes[last + 1][0] < end) last++;
        range.setStart(nodes[n][1], start - nodes[n][0]);
        range.setEnd(nodes[last][1], end - nodes[last][0]);
        return range;
      });
      if (!ranges.length) return;
      for (const r of ranges) {
        let el = r.startContainer.parentElement;
        if (el.closest("summary")) el = el.closest("details").parentElement;
        for (let d = el.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
      }
      if (globalThis.Highlight) CSS.highlights.set("match", new Highlight(...ranges));
      const first = ranges.find((r) => !r.startContainer.parentElement.closest("summary")) || ranges[0], pre = first.startContainer.parentElement.closest("pre");
      if (pre) pre.scrollTop += first.getBoundingClientRect().top - pre.getBoundingClientRect().top - pre.clientHeight / 2;
      const mine = CSS.highlights?.get("match");
      const show = (frames) => { // entries get their height when they come into view, which moves the match again
        const y = first.getBoundingClientRect().top;
        if (y < 110 || y > innerHeight - 60) scrollBy({ top: y - innerHeight / 3, behavior: "instant" });
        if (frames && CSS.highlights?.get("match") === mine) requestAnimationFrame(() => show(frames - 1));
      };
      show(10);
    }
    // saw shows the context of the model before it wrote an entry, or at one: the entries
    // that a compaction removed and kept, and its summary.
    async saw(i) {
      if (!(i >= 0)) return;
      await this.go(i, true);
      const at = this.s.kinds[i] === "a" && this.s.parents[i] >= 0 ? this.s.parents[i] : i;
      const { seen, compaction, gone, kept, tokens } = await (this.s.source.context?.(this.s.ids[at], this.s) ?? this.s.context(this.s.path(at)));
      this.unsee();
      const count = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
      const note = make("div", { className: "notice", id: "saw", tabIndex: -1 },
        make("b", { textContent: `Context here: ${entries(seen.size)}${tokens ? `, about ${count(tokens, "token")}` : ""}. ` }));
      if (compaction >= 0) {
        const read = make("button", { type: "button", textContent: "show summary" });
        read.addEventListener("click", () => this.talk.scrollTo(compaction));
        note.append(`A summary replaces ${entries(gone)}; ${entries(kept)} before the compaction ${kept === 1 ? "is" : "are"} kept. `, read);
      }
      const all = make("button", { type: "button", textContent: "show all" });
      all.addEventListener("click", () => this.unsee());
      note.append(" Entries outside the context are dimmed. ", all);
      const upTo = this.talk.shown.indexOf(i);
      this.talk.dim(new Set(this.talk.shown.filter((k, n) => n > upTo || !seen.has(k) && k !== i)));
      const turn = this.talk.find(i);
      if (turn && !turn.hidden) turn.before(note); else this.talk.box.before(note);
      note.scrollIntoView({ block: "center", behavior: "instant" });
      note.focus({ preventScroll: true });
    }
    unsee() {
      $("#saw")?.remove();
      this.talk.dim(null);
    }
    // menu offers texts of an entry to copy; a source may have more of them.
    menu(i, button) {
      const open = $(".menu");
      this.shut();
      if (!button || open?.parentElement === button.parentElement) return;
      const box = make("div", { className: "menu" });
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", "Copy");
      const offers = [["link", () => location.href.split("#")[0] + "#e-" + encodeURIComponent(this.s.ids[i])], ["text", () => {
        const turn = this.talk.find(i);
        return turn ? [...turn.querySelectorAll(".say, pre")].map((el) => el.textContent.trim()).filter(Boolean).join("\n\n") : this.s.texts[i];
      }], ...(this.offers?.(i) || [])];
      for (const [name, text] of offers) {
        const b = make("button", { type: "button", textContent: name });
        b.addEventListener("click", () => this.copy(text(), b));
        box.append(b);
      }
      button.after(box);
      button.setAttribute("aria-expanded", "true");
      box.addEventListener("keydown", (e) => { if (e.key === "Escape") { this.shut(); button.focus(); e.stopPropagation(); } });
      box.scrollIntoView({ block: "nearest", behavior: "instant" });
      box.firstElementChild.focus({ preventScroll: true });
    }
    shut() {
      $(".menu")?.previousElementSibling.setAttribute("aria-expanded", "false");
      $(".menu")?.remove();
    }
    async copy(text, button) {
      const was = button.textContent;
      try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch { prompt("Copy this:", text); }
      setTimeout(() => { button.textContent = was; }, 1200);
    }
  }

  document.documentElement.classList.add("js");
  pith.Page = Page;
  if ($("script[data-index]")) new Page().start(embedded()).catch((err) => {
    document.documentElement.classList.remove("js");
    document.documentElement.dataset.failed = String(err);
  });
})();
