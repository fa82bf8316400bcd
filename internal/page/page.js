"use strict";
// The script of a session page. The page can be read without it; it adds the tree of
// all branches, search, other branches, and the context of the model.
//
// A page has a source, which provides an index of all stretches (turns, or their parts
// on a branch) and the HTML of each. An exported file embeds both, compressed; pith serve
// sends them. pith generated and escaped all HTML that is put into the page.
(() => {
  const { $, $$, make } = pith, root = document.documentElement;
  const idle = globalThis.requestIdleCallback || setTimeout;
  // pause yields to the browser, because no task may take long.
  const pause = () => globalThis.scheduler?.yield?.() ?? new Promise((r) => setTimeout(r));
  const count = (n, what) => `${n.toLocaleString("en")} ${n === 1 ? what : what.replace(/y$/, "ie").replace(/ch$/, "che") + "s"}`;
  const short = (n) => n >= 1e6 ? +(n / 1e6).toFixed(2) + "M" : n >= 1000 ? +(n / 1000).toFixed(n < 1e4 ? 1 : 0) + "k" : String(n);
  const icon = (name, classes = "") => `<svg class="i ${classes}" aria-hidden="true"><use href="#i-${name}"/></svg>`;
  const fragment = (html) => { const t = document.createElement("template"); t.innerHTML = html; return t.content; };
  const narrow = () => matchMedia("(max-width: 800px)").matches;
  const separator = "\u001e"; // between the HTML of two stretches

  // ---- the source: compressed data inside the page ----
  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const inflate = async (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const embedded = () => {
    const parts = $$("script[data-part]");
    return {
      index: async function* () { for (const el of $$("script[data-index]")) yield JSON.parse(await inflate(bytesOf(el.textContent))); },
      part: (n) => inflate(bytesOf(parts[n].textContent)),
    };
  };

  // ---- a session: its stretches, and their HTML in parts ----
  class Session {
    constructor(source) {
      this.source = source;
      this.list = []; // p parent, i ids, c kinds, t tokens, o rows of entries, r rows, l labels, k kept, h hidden, u used
      this.firsts = [];
      this.loaded = new Map();
      this.fresh = new Map(); // HTML of stretches that came while the page was open
    }
    static async read(source) {
      const s = new Session(source);
      for await (const { stretches, firsts, ...rest } of source.index()) {
        if (firsts) s.firsts = firsts;
        Object.assign(s, rest);
        for (const x of stretches) s.list.push(x);
        await pause();
      }
      s.tie();
      return s;
    }
    // tie finds what follows each stretch, and the place of each id.
    tie() {
      this.at = new Map();
      this.kids = this.list.map(() => []);
      this.roots = [];
      this.count = 0;
      this.list.forEach((x, k) => {
        (x.p < 0 ? this.roots : this.kids[x.p]).push(k);
        this.count += x.i.length;
        x.i.forEach((id, n) => { if (!this.at.has(id)) this.at.set(id, [k, n]); });
      });
      this.sizes = this.list.map((x) => x.r.length);
      const order = [];
      for (const stack = this.roots.slice(); stack.length;) { const k = stack.pop(); order.push(k); stack.push(...this.kids[k]); }
      for (const k of order.reverse()) if (this.list[k].p >= 0) this.sizes[this.list[k].p] += this.sizes[k];
    }
    // replace takes over stretches that changed, from one on.
    replace({ from, stretches, html, leaf }) {
      this.list.splice(from, this.list.length, ...stretches);
      html.forEach((text, n) => this.fresh.set(from + n, text));
      this.leaf = leaf;
      this.tie();
    }
    partOf(k) {
      let lo = 0, hi = this.firsts.length - 1;
      while (lo < hi) { const mid = (lo + hi + 1) >> 1; if (this.firsts[mid] <= k) lo = mid; else hi = mid - 1; }
      return lo;
    }
    part(n) {
      if (!this.loaded.has(n)) {
        if (this.loaded.size > 24) this.loaded.delete(this.loaded.keys().next().value);
        this.loaded.set(n, this.source.part(n).then((text) => text.split(separator)));
      }
      return this.loaded.get(n);
    }
    async html(k) {
      if (this.fresh.has(k)) return this.fresh.get(k);
      const n = this.partOf(k);
      return (await this.part(n))[k - this.firsts[n]] ?? "";
    }
    path(k) {
      const out = [], seen = new Set();
      for (; k >= 0 && !seen.has(k); k = this.list[k].p) { seen.add(k); out.push(k); }
      return out.reverse();
    }
    // through returns the newest path that contains a stretch.
    through(k) {
      for (let n = 0; this.kids[k].length && n < this.list.length; n++) k = this.kids[k].at(-1);
      return this.path(k);
    }
    // forks reports whether several conversations continue a stretch.
    forks(k) { return this.kids[k].length > 1; }
    // size returns the number of rows of a stretch and of those below it.
    size(k) { return this.sizes[k]; }
    // title returns what a stretch begins with.
    title(k) { return this.list[k].r[0]?.[2] ?? this.list[k].i[0]; }
    place(id) {
      const got = this.at.get(id);
      return got && { k: got[0], r: Math.max(0, this.list[got[0]].o[got[1]]) };
    }
    id({ k, r }) { const x = this.list[k]; return x.i[x.r[r]?.[1] ?? 0]; }
  }

  // ---- the tree: a row for each prompt, text and call ----
  const mostLanes = 5, foldFrom = 8;
  const changes = /^\+(\d+)(?: −(\d+))?$/;
  class Tree {
    constructor(box, session, page) {
      this.box = box; this.s = session; this.page = page;
      this.pad = make("div", { className: "pad" });
      this.pad.setAttribute("role", "none");
      box.append(this.pad);
      this.folded = new Map(); // by stretch; others are as it was decided first
      this.rows = []; this.sel = null; this.on = new Set(); this.drawn = new Map(); this.show = "all";
      box.addEventListener("scroll", () => this.draw(this.drawn), { passive: true });
      box.addEventListener("click", (e) => {
        const el = e.target.closest(".trow");
        if (!el || e.ctrlKey || e.metaKey || e.shiftKey) return;
        e.preventDefault();
        const row = this.rows[+el.dataset.n];
        if (e.target.closest(".chev")) return this.fold(row.k, !this.isFolded(row.k));
        this.page.sheet(false);
        this.page.go(row);
      });
      box.addEventListener("keydown", (e) => this.key(e));
      new ResizeObserver(() => this.draw()).observe(box);
    }
    get high() { return narrow() ? 40 : 28; }
    isFolded(k) { return this.folded.get(k) ?? this.s.size(k) > foldFrom; }
    keeps(x) {
      return { all: true, prompts: x[0] === "u", edits: x[4] === "edit" || x[4] === "write", failed: !!x[5], found: false }[this.show];
    }
    // layout lists the rows: branches that were left come first, in a lane of their own,
    // then the shown one continues.
    layout() {
      const s = this.s, rows = this.rows = [];
      this.failed = 0;
      const put = (k, lane, first) => {
        const x = s.list[k], point = s.forks(k), off = !this.on.has(k);
        const fold = first && off && this.isFolded(k) && s.size(k) > 1;
        x.r.forEach((r, n) => {
          if (r[5]) this.failed++;
          const last = n === x.r.length - 1;
          if (fold && n > 0) return;
          if (this.hits ? !this.hits.has(k + "." + n) : !(this.keeps(r) || first && off && n === 0 || last && point)) return;
          rows.push({ k, r: n, lane, off, first: n === 0 && first, fold: n === 0 && first && off ? fold : undefined, point: last && point && !fold ? s.kids[k].length : 0 });
        });
        return fold;
      };
      const stack = s.roots.slice().reverse().map((k, n) => [k, { at: n === s.roots.length - 1 ? 0 : 1, open: [] }, s.roots.length > 1]);
      for (const top of stack) if (this.on.has(top[0])) top[1].at = 0;
      while (stack.length) {
        const [k, lane, first] = stack.pop();
        if (put(k, lane, first)) continue;
        const kids = s.kids[k];
        if (!kids.length) continue;
        const main = kids.find((x) => this.on.has(x)) ?? kids.at(-1);
        stack.push([main, lane, false]);
        const open = lane.at < mostLanes ? lane.open.concat({ at: lane.at, on: this.on.has(main) }) : lane.open; // no more are drawn
        for (const x of kids.slice().reverse()) if (x !== main) stack.push([x, { at: lane.at + 1, open }, true]);
      }
      const begun = new Set();
      rows.forEach((row, n) => { // where each lane begins and ends
        row.top = !begun.has(row.lane);
        begun.add(row.lane);
        row.lane.last = n;
      });
      this.pad.style.height = rows.length * this.high + "px";
      $("#rows").textContent = rows.length.toLocaleString("en");
      const failed = $("[data-show=failed] .num");
      failed.textContent = this.failed || "";
      this.draw();
    }
    draw(before = new Map()) {
      const high = this.high, top = Math.max(0, Math.floor(this.box.scrollTop / high) - 5);
      const end = Math.min(this.rows.length, top + Math.ceil(this.box.clientHeight / high) + 10);
      this.drawn = new Map();
      for (let n = top; n < end; n++) this.drawn.set(n, before.get(n) || this.row(n));
      for (const [n, el] of before) if (!this.drawn.has(n)) el.remove();
      if (!before.size) this.pad.replaceChildren();
      let next = null;
      for (const el of [...this.drawn.values()].reverse()) {
        if (!el.isConnected) this.pad.insertBefore(el, next);
        next = el;
      }
    }
    // lanes draws the lines beside a row.
    lanes(row, n) {
      const x = (at) => 10 + 16 * Math.min(at, mostLanes), at = x(row.lane.at), mid = this.high / 2, high = this.high;
      const kind = this.s.list[row.k].r[row.r][0], on = row.off ? "" : ' class="on"', out = [];
      for (const o of row.lane.open) out.push(`<path${o.on ? ' class="on"' : ""} d="M${x(o.at)} 0V${high}"/>`);
      if (row.first && row.lane.at) out.push(`<path d="M${x(row.lane.at - 1)} 0C${x(row.lane.at - 1)} ${mid} ${at} ${mid - 8} ${at} ${mid}"/>`);
      const from = row.top ? mid : 0, to = n === row.lane.last ? mid : high;
      if (to > from && !(row.first && row.lane.at && to === mid)) out.push(`<path${on} d="M${at} ${row.first && row.lane.at ? mid : from}V${to}"/>`);
      if (kind === "u") out.push(`<circle class="u ${row.off ? "off" : "on"}" cx="${at}" cy="${mid}" r="4"/>`);
      else if (kind === "a") out.push(`<circle class="${row.off ? "off" : "on"}" cx="${at}" cy="${mid}" r="3.5"/>`);
      return `<svg class="lane" width="${at + 12}" height="${high}" aria-hidden="true">${out.join("")}</svg>`;
    }
    row(n) {
      const row = this.rows[n], x = this.s.list[row.k], [kind, entry, text, note = "", sign = "", bad] = x.r[row.r], selected = this.is(row);
      const el = make("a", { className: `trow ${kind === "u" ? "u" : kind === "k" || kind === "s" ? "comp" : ""}${row.off ? " off" : ""}${bad ? " failed" : ""}`, id: `t${row.k}-${row.r}`, href: "#e-" + encodeURIComponent(x.i[entry]), tabIndex: -1 });
      el.dataset.n = n;
      el.style.top = n * this.high + "px";
      el.setAttribute("role", "treeitem");
      el.setAttribute("aria-level", this.level(row));
      el.setAttribute("aria-selected", selected);
      if (selected) el.setAttribute("aria-current", "true");
      if (row.fold !== undefined) el.setAttribute("aria-expanded", !row.fold);
      el.append(fragment(this.lanes(row, n) + (row.fold ? icon("chev", "chev") : "") + (sign ? icon(sign) : "")), make("span", { className: "cut", textContent: text, dir: "auto", title: text }));
      const chip = (classes, text, sign) => { const c = make("span", { className: "chip " + classes }); if (sign) c.append(fragment(icon(sign))); c.append(text); el.append(c); };
      for (const i in x.l) if (x.o[i] === row.r) chip("tag", x.l[i]);
      if (row.point) chip("fk", `${row.point} branches`, "branch");
      if (this.page.isLeaf(row)) chip("here", "current");
      const size = row.fold ? this.s.size(row.k) : 0, pm = changes.exec(note);
      if (size > 1) el.append(make("span", { className: "r", textContent: size }));
      else if (pm) el.append(fragment(`<span class="r"><span class="pm"><b>+${pm[1]}</b>${pm[2] ? `<i>−${pm[2]}</i>` : ""}</span></span>`));
      else if (note) el.append(make("span", { className: "r" + (bad ? " bad" : ""), textContent: note.replace(/ lines?$/, "") }));
      return el;
    }
    is(row) { return !!this.sel && row.k === this.sel.k && row.r === this.sel.r; }
    index(at) {
      if (!at) return -1;
      let n = this.rows.findIndex((row) => row.k === at.k && row.r === at.r);
      for (let r = at.r; n < 0 && r >= 0; r--) n = this.rows.findIndex((row) => row.k === at.k && row.r === r);
      return n;
    }
    select(at, quiet) {
      if (this.sel && at && this.sel.k === at.k && this.sel.r === at.r && this.drawn.size) return;
      this.sel = at;
      const n = this.index(at);
      if (n >= 0) {
        const y = n * this.high, box = this.box;
        if (y < box.scrollTop + this.high || y > box.scrollTop + box.clientHeight - 2 * this.high) box.scrollTop = quiet && Math.abs(y - box.scrollTop) < box.clientHeight * 1.5 ? (y < box.scrollTop + this.high ? y - this.high : y - box.clientHeight + 3 * this.high) : y - box.clientHeight / 2;
        box.setAttribute("aria-activedescendant", `t${this.rows[n].k}-${this.rows[n].r}`);
      }
      this.draw();
    }
    // key folds and unfolds branches that were left. Otherwise ← leads to the row above in
    // the tree, → to the next.
    key(e) {
      const n = this.index(this.sel), row = this.rows[n], left = e.key === "ArrowLeft";
      if (e.ctrlKey || e.metaKey || e.altKey || !left && e.key !== "ArrowRight") return;
      e.preventDefault();
      if (row?.off && this.s.size(this.head(row.k)) > 1 && this.isFolded(this.head(row.k)) !== left) return this.fold(row.k, left);
      this.page.choose(left ? this.rows.findLast((other, i) => i < n && this.level(other) < this.level(row)) : this.rows[n + 1]);
    }
    level(row) { return row.lane.at * 2 + (this.s.list[row.k].r[row.r][0] === "u" ? 1 : 2); }
    // head returns the stretch with which the branch of a stretch begins.
    head(k) {
      while (!this.on.has(this.s.list[k].p) && this.s.list[k].p >= 0 && !this.s.forks(this.s.list[k].p)) k = this.s.list[k].p;
      return k;
    }
    // fold folds the branch that a stretch belongs to, or unfolds it.
    fold(k, away) {
      if (this.on.has(k)) return;
      k = this.head(k);
      this.folded.set(k, away);
      if (away) this.sel = { k, r: 0 };
      this.layout();
    }
    // next returns the row some steps away.
    next(by) {
      const n = this.index(this.sel);
      return this.rows[Math.max(0, Math.min(this.rows.length - 1, (n < 0 ? (by > 0 ? -1 : 0) : n) + by))];
    }
  }

  // ---- the conversation: the stretches of a path; those near the view are in the page ----
  // A path of ordinary length is in the page completely, so that the browser can print
  // and search it. Of a longer one, only what is near the view is.
  const nearby = 1500, ordinary = 1200; // pixels; rows
  class Conversation {
    constructor(box, session, page) {
      this.box = box; this.s = session; this.page = page;
      this.path = [];
      this.chunks = []; // { k, el, filled, height }
      this.from = this.to = 0; // the chunks that are in the page
      this.above = make("div", { className: "room" });
      this.below = make("div", { className: "room" });
      this.filling = false;
      for (const what of ["scroll", "resize"]) addEventListener(what, () => this.look(), { passive: true });
    }
    async show(path, around) {
      this.path = path;
      this.chunks = path.map((k) => ({ k, el: null, filled: null, height: 60 + this.s.list[k].r.length * 36 }));
      this.whole = path.reduce((n, k) => n + this.s.list[k].r.length, 0) <= ordinary;
      const near = Math.max(0, path.indexOf(around));
      if (this.chunks[near]) await this.fill(this.chunks[near]);
      if (this.path !== path) return; // another one was asked for meanwhile
      this.box.replaceChildren();
      this.from = this.to = 0;
      this.place(near, near + 1);
      this.look();
      if (this.whole) setTimeout(() => this.fillRest(path), 200);
    }
    async fillRest(path) {
      for (const c of this.chunks) {
        if (this.path !== path) return;
        await this.fill(c);
        await new Promise((r) => setTimeout(r));
      }
      root.dataset.filled = "1";
    }
    boxOf(c) {
      if (!c.el) {
        c.el = make("div", { className: "chunk" });
        c.el.dataset.s = c.k;
        c.el.style.minHeight = c.height + "px";
      }
      return c.el;
    }
    fill(c) { return (c.filled ||= this.filled(c)); }
    async filled(c) {
      const html = await this.s.html(c.k);
      this.boxOf(c).replaceChildren(fragment(html));
      c.el.style.minHeight = "";
      this.dress(c);
      c.done = true;
    }
    // look puts what is near the view into the page.
    look() {
      if (!this.chunks.length || this.box.hidden) return;
      for (const c of this.chunks.slice(this.from, this.to)) c.height = c.el.getBoundingClientRect().height;
      let y = this.box.getBoundingClientRect().top, from = 0;
      while (from < this.chunks.length - 1 && y + this.chunks[from].height < -nearby) y += this.chunks[from++].height;
      let to = from;
      while (to < this.chunks.length && y < innerHeight + nearby) y += this.chunks[to++].height;
      this.place(from, Math.max(to, from + 1));
      this.empty = this.chunks.slice(from, to).filter((c) => !c.filled);
      if (this.empty.length && !this.filling) this.fillNear();
    }
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
        if (!el.isConnected) this.box.insertBefore(el, next);
        next = el;
      }
      this.from = from;
      this.to = to;
    }
    complete() { return this.whole && this.chunks.every((c) => c.done); }
    async all() {
      this.whole = true;
      for (const c of this.chunks) await this.fill(c);
      this.place(0, this.chunks.length);
    }
    // grow shows a path of which the stretches from one on are new or changed.
    async grow(path, from) {
      const atEnd = this.to === this.chunks.length, open = new Set($$("details[open][id]", this.box).map((d) => d.id)), shut = new Set($$("details.calls:not([open])", this.box).map((d) => $("[data-r]", d)?.id));
      const keep = path.findIndex((k) => k >= from), n = keep < 0 ? path.length : keep;
      const old = this.chunks.splice(n);
      this.path = path;
      for (const k of path.slice(n)) this.chunks.push({ k, el: null, filled: null, height: 200 });
      for (const c of this.chunks.slice(n)) {
        await this.fill(c);
        for (const d of $$("details[id]", c.el)) if (open.has(d.id)) d.open = true;
        for (const d of $$("details.calls", c.el)) if (shut.has($("[data-r]", d)?.id)) d.open = false;
      }
      if (n > 0) this.strip(this.chunks[n - 1]);
      for (const c of old) c.el?.remove();
      this.to = Math.min(this.to, n);
      this.place(Math.min(this.from, this.to), atEnd ? this.chunks.length : Math.max(this.to, n));
      this.page.leaf();
    }
    // dress adds the parts that need a script: local times, buttons, colors, branches.
    dress(c) {
      pith.times(c.el);
      const you = $(".you .by", c.el);
      if (you && !$(".tools", you)) {
        const tools = make("span", { className: "tools" });
        const add = (name, sign, act) => { const b = make("button", { className: "btn ghost", type: "button" }); b.append(fragment(icon(sign)), name); b.addEventListener("click", act); tools.append(b); };
        const at = { k: c.k, r: 0 };
        add("Link", "copy", () => pith.copy(location.href.split("#")[0] + "#e-" + encodeURIComponent(this.s.id(at))));
        add("Context", "compact", () => { this.page.mark(at); this.page.view("context"); });
        const fork = this.page.command?.("fork", at);
        if (fork) add("Fork command", "branch", () => pith.copy(fork));
        you.append(tools);
      }
      if (this.unfolded) for (const d of $$("details.call, details.compaction", c.el)) d.open = true;
      const codes = $$("pre code", c.el);
      if (codes.length) idle(() => codes.forEach(highlight));
      this.strip(c);
      this.page.dressed?.(c.el, c.k);
      this.page.leaf();
    }
    // strip lists the branches that continue a stretch, the shown one first.
    strip(c) {
      $(".fork", c.el)?.remove();
      const s = this.s, kids = s.kids[c.k];
      if (kids.length < 2) return;
      const on = kids.find((k) => this.path.includes(k)), sorted = [...new Set([on ?? kids.at(-1), ...kids])];
      const box = make("nav", { className: "fork" }), list = make("ul");
      box.setAttribute("aria-label", "Branches from here");
      const cap = make("div", { className: "cap" });
      cap.append(fragment(icon("branch")), make("span", { textContent: `${count(kids.length, "branch")} continue from here` }), make("span", { className: "grow" }));
      const link = this.page.compare?.(sorted[0], sorted[1]);
      if (link) cap.append(make("a", { className: "btn ghost", href: link, textContent: "Compare" }));
      const line = (k) => {
        const go = make("a", { className: "go", href: "#e-" + encodeURIComponent(s.list[k].i[0]) });
        if (k === on) go.setAttribute("aria-current", "true");
        go.addEventListener("click", (e) => { e.preventDefault(); this.page.go({ k, r: 0 }); });
        const facts = make("span", { className: "num faint" });
        const label = Object.values(s.list[k].l || {})[0];
        if (label) facts.append(make("span", { className: "chip tag", textContent: label }), " ");
        facts.append((k === on ? (s.path(s.leaf).includes(k) ? "current · " : "shown · ") : "") + count(s.size(k), "row"));
        go.append(make("span", { className: "o" }), make("span", { className: "cut", textContent: s.title(k), dir: "auto" }), facts);
        const li = make("li");
        li.append(go);
        return li;
      };
      list.append(...sorted.slice(0, 6).map(line));
      if (sorted.length > 6) {
        const more = make("details", {}, make("summary", { className: "more", textContent: `${sorted.length - 6} more branches` }), make("ul"));
        more.addEventListener("toggle", () => { if (!$("li", more)) $("ul", more).append(...sorted.slice(6, 500).map(line)); });
        list.append(make("li", {}, more));
      }
      box.append(cap, list);
      c.el.append(box);
    }
    unfold(open) {
      this.unfolded = open;
      for (const d of $$("details.call, details.compaction", this.box)) d.open = open;
    }
    find({ k, r }) {
      const c = this.chunks.find((c) => c.k === k);
      return c?.el && ($(`[data-r="${r}"]`, c.el) || c.el);
    }
    async scrollTo(at) {
      const n = this.path.indexOf(at.k);
      if (n < 0) return;
      await this.fill(this.chunks[n]);
      if (n < this.from || n >= this.to) this.place(n, n + 1);
      const el = this.find(at);
      for (let d = el?.parentElement.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
      const first = at.k === this.path[0] && at.r === 0;
      for (let n = 0; n < 3; n++) { // what comes into view gets its height, which moves the rest
        if (first) scrollTo({ top: 0, behavior: "instant" }); else el?.scrollIntoView({ block: "start", behavior: "instant" });
        this.look();
        await pause();
      }
      return el;
    }
    // seen returns the row at the top of the view.
    seen() {
      const line = innerHeight * 0.3;
      let best = this.from === 0 ? { k: this.path[0], r: 0 } : null; // above it is only the summary
      for (const c of this.chunks.slice(this.from, this.to)) {
        if (!c.el || c.el.getBoundingClientRect().top > line) break;
        best = { k: c.k, r: 0 };
        for (const el of $$("[data-r]", c.el)) { if (el.getBoundingClientRect().top > line) break; if (el.checkVisibility()) best.r = +el.dataset.r; }
      }
      return best;
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
  const item = /(?:\b(re|project|role|tool|file|since|until|branch|model|status|source|tag|cost|name|size|archived|internal):)?(?:"([^"]*)"?|(\S+))/gi;
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

  // ---- search: every word anywhere in a row, on all branches ----
  const entity = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'", "#34": '"' };
  const plain = (html) => fold(html.replace(/<[^>]*>/g, " ").replace(/&(lt|gt|amp|quot|#39|#34);/g, (_, e) => entity[e]));
  class Search {
    constructor(session) { this.s = session; this.texts = []; this.turn = 0; }
    // read returns the texts of the rows of each stretch of a part.
    async read(n) {
      return (this.texts[n] ||= (await this.s.source.part(n)).split(separator).map((html) => html.split(/<[^<>]* data-r="/).slice(1).map((row) => plain(row.slice(row.indexOf(">") + 1)))));
    }
    // warm reads all texts while the page is idle, so that the first search is as fast as
    // later ones.
    async warm() {
      for (let n = 0; !this.s.source.find && n < this.s.firsts.length; n++) {
        await new Promise((r) => idle(r));
        await this.read(n);
      }
      root.dataset.warm = "1";
    }
    // rows returns the rows of an entry that a query is about: of several calls those that
    // contain its words.
    rows(id, query) {
      const at = this.s.at.get(id);
      if (!at) return [];
      const [k, n] = at, x = this.s.list[k], own = x.r.map((row, r) => [row, r]).filter(([row]) => row[1] === n);
      const matching = own.filter(([row]) => spans(query, row[2], true).length);
      if (matching.length) return matching.map(([, r]) => k + "." + r);
      return x.r.length ? [k + "." + Math.max(0, x.o[n])] : [];
    }
    // run calls found with the rows that contain all words, as it finds them. A newer
    // search ends an older one.
    async run(query, found) {
      const turn = ++this.turn, hits = new Set(), s = this.s;
      if (!query.trim()) return found(null, true);
      if (s.source.find) {
        const got = await s.source.find(query);
        if (turn !== this.turn) return;
        for (const id of got) for (const r of this.rows(id, query)) hits.add(r);
        return found(hits, true);
      }
      const want = (query.match(/"[^"]+"|\S+/g) || []).map((w) => fold(w.replaceAll('"', "")));
      let told = performance.now();
      for (let n = 0; n < s.firsts.length; n++) {
        const texts = await this.read(n);
        if (turn !== this.turn) return;
        texts.forEach((rows, i) => rows.forEach((text, r) => { if (want.every((w) => text.includes(w))) hits.add(s.firsts[n] + i + "." + r); }));
        if (performance.now() - told > 100) { found(hits, false); await new Promise((r) => setTimeout(r)); told = performance.now(); }
      }
      found(hits, true);
    }
  }

  // ---- the context of the model at an entry ----
  const kinds = { p: ["k4", "prompt"], m: ["k4", "response"], r: ["k5", "result"], k: ["k3", "summary"], s: ["k3", "summary"] };
  class Context {
    constructor(box, session) { this.box = box; this.s = session; }
    // entries returns the entries up to a place, and which of them the model sees.
    async entries(at) {
      const s = this.s, upTo = s.list[at.k].r[at.r]?.[1] ?? s.list[at.k].i.length - 1, path = [];
      for (const k of s.path(at.k)) for (let n = 0; n < s.list[k].i.length && !(k === at.k && n > upTo && s.list[k].o[n] !== at.r); n++) path.push([k, n]);
      const ids = path.map(([k, n]) => s.list[k].i[n]);
      const got = await s.source.context?.(ids.at(-1)).catch(() => null);
      if (got) return { path, seen: new Set(got.seen), compaction: ids.indexOf(got.compaction) };
      let compaction = -1, first = 0;
      const hidden = new Set();
      path.forEach(([k, n], i) => { if (s.list[k].c[n] === "k") compaction = i; });
      for (const k of s.path(at.k)) for (const id of s.list[k].h || []) hidden.add(id);
      if (compaction >= 0) {
        const [k, n] = path[compaction], kept = ids.indexOf(s.list[k].k?.[n]);
        first = kept >= 0 && kept < compaction ? kept : compaction;
      }
      const seen = new Set(path.map(([k, n], i) => (i >= first || i === compaction) && s.list[k].c[n] in kinds && !hidden.has(ids[i]) ? ids[i] : null));
      if (compaction >= 0) seen.add(ids[compaction]);
      return { path, seen, compaction };
    }
    async show(at, isLeaf) {
      const s = this.s, { path, seen, compaction } = await this.entries(at), sums = { k1: 0, k3: 0, k4: 0, k5: 0 };
      let used = 0, before = 0, total = 0, past = 0; // past: also what is removed, since the compaction before
      path.forEach(([k, n], i) => {
        const x = s.list[k], [kind] = kinds[x.c[n]] || [];
        if (x.u?.[n]) { used = x.u[n]; before = i > compaction ? total : past; }
        if (x.c[n] === "k") past = 0;
        if (kind) past += x.t[n];
        if (!kind || !seen.has(x.i[n])) return;
        sums[kind] += x.t[n];
        total += x.t[n];
      });
      sums.k1 = Math.max(0, used - before);
      total += sums.k1;
      const limit = +this.box.dataset.limit || 0, wide = Math.max(limit, total, 1), row = s.list[at.k].r[at.r];
      const note = make("p", { className: "notice", tabIndex: -1 }), says = make("span");
      says.append("What the model sees at ", make("b", { textContent: isLeaf ? "the current leaf" : `“${row?.[2] ?? ""}”` }), ": ", make("span", { className: "num", textContent: `about ${short(total)}${limit ? " of " + short(limit) : ""} tokens` }), ". Select another entry in the tree to see its context.");
      note.append(fragment(icon("compact")), says);
      const names = { k1: "System prompt and tools", k3: "Summaries", k4: "Messages", k5: "Tool results" };
      let x = 0;
      const rects = Object.keys(names).map((k) => { const w = 1000 * sums[k] / wide, at = x; x += w; return w < 1 ? "" : `<rect class="f${k[1]}" x="${at.toFixed(1)}" y="0" width="${Math.max(1, w - 2).toFixed(1)}" height="20"/>`; });
      const keys = make("ul", { className: "keys" }), list = make("ol", { className: "ctx" });
      for (const k in names) if (sums[k]) keys.append(make("li", {}, make("span", { className: "sw " + k }), names[k] + " ", make("span", { className: "num faint", textContent: short(sums[k]) })));
      if (limit > total) keys.append(make("li", { className: "faint" }, "free ", make("span", { className: "num", textContent: short(limit - total) })));
      const li = (kind, name, text, num, gone, to) => {
        const what = to ? make("a", { className: "cut", href: "#e-" + encodeURIComponent(s.id(to)), textContent: text, dir: "auto" }) : make("span", { className: "cut", textContent: text, dir: "auto" });
        const el = make("li", { className: gone ? "gone" : "" }, make("span", { className: "sw " + kind }), make("span", { className: "kind faint", textContent: name }), what, make("span", { className: "num", textContent: num }));
        list.append(el);
      };
      if (sums.k1) li("k1", "system", "System prompt and definitions of tools, by the recorded size of the context", short(sums.k1));
      const shown = [];
      for (const [k, n] of path) {
        const x = s.list[k], [kind, name] = kinds[x.c[n]] || [];
        if (!kind) continue;
        const gone = !seen.has(x.i[n]), last = shown.at(-1), r = x.o[n], row = x.r[r];
        if (gone && last?.gone) { last.more++; last.tokens += x.t[n]; continue; }
        shown.push({ kind, name, text: row?.[2] ?? "", tokens: x.t[n], gone, more: 0, to: { k, r: Math.max(0, r) } });
      }
      const most = 400;
      if (shown.length > most) li("k4", "", `${shown.length - most} earlier entries`, short(shown.slice(0, -most).reduce((n, e) => n + e.tokens, 0)));
      for (const e of shown.slice(-most)) li(e.kind, e.name, e.more ? `${e.text} … and ${count(e.more, "entry")} after it` : e.text, e.gone ? "removed" : short(e.tokens), e.gone, e.to);
      this.box.replaceChildren(note, fragment(`<svg class="meter" viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label="${short(total)}${limit ? " of " + short(limit) : ""} tokens">${rects.join("")}</svg>`), keys, list);
      note.focus({ preventScroll: true });
    }
  }

  // ---- the page ----
  const manyParts = 64; // more are read only once the search box has focus
  class Page {
    async start(source) {
      this.s = await Session.read(source);
      this.talk = new Conversation($("#conversation"), this.s, this);
      this.tree = new Tree($("#tree"), this.s, this);
      this.search = new Search(this.s);
      this.context = new Context($("#context"), this.s);
      const path = this.s.leaf >= 0 ? this.s.path(this.s.leaf) : [];
      this.tree.on = new Set(path);
      this.tree.layout();
      const top = scrollY;
      await this.talk.show(path, path[0]);
      if (top) scrollTo({ top, behavior: "instant" });
      if (path.length) this.mark({ k: path[0], r: 0 });
      this.leaf();
      this.bind();
      root.dataset.ready = "1";
      if (this.s.firsts.length <= manyParts) this.search.warm(); else $("#search").addEventListener("focus", () => this.search.warm(), { once: true });
      const query = new URLSearchParams(location.search).get("q");
      if (query) {
        $("#search").value = query;
        await this.find(query);
        this.searched?.(query);
      }
      if (location.hash === "#last" && this.hits?.length) await this.go(this.hits.at(-1));
      else if (location.hash.length > 1) await this.hash(); else if (query) await this.next(1);
      root.dataset.opened = "1";
    }
    end() { const k = this.s.leaf; return k < 0 ? null : { k, r: Math.max(0, this.s.list[k].r.length - 1) }; }
    isLeaf(at) { const end = !this.s.excerpt && this.end(); return !!end && at.k === end.k && at.r === end.r; }
    // leaf says where the session goes on, if its end is shown.
    leaf() {
      const el = $("#end");
      if (el) el.hidden = this.talk.path.at(-1) !== this.s.leaf || !!this.s.excerpt || this.talk.box.hidden;
    }
    bind() {
      const input = $("#search"), top = $("header.top");
      let timer, waiting = false;
      input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => this.find(input.value), 40); });
      input.addEventListener("keydown", (e) => {
        if (e.key === "Enter") { e.preventDefault(); input.blur(); clearTimeout(timer); this.enter(input.value, e.shiftKey ? -1 : 1); }
      });
      $("#open-find").addEventListener("click", () => { top.classList.add("finding"); input.focus(); });
      input.addEventListener("blur", () => top.classList.remove("finding"));
      for (const b of $$("[data-show]")) b.addEventListener("click", () => this.filter(b.dataset.show));
      for (const b of $$("[data-view]")) b.addEventListener("click", () => this.view(b.dataset.view));
      for (const b of $$("[data-tree]")) b.addEventListener("click", () => this.sheet(!$(".side").classList.contains("open")));
      for (const b of $$("[data-go]")) b.addEventListener("click", () => b.dataset.go === "end" ? this.go(this.end()) : this.prompt(+b.dataset.go));
      $("#fold").addEventListener("click", () => this.unfold());
      addEventListener("hashchange", () => this.hash());
      addEventListener("scroll", () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => { waiting = false; this.follow(); });
      }, { passive: true });
      for (const what of ["wheel", "touchmove", "pointerdown"]) addEventListener(what, () => { this.still = 0; }, { passive: true }); // a person scrolls
      addEventListener("keydown", (e) => {
        if ((e.ctrlKey || e.metaKey) && e.key === "p" && !this.talk.complete()) {
          e.preventDefault(); // what is not read yet would be missing on paper
          this.talk.all().then(() => print());
        }
      });
      addEventListener("beforeprint", () => {
        if (!this.talk.complete()) this.talk.box.before(make("p", { className: "notice paper", textContent: "This is a part of the conversation. Press Ctrl+P in the page to print all of it." }));
      });
      addEventListener("afterprint", () => $(".paper")?.remove());
      const move = (by) => () => this.choose(this.tree.next(by));
      Object.assign(pith.actions, {
        "/": () => { top.classList.add("finding"); input.focus(); input.select(); }, t: () => { if (narrow()) this.sheet(true); $("#tree").focus(); },
        j: move(1), k: move(-1), ArrowDown: move(1), ArrowUp: move(-1), PageDown: move(15), PageUp: move(-15),
        g: () => this.go({ k: this.talk.path[0], r: 0 }), G: () => this.go({ k: this.talk.path.at(-1), r: this.s.list[this.talk.path.at(-1)].r.length - 1 }), Home: () => pith.actions.g(), End: () => pith.actions.G(),
        "]": () => this.prompt(1), "[": () => this.prompt(-1), n: () => this.next(1), N: () => this.next(-1), e: () => this.unfold(), b: () => this.branch(),
        x: () => this.view($("#context").hidden ? "context" : "conversation"), c: () => this.commands(), Enter: () => this.openRow(),
      });
      pith.typing.ArrowDown = pith.typing.ArrowUp = undefined;
      pith.escapes.push(() => $(".side").classList.contains("open") && (this.sheet(false), true), () => !$("#context").hidden && (this.view("conversation"), true),
        () => document.activeElement === input && !input.value && (input.blur(), true), () => (input.value || this.hits) && (input.value = "", this.find(""), true),
        () => document.activeElement?.matches("#tree, .notice") && (document.activeElement.blur(), true), () => this.leave && (this.leave(), true));
    }
    // choose goes to a row of the shown path, and only selects one of another branch.
    choose(row) {
      if (!row) return;
      if (this.talk.path.includes(row.k)) return this.go(row);
      this.going = null;
      this.tree.select(row);
    }
    sheet(open) {
      $(".side").classList.toggle("open", open);
      if (open) { this.tree.layout(); this.tree.select(null); this.tree.select(this.sel()); $("#tree").focus(); }
    }
    sel() { return this.at ?? (this.talk.path.length ? { k: this.talk.path[0], r: 0 } : null); }
    // mark selects a row in the tree and in the conversation.
    mark(at, quiet) {
      this.at = { k: at.k, r: at.r };
      for (const old of $$(".at", this.talk.box)) old.classList.remove("at");
      const el = this.talk.find(at);
      if (el?.dataset.r) el.classList.add("at");
      this.tree.select(this.at, quiet);
      this.count();
      this.marked?.(this.at);
    }
    // follow lets the tree follow the conversation while it is scrolled.
    follow() {
      if (performance.now() < (this.still ?? 0) || this.talk.box.hidden) return;
      const at = this.talk.seen();
      if (at && (at.k !== this.at?.k || at.r !== this.at?.r)) this.mark(at, true);
      if (this.pill && innerHeight + scrollY > root.scrollHeight - 160) this.news(0);
    }
    async go(at, quiet) {
      if (!at) return;
      this.at = this.going = at = { k: at.k, r: at.r }; // at once, for the next key
      this.still = performance.now() + 400;
      if (!this.talk.path.includes(at.k)) {
        const path = this.s.through(at.k);
        this.tree.on = new Set(path);
        this.tree.layout();
        this.tree.select(at);
        await this.talk.show(path, at.k);
      } else this.tree.select(at);
      if (!quiet) try { history.replaceState(history.state, "", "#e-" + encodeURIComponent(this.s.id(at))); } catch { /* a file whose address cannot change */ }
      if (!$("#context").hidden) { this.mark(at); return this.context.show(at, this.isLeaf(at)); }
      await this.talk.scrollTo(at);
      if (this.going !== at) return; // another row was chosen meanwhile
      this.still = performance.now() + 400;
      this.mark(at);
      this.paint(at);
    }
    async hash() {
      let name = location.hash.slice(1);
      try { name = decodeURIComponent(name); } catch { /* no address of ours */ }
      const at = this.s.place(name.replace(/^e-/, ""));
      if (at) await this.go(at, true);
    }
    filter(name) {
      for (const b of $$("[data-show]")) b.setAttribute("aria-pressed", b.dataset.show === name);
      this.tree.show = name;
      this.tree.layout();
      const sel = this.tree.sel;
      this.tree.sel = null;
      this.tree.select(sel);
    }
    view(name) {
      const context = name === "context", box = $("#context");
      for (const b of $$("[data-view]")) b.setAttribute("aria-pressed", b.dataset.view === name);
      box.hidden = !context;
      this.talk.box.hidden = context;
      this.leaf();
      const at = this.sel();
      if (context && at) { this.context.show(at, this.isLeaf(at)); scrollTo({ top: Math.min(scrollY, $(".acts").offsetTop), behavior: "instant" }); }
      else if (at) { this.talk.look(); this.go(at, true); }
    }
    unfold() {
      const open = !this.talk.unfolded;
      this.talk.unfold(open);
      $("#fold").setAttribute("aria-pressed", open);
      $("#fold").setAttribute("aria-label", open ? "Fold all" : "Expand all");
      $("#fold .lbl").textContent = open ? "Fold all" : "Expand all";
    }
    commands() {
      const menu = $(".acts details.pick");
      if (!menu) return;
      menu.open = true;
      $("button", menu)?.focus();
    }
    // openRow opens the branch of the selected row, or folds and unfolds its call.
    openRow() {
      const at = this.tree.sel;
      if (!at) return;
      if (!this.talk.path.includes(at.k)) return this.go(at);
      const el = this.talk.find(at);
      if (el?.matches("details")) el.open = !el.open; else this.go(at);
    }
    // prompt goes to the next or previous prompt of the path.
    prompt(by) {
      const path = this.talk.path.filter((k) => this.s.list[k].r[0]?.[0] === "u"), here = this.talk.path.indexOf(this.sel()?.k);
      const at = path.map((k) => this.talk.path.indexOf(k));
      const n = by > 0 ? at.findIndex((p) => p > here) : at.findLastIndex((p) => p < here || p === here && this.sel().r > 0);
      if (n >= 0) this.go({ k: path[n], r: 0 });
    }
    // branch goes to the next branch point of the path. It wraps around.
    branch() {
      const points = this.talk.path.filter((k) => this.s.forks(k)), here = this.talk.path.indexOf(this.sel()?.k), last = (k) => ({ k, r: Math.max(0, this.s.list[k].r.length - 1) });
      const next = points.find((k) => this.talk.path.indexOf(k) > here || this.talk.path.indexOf(k) === here && this.sel().r < last(k).r) ?? points[0];
      if (next !== undefined) this.go(last(next));
    }
    find(query) {
      this.query = query;
      this.around = null;
      CSS.highlights?.delete("match");
      const to = new URL(location.href);
      if (query) to.searchParams.set("q", query); else to.searchParams.delete("q");
      try { history.replaceState(history.state, "", to); } catch { /* a file whose address cannot change */ }
      return this.search.run(query, (hits, done) => {
        this.hits = hits && [...hits].map((key) => { const [k, r] = key.split(".").map(Number); return { k, r }; }).sort((a, b) => a.k - b.k || a.r - b.r);
        this.tree.hits = hits;
        this.tree.layout();
        this.count(done);
        if (done) root.dataset.found = hits ? hits.size : "";
      });
    }
    // enter goes to a match of the query in the search box.
    async enter(query, by) {
      if (query !== this.query) await this.find(query);
      this.searched?.(query);
      this.next(by);
    }
    current() { return this.hits ? this.hits.findIndex((h) => h.k === this.at?.k && h.r === this.at?.r) : -1; }
    // count says which match is selected.
    count(done = true) {
      const n = this.current();
      $("#count").textContent = !this.hits ? "" : n < 0 ? count(this.hits.length, "match") + (done ? "" : " …") : `match ${n + 1} of ${this.hits.length.toLocaleString("en")}`;
    }
    // next goes to the next or previous match. After the last one it goes to another
    // session that matches, or to the first.
    next(by) {
      if (!this.hits?.length) return this.hits && this.beyond?.(by);
      const n = this.current(), to = n < 0 && by < 0 ? this.hits.length - 1 : n + by;
      if ((to < 0 || to >= this.hits.length) && this.beyond?.(by)) return;
      return this.go(this.hits[(to + this.hits.length) % this.hits.length]);
    }
    // paint marks the words of the search in a row, unfolds them, and brings the first
    // into view.
    paint(at) {
      CSS.highlights?.delete("match");
      if (this.current() < 0) return;
      const box = this.talk.find(at);
      if (!box) return;
      $$("pre code", box).forEach(highlight);
      const nodes = [], walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT, (t) => t.parentElement.closest(".tools, .r, .d") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
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
      if (!ranges.length) { if (box.matches("details")) box.open = true; return; }
      for (const r of ranges) {
        let el = r.startContainer.parentElement;
        if (el.closest("summary")) el = el.closest("details").parentElement;
        for (let d = el.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
      }
      if (globalThis.Highlight) CSS.highlights.set("match", new Highlight(...ranges));
      const first = ranges.find((r) => !r.startContainer.parentElement.closest("summary")) || ranges[0], pre = first.startContainer.parentElement.closest(".out, .diff");
      if (pre) pre.scrollTop += first.getBoundingClientRect().top - pre.getBoundingClientRect().top - pre.clientHeight / 2;
      const mine = CSS.highlights?.get("match");
      const show = (frames) => { // what comes into view gets its height, which moves the match again
        const y = first.getBoundingClientRect().top;
        this.still = performance.now() + 400;
        if (y < 120 || y > innerHeight - 60) scrollBy({ top: y - innerHeight / 3, behavior: "instant" });
        if (frames && CSS.highlights?.get("match") === mine) requestAnimationFrame(() => show(frames - 1));
      };
      show(10);
    }
    // grow takes over what was appended. Without stretches it reads the whole session
    // again. Nothing moves while somebody reads; a pill leads to what is new.
    async grow(more) {
      const s = this.s, was = s.leaf, rows = (k) => k < 0 ? 0 : s.path(k).reduce((n, x) => n + s.list[x].r.length, 0), before = rows(was);
      const onLeaf = this.talk.path.at(-1) === was, atEnd = onLeaf && innerHeight + scrollY > root.scrollHeight - 200;
      const id = this.at && s.id(this.at), r = this.at?.r;
      if (more.stretches) s.replace(more);
      else {
        const again = await Session.read(s.source);
        Object.assign(s, again);
        s.loaded.clear();
        s.fresh.clear();
      }
      if (more.head) { $("#head")?.replaceWith(fragment(more.head)); pith.times($("#head")); }
      this.search = new Search(s);
      if (onLeaf || !more.stretches) {
        const path = s.leaf < 0 ? [] : s.path(s.leaf);
        this.tree.on = new Set(path);
        if (more.stretches && this.talk.chunks.length) await this.talk.grow(path, more.from); else await this.talk.show(path, s.place(id)?.k ?? path[0]);
      }
      this.tree.layout();
      const place = id && s.place(id);
      if (atEnd) await this.go(this.end(), true);
      else if (place) this.mark({ k: place.k, r: this.s.list[place.k].r[r]?.[1] === this.s.list[place.k].r[place.r]?.[1] ? r : place.r }, true);
      const fresh = rows(s.leaf) - before;
      if (!atEnd && fresh > 0) this.news((this.pill?.n ?? 0) + fresh);
      root.dataset.grown = s.count;
    }
    news(n) {
      this.pill?.el.remove();
      this.pill = null;
      if (!n) return;
      const el = make("button", { className: "btn jump", type: "button" });
      el.append(fragment(icon("end")), count(n, "new entry"));
      el.addEventListener("click", () => { this.news(0); this.go(this.end()); });
      document.body.append(el);
      this.pill = { n, el };
    }
  }

  pith.Page = Page;
  if ($("script[data-index]")) new Page().start(embedded()).catch((err) => {
    root.classList.remove("js");
    root.dataset.failed = String(err);
  });
})();
