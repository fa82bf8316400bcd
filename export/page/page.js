"use strict";
// The script of a session's page. It adds to a page that can be read without it:
// the tree of all branches, search, other branches, what the model saw.
//
// A page has a source, which gives an index of all entries and the HTML of each:
// an exported file holds both, compressed (embedded); pith serve sends them.
// All HTML that is put into the page was made and escaped by pith.
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

  // ---- the source: compressed data inside the page ----
  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const inflate = async (bytes) =>
    new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const embedded = () => {
    const parts = [...document.querySelectorAll("script[data-part]")];
    return {
      index: async () => JSON.parse(await inflate(bytesOf($("#index").textContent))),
      part: async (n) => JSON.parse(await inflate(bytesOf(parts[n].textContent))),
    };
  };

  // ---- a session: its entries as columns, and their HTML in parts ----
  class Session {
    constructor(source, index) {
      this.source = source;
      Object.assign(this, index); // ids, parents, kinds, texts, labels, tokens, kept, hidden, firsts, leaf
      this.count = this.ids.length;
      this.at = new Map();
      this.ids.forEach((id, i) => { if (!this.at.has(id)) this.at.set(id, i); });
      this.children = Array.from({ length: this.count }, () => null);
      this.roots = [];
      this.parents.forEach((p, i) => {
        if (p < 0) this.roots.push(i);
        else (this.children[p] ||= []).push(i);
      });
      this.loaded = new Map();
      this.fresh = new Map(); // HTML of entries that came while the page was open
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
        this.loaded.set(n, this.source.part(n));
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
    // through is the newest path that goes through an entry.
    through(i) {
      const seen = new Set();
      while (this.children[i] && !seen.has(i)) { seen.add(i); i = this.children[i].at(-1); }
      return this.path(i);
    }
    // context is what a model saw at the end of a path: the entries, and the
    // compaction that stands for what came before.
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
      const seen = new Set(path.slice(first).filter((i) => "uarbcs".includes(this.kinds[i]) && !hidden.has(i)));
      if (compaction >= 0) seen.add(path[compaction]);
      return { seen, compaction: compaction < 0 ? -1 : path[compaction], gone: first };
    }
  }

  // ---- the tree as lanes ----
  const rowHeight = 24, lane = 14, lanesShown = 6;
  class Tree {
    constructor(box, session, choose) {
      this.box = box; this.s = session; this.choose = choose;
      this.pad = make("div", { className: "pad" });
      box.append(this.pad);
      this.folded = new Set(); this.keep = () => true; this.sel = -1; this.on = new Set();
      box.addEventListener("scroll", () => this.draw(), { passive: true });
      box.addEventListener("click", (e) => {
        const row = e.target.closest(".row");
        if (row) this.choose(+row.dataset.i);
      });
      box.addEventListener("keydown", (e) => this.key(e));
      new ResizeObserver(() => this.draw()).observe(box);
    }
    // layout lists the rows: where a branch was left it is told first, then the
    // active one goes on in the same lane.
    layout() {
      const rows = [], stack = this.s.roots.slice().reverse().map((i) => [i, 0, []]);
      const seen = new Set();
      while (stack.length) {
        const [i, at, open] = stack.pop();
        if (seen.has(i)) continue;
        seen.add(i);
        const kids = this.folded.has(i) ? [] : this.s.children[i] || [];
        const row = { i, at, open, last: !kids.length, forks: kids.length > 1 };
        if (this.keep(i)) rows.push(row);
        const main = kids.find((k) => this.on.has(k)) ?? kids.at(-1);
        const others = kids.filter((k) => k !== main);
        if (main !== undefined) stack.push([main, at, open]);
        others.reverse().forEach((k) => stack.push([k, at + 1, open.concat(at)]));
      }
      this.rows = rows;
      this.place = new Map(rows.map((r, n) => [r.i, n]));
      this.pad.style.height = rows.length * rowHeight + "px";
      this.draw();
    }
    draw() {
      if (!this.rows) return;
      const top = Math.max(0, Math.floor(this.box.scrollTop / rowHeight) - 5);
      const end = Math.min(this.rows.length, top + Math.ceil(this.box.clientHeight / rowHeight) + 10);
      const out = [];
      for (let n = top; n < end; n++) out.push(this.row(this.rows[n], n));
      this.pad.replaceChildren(...out);
    }
    row(r, n) {
      const s = this.s, kind = s.kinds[r.i], on = this.on.has(r.i);
      const el = make("div", { className: `row ${kind}${on ? " on" : ""}${r.i === this.sel ? " sel" : ""}`, id: "row" + r.i });
      el.dataset.i = r.i;
      el.style.top = n * rowHeight + "px";
      el.setAttribute("role", "treeitem");
      el.setAttribute("aria-level", Math.min(r.at, lanesShown) + 1);
      el.setAttribute("aria-selected", r.i === this.sel);
      const at = Math.min(r.at, lanesShown), x = 10 + at * lane;
      const pic = svg("svg", { width: 20 + at * lane, height: rowHeight, "aria-hidden": "true" });
      for (const o of r.open) if (o < lanesShown) pic.append(svg("line", { x1: 10 + o * lane, x2: 10 + o * lane, y1: 0, y2: rowHeight, stroke: "var(--left)", "stroke-width": 2 }));
      const color = on ? "var(--accent)" : "var(--left)";
      pic.append(svg("line", { x1: x, x2: x, y1: n ? 0 : 12, y2: r.last ? 12 : rowHeight, stroke: color, "stroke-width": 2 }));
      const fill = !on ? "var(--left)" : kind === "u" ? "var(--user)" : kind === "x" ? "var(--bad)" : "var(--tool)";
      pic.append(kind === "u" ? svg("circle", { cx: x, cy: 12, r: 5, fill })
        : kind === "a" ? svg("circle", { cx: x, cy: 12, r: 4, fill: "var(--panel)", stroke: on ? "var(--ink)" : "var(--left)", "stroke-width": 2 })
        : svg("rect", { x: x - 3, y: 9, width: 6, height: 6, fill }));
      el.append(pic, make("span", { className: "t", textContent: s.texts[r.i], dir: "auto" }));
      if (r.i === s.leaf) el.append(make("span", { className: "tag", textContent: "stands here" }));
      if (s.labels[r.i]) el.append(make("span", { className: "tag", textContent: s.labels[r.i] }));
      return el;
    }
    select(i) {
      this.sel = i;
      const n = this.place.get(i);
      if (n !== undefined) {
        const y = n * rowHeight;
        if (y < this.box.scrollTop || y > this.box.scrollTop + this.box.clientHeight - rowHeight) this.box.scrollTop = y - this.box.clientHeight / 2;
        this.box.setAttribute("aria-activedescendant", "row" + i);
      }
      this.draw();
    }
    key(e) {
      const n = this.place.get(this.sel) ?? -1;
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 }[e.key];
      if (step) {
        const to = this.rows[Math.max(0, Math.min(this.rows.length - 1, n + step))];
        if (to) this.choose(to.i);
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

  // ---- the conversation ----
  class Conversation {
    constructor(box, session, page) {
      this.box = box; this.s = session; this.page = page;
      this.shown = null; // the path, as a list
      this.watch = new IntersectionObserver((es) => {
        for (const e of es) if (e.isIntersecting) this.fill(e.target);
      }, { rootMargin: "1200px" });
      box.addEventListener("toggle", (e) => this.unfolded(e.target), true);
      box.addEventListener("click", (e) => this.clicked(e));
    }
    // adopt takes over what the page was delivered with.
    adopt(path) {
      this.shown = path;
      for (const el of this.box.querySelectorAll(".turn[data-i]")) this.dress(el);
    }
    async show(path, around) {
      this.shown = path;
      this.watch.disconnect();
      const els = path.map((i) => {
        const el = make("section", { className: "turn", id: "at" + i });
        el.dataset.i = i;
        el.dataset.empty = "1";
        return el;
      });
      this.box.replaceChildren(...els);
      const at = Math.max(0, path.indexOf(around));
      for (let n = Math.max(0, at - 3); n < Math.min(els.length, at + 12); n++) await this.fill(els[n]);
      for (const el of this.box.children) if (el.dataset.empty) this.watch.observe(el);
    }
    // extend adds the end of a longer path.
    async extend(path) {
      for (const i of path.slice(this.shown.length)) {
        const el = make("section", { className: "turn", id: "at" + i });
        el.dataset.i = i;
        this.box.append(el);
        await this.refill(el);
      }
      this.shown = path;
    }
    async fill(el) {
      if (!el.dataset.empty) return;
      delete el.dataset.empty;
      this.watch.unobserve(el);
      await this.refill(el);
    }
    async refill(el) {
      const html = await this.s.html(+el.dataset.i);
      const box = document.createElement("template");
      box.innerHTML = html;
      const fresh = box.content.firstElementChild;
      if (!fresh) { el.remove(); return null; }
      if (el.classList.contains("unseen")) fresh.classList.add("unseen");
      el.replaceWith(fresh);
      this.dress(fresh);
      return fresh;
    }
    // dress adds what only a script can do: actions, colours, results at calls.
    dress(el) {
      const i = +el.dataset.i, who = $(".who", el);
      if (who && !$(".act", who)) {
        const act = make("span", { className: "act" });
        act.append(make("button", { type: "button", textContent: "copy link", title: "copy a link to this entry" }),
          make("button", { type: "button", textContent: "what the model saw" }));
        act.children[0].dataset.act = "link";
        act.children[1].dataset.act = "saw";
        who.append(act);
      }
      for (const res of el.querySelectorAll("details.result[data-for]")) {
        let prev = el.previousElementSibling, hops = 0;
        for (; prev && hops < 60; prev = prev.previousElementSibling, hops++) {
          const call = [...prev.querySelectorAll("details.call[data-call]")].find((c) => c.dataset.call === res.dataset.for);
          if (!call) continue;
          $(".r", call.firstElementChild).replaceWith($(".r", res.firstElementChild).cloneNode(true));
          if ($(".result", call)) break;
          const copy = res.cloneNode(true);
          copy.open = true;
          call.append(copy);
          el.hidden = true;
          break;
        }
      }
      for (const code of el.querySelectorAll("pre code")) highlight(code);
      this.forks(el, i);
    }
    // forks tells in its place what was tried below an entry and left.
    forks(el, i) {
      const kids = this.s.children[i];
      if (!kids || kids.length < 2 || el.nextElementSibling?.classList.contains("fork")) return;
      const on = new Set(this.shown);
      const others = kids.filter((k) => !on.has(k));
      el.after(...others.slice(0, 20).map((k) => {
        const line = make("div", { className: "fork" }, make("span", {}, make("b", { textContent: "Also from here: " }), this.s.texts[k]));
        if (this.s.labels[k]) line.append(make("span", { className: "tag", textContent: this.s.labels[k] }));
        const go = make("button", { type: "button", textContent: "read it" });
        go.dataset.go = k;
        line.append(go);
        return line;
      }));
    }
    async unfolded(details) {
      if (!details.open || !details.dataset.cut) return;
      const turn = details.closest(".turn"), nth = [...turn.querySelectorAll("details")].indexOf(details);
      const fresh = await this.refill(turn);
      const again = fresh?.querySelectorAll("details")[nth];
      if (again) again.open = true;
    }
    clicked(e) {
      const button = e.target.closest("button");
      if (!button) return;
      if (button.dataset.go) this.page.go(+button.dataset.go);
      const turn = button.closest(".turn");
      if (button.dataset.act === "link") this.page.copy(location.href.split("#")[0] + "#e-" + encodeURIComponent(this.s.ids[+turn.dataset.i]), button);
      if (button.dataset.act === "saw") this.page.saw(+turn.dataset.i);
      if (button.dataset.act === "full") this.refill(turn);
    }
    find(i) { return this.box.querySelector(`.turn[data-i="${i}"]`); }
    async scrollTo(i) {
      let el = this.find(i);
      for (let n = this.shown.indexOf(i); !el && n >= 0; n--) el = this.find(this.shown[n]); // not all of them are told
      if (!el) return;
      i = +el.dataset.i;
      if (el.dataset.empty) { await this.fill(el); el = this.find(i); }
      if (el?.hidden) el = el.previousElementSibling || el;
      for (const old of this.box.querySelectorAll(".here")) old.classList.remove("here");
      el?.classList.add("here");
      el?.scrollIntoView({ block: "start", behavior: "instant" });
    }
  }

  // ---- code in colours: strings, comments and the words that most languages share ----
  const words = /\b(?:abstract|async|await|break|case|catch|class|const|continue|def|default|defer|do|elif|else|enum|except|export|extends|false|finally|fn|for|from|func|function|go|if|impl|import|in|interface|is|lambda|let|match|mut|new|nil|none|None|not|null|of|or|package|pass|private|protected|pub|public|raise|range|return|select|self|static|struct|super|switch|this|throw|trait|true|True|False|try|type|typeof|undefined|union|use|var|void|while|with|yield)\b/g;
  const tokens = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\/\/[^\n]*|\/\*[^]*?\*\/|(?:^|\s)#[^\n]*|--[^\n]*)/g;
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
      plain(text.slice(last, m.index));
      out.push(make("span", { className: m[1] ? "s" : "c", textContent: m[0] }));
      last = m.index + m[0].length;
    }
    plain(text.slice(last));
    code.replaceChildren(...out);
  };

  // ---- search: every word anywhere in an entry, on all branches ----
  class Search {
    constructor(session) { this.s = session; this.texts = []; this.turn = 0; }
    async read(n) {
      if (!this.texts[n]) {
        const part = await this.s.source.part(n);
        this.texts[n] = part.map((html) => html.replace(/<[^>]*>/g, " ").replace(/&(lt|gt|amp|quot|#39|#34);/g, (_, e) => ({ lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'", "#34": '"' })[e]).toLowerCase());
      }
      return this.texts[n];
    }
    // run calls found with the entries that hold all words, as they are found; a
    // newer search ends an older one.
    async run(query, found) {
      const turn = ++this.turn, hits = new Set();
      const want = (query.toLowerCase().match(/"[^"]+"|\S+/g) || []).map((w) => w.replaceAll('"', ""));
      if (!want.length) return found(null, true);
      for (let n = 0; n < this.s.firsts.length; n++) {
        const texts = await this.read(n);
        if (turn !== this.turn) return;
        texts.forEach((text, k) => { if (want.every((w) => text.includes(w))) hits.add(this.s.firsts[n] + k); });
        if (n % 8 === 7) { found(hits, false); await new Promise((r) => setTimeout(r)); }
      }
      found(hits, true);
    }
  }

  // ---- the page ----
  class Page {
    async start(source) {
      this.s = new Session(source, await source.index());
      const box = $("#conversation");
      this.talk = new Conversation(box, this.s, this);
      this.tree = new Tree($("#rows"), this.s, (i) => this.go(i));
      this.search = new Search(this.s);
      const path = this.s.path(this.s.leaf);
      this.tree.on = new Set(path);
      this.tree.layout();
      if (box.dataset.part !== undefined) await this.talk.show(path, this.s.leaf); else this.talk.adopt(path);
      this.tree.select(this.s.leaf);
      $("#count").textContent = `${this.s.count.toLocaleString("en")} entries`;
      this.bind();
      document.documentElement.dataset.ready = "1";
      if (location.hash.length > 1) this.hash();
    }
    // grow takes what was appended: rows join the tree, and the conversation goes on
    // when it stood at the end. Without rows all of it is asked for.
    async grow(more) {
      const before = this.s, atEnd = this.talk.shown.at(-1) === before.leaf;
      if (more.from !== before.count) more = await before.source.index();
      else {
        for (const name of ["ids", "parents", "texts"]) more[name] = before[name].concat(more[name]);
        more.kinds = before.kinds + more.kinds;
      }
      const { html, from, ...index } = more;
      this.s = new Session(before.source, index);
      html?.forEach((text, k) => this.s.fresh.set(from + k, text));
      this.talk.s = this.tree.s = this.s;
      this.search = new Search(this.s);
      const path = this.s.path(this.s.leaf);
      if (atEnd && this.talk.shown.every((i, n) => path[n] === i)) {
        const near = innerHeight + scrollY > document.documentElement.scrollHeight - 200;
        await this.talk.extend(path);
        this.tree.on = new Set(path);
        if (near) await this.talk.scrollTo(path.at(-1));
      }
      this.tree.layout();
      $("#count").textContent = `${this.s.count.toLocaleString("en")} entries`;
      document.documentElement.dataset.grown = this.s.count;
    }
    bind() {
      const input = $("#search");
      let timer;
      input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => this.find(input.value), 60); });
      input.addEventListener("keydown", (e) => {
        if (e.key === "Escape") { input.value = ""; this.find(""); input.blur(); }
        if (e.key === "Enter") this.next(e.shiftKey ? -1 : 1);
      });
      for (const b of document.querySelectorAll("[data-filter]")) b.addEventListener("click", () => this.filter(b));
      $("#theme").addEventListener("click", () => {
        const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)").matches;
        root.dataset.theme = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
      });
      $("#unfold").addEventListener("click", (e) => {
        const open = e.target.getAttribute("aria-pressed") !== "true";
        e.target.setAttribute("aria-pressed", open);
        for (const d of document.querySelectorAll("#conversation details")) d.open = open;
      });
      $("#keys").addEventListener("click", () => $("#help").showModal());
      $("#help button").addEventListener("click", () => $("#help").close());
      addEventListener("keydown", (e) => this.key(e));
      addEventListener("hashchange", () => this.hash());
      addEventListener("beforeprint", () => { for (const d of document.querySelectorAll("#conversation details.think, #conversation details.call")) d.open = true; });
    }
    key(e) {
      if (e.target.matches("input,textarea") || e.ctrlKey || e.metaKey || e.altKey) return;
      const act = {
        "/": () => $("#search").focus(), "?": () => $("#help").showModal(), t: () => $("#rows").focus(),
        j: () => this.step(1), k: () => this.step(-1), n: () => this.next(1), N: () => this.next(-1),
        g: () => this.go(this.talk.shown[0]), G: () => this.go(this.talk.shown.at(-1)), Escape: () => this.unsee(),
      }[e.key];
      if (act) { act(); e.preventDefault(); }
    }
    step(by) {
      const said = this.talk.shown.filter((i) => "ua".includes(this.s.kinds[i]));
      const n = said.indexOf(this.tree.sel);
      const to = n < 0 ? said.at(-1) : said[Math.max(0, Math.min(said.length - 1, n + by))];
      if (to !== undefined) this.go(to);
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
      if (!quiet) history.replaceState(null, "", "#e-" + encodeURIComponent(this.s.ids[i]));
    }
    hash() {
      const name = decodeURIComponent(location.hash.slice(1)).replace(/^e-/, "");
      const i = this.s.at.get(name);
      if (i !== undefined) this.go(i, true);
    }
    filter(button) {
      for (const b of document.querySelectorAll("[data-filter]")) b.setAttribute("aria-pressed", b === button);
      const s = this.s, kinds = { all: "", user: "u", talk: "ua", labels: "" }[button.dataset.filter];
      this.tree.keep = button.dataset.filter === "labels" ? (i) => s.labels[i] !== undefined : kinds ? (i) => kinds.includes(s.kinds[i]) : () => true;
      this.tree.layout();
    }
    find(query) {
      return this.search.run(query, (hits, done) => {
        this.hits = hits && [...hits].sort((a, b) => a - b);
        this.tree.keep = hits ? (i) => hits.has(i) : () => true;
        this.tree.layout();
        $("#count").textContent = hits ? `${hits.size.toLocaleString("en")} found${done ? "" : " …"}` : `${this.s.count.toLocaleString("en")} entries`;
        if (done) document.documentElement.dataset.found = hits ? hits.size : "";
      });
    }
    next(by) {
      if (!this.hits?.length) return;
      const n = this.hits.indexOf(this.tree.sel);
      this.go(this.hits[(n + by + this.hits.length) % this.hits.length]);
    }
    // saw shows what the model saw before it wrote an entry, or at one.
    async saw(i) {
      const at = this.s.kinds[i] === "a" ? this.s.parents[i] : i;
      const { seen, compaction, gone } = this.s.context(this.s.path(at));
      this.unsee();
      const said = compaction >= 0 ? ` A summary stood for the ${gone} entries before it.` : "";
      const note = make("div", { className: "notice", id: "saw" },
        `What the model saw here: ${seen.size} entries.${said} What it did not see is dimmed. `,
        make("button", { type: "button", textContent: "show all", onclick: () => this.unsee() }));
      $("#conversation").before(note);
      const upTo = this.talk.shown.indexOf(i);
      this.talk.shown.forEach((k, n) => this.talk.find(k)?.classList.toggle("unseen", n > upTo || !seen.has(k) && k !== i));
      if (compaction >= 0) await this.talk.scrollTo(compaction);
      note.scrollIntoView({ block: "center", behavior: "instant" });
    }
    unsee() {
      $("#saw")?.remove();
      for (const el of document.querySelectorAll(".unseen")) el.classList.remove("unseen");
    }
    async copy(text, button) {
      const was = button.textContent;
      try { await navigator.clipboard.writeText(text); button.textContent = "copied"; } catch { prompt("copy this", text); }
      setTimeout(() => { button.textContent = was; }, 1200);
    }
  }

  // ---- a page behind a password ----
  const unlock = async (password) => {
    const lock = $("#locked"), raw = (name) => bytesOf(lock.dataset[name]);
    const base = await crypto.subtle.importKey("raw", new TextEncoder().encode(password), "PBKDF2", false, ["deriveKey"]);
    const key = await crypto.subtle.deriveKey({ name: "PBKDF2", hash: "SHA-256", salt: raw("salt"), iterations: +lock.dataset.rounds }, base, { name: "AES-GCM", length: 256 }, false, ["decrypt"]);
    const segments = [...document.querySelectorAll("script[data-segment]")], out = [];
    for (const [n, el] of segments.entries()) {
      const iv = new Uint8Array(12);
      new DataView(iv.buffer).setUint32(8, n);
      iv[0] = n === segments.length - 1 ? 1 : 0; // the last one is marked, so that none can be missing
      out.push(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, bytesOf(el.textContent)));
    }
    return new Blob(out).text();
  };
  const ask = () => {
    const form = $("#locked form");
    form.addEventListener("submit", async (e) => {
      e.preventDefault();
      try {
        const html = await unlock($("input", form).value);
        document.body.innerHTML = html;
        document.title = $("h1")?.textContent || document.title;
        await new Page().start(embedded());
      } catch { $("#wrong").hidden = false; }
    });
  };

  document.documentElement.classList.add("js");
  globalThis.pith = { Page };
  if ($("#locked")) ask();
  else if ($("#index")) new Page().start(embedded()).catch((err) => {
    document.documentElement.classList.remove("js");
    document.documentElement.dataset.failed = String(err);
  });
})();
