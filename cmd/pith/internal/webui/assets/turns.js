"use strict";
// Marked turns of a session on pith serve: only those are exported. On the page of an
// export, the button that copies it.
(() => {
  const $ = (sel) => document.querySelector(sel);
  const make = (tag, props = {}, ...kids) => { const el = Object.assign(document.createElement(tag), props); el.append(...kids); return el; };
  // ranges returns ascending numbers as text: 1,3-5.
  const ranges = (numbers) => {
    const out = [];
    for (const n of numbers) if (n === out.at(-1)?.[1] + 1) out.at(-1)[1] = n; else out.push([n, n]);
    return out.map(([from, to]) => from === to ? `${from}` : `${from}-${to}`).join(",");
  };
  // pithTurns lets a page mark turns: a turn is a user message of the shown path with all
  // that follows until the next one.
  globalThis.pithTurns = (page, base) => {
    const marked = new Set(); // user messages
    const prompts = () => page.talk.shown.filter((i) => page.s.kinds[i] === "u");
    // promptOf returns the user message of the turn of an entry.
    const promptOf = (i) => { const path = page.talk.shown; return path.slice(0, path.indexOf(i) + 1).findLast((k) => page.s.kinds[k] === "u"); };
    const told = make("span", { role: "status" }), link = make("a", { textContent: "export" }), clear = make("button", { type: "button", textContent: "clear" });
    const bar = make("div", { className: "marks", hidden: true }, told, link, clear);
    bar.setAttribute("role", "region");
    bar.setAttribute("aria-label", "Marked turns");
    document.body.append(bar);
    // refresh shows how many turns of the shown path are marked.
    const refresh = () => {
      const numbers = prompts().flatMap((i, n) => marked.has(i) ? [n + 1] : []);
      bar.hidden = numbers.length === 0;
      told.textContent = numbers.length === 1 ? "1 turn marked" : `${numbers.length} turns marked`;
      link.href = `${base}/export?turns=${ranges(numbers)}&leaf=${encodeURIComponent(page.s.ids[page.talk.shown.at(-1)])}`;
    };
    const draw = (i, el = page.talk.find(i)) => {
      el?.classList.toggle("marked", marked.has(i));
      el?.querySelector("[data-mark]")?.setAttribute("aria-pressed", marked.has(i));
    };
    const toggle = (i) => {
      if (marked.has(i)) marked.delete(i); else marked.add(i);
      draw(i);
      refresh();
    };
    const empty = () => {
      const had = [...marked];
      marked.clear();
      had.forEach((i) => draw(i));
      refresh();
    };
    clear.addEventListener("click", empty);
    let due = 0;
    const dressed = page.dressed;
    page.dressed = (el, i) => {
      dressed?.(el, i);
      const act = el.querySelector(".act");
      if (page.s.kinds[i] === "u" && act && !act.querySelector("[data-mark]")) {
        const b = make("button", { type: "button", textContent: "mark turn" });
        b.dataset.mark = "";
        b.addEventListener("click", () => toggle(i));
        act.append(b);
      }
      draw(i, el);
      if (marked.size && !due) due = setTimeout(() => { due = 0; refresh(); }); // another path may be shown
    };
    const leave = page.leave;
    page.leave = () => { if (bar.hidden) leave?.(); else empty(); };
    addEventListener("keydown", (e) => {
      if (e.key !== "V" || e.target.matches("input,textarea,select") || e.ctrlKey || e.metaKey || e.altKey || pith.modal()) return;
      const i = promptOf(page.tree.sel);
      if (i === undefined) return;
      toggle(i);
      page.step(1, "u");
    });
    $("#help p:last-of-type").before(make("p", {}, make("kbd", { textContent: "V" }), " mark the turn, to export marked turns only"));
  };
  addEventListener("DOMContentLoaded", () => {
    $("[data-copy-file]")?.addEventListener("click", async (e) => {
      const button = e.target, said = $("#downloaded");
      button.disabled = true;
      try {
        const answer = await pithFetch(button.dataset.copyFile);
        if (!answer.ok) throw new Error(answer.status);
        await navigator.clipboard.writeText(await answer.text());
        said.textContent = "copied";
      } catch { said.textContent = "Cannot copy the export. Download it instead."; }
      button.disabled = false;
    });
  });
})();
