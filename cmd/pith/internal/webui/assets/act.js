"use strict";
// Actions on sessions, in pages of pith serve --write: a dialog for each, and a bar that
// says what was done and undoes it. Only text is put into the page, never markup.
(() => {
  const make = (tag, props = {}, ...kids) => { const el = Object.assign(document.createElement(tag), props); el.append(...kids); return el; };
  const button = (textContent, run) => { const b = make("button", { type: "button", textContent }); b.addEventListener("click", run); return b; };
  // post sends an order and returns the answer, or throws the reason of a refusal.
  const post = async (action, order) => {
    let answer;
    try {
      answer = await pithFetch("/do/" + action, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(order) });
    } catch { throw new Error("The server does not answer. Is pith serve still running?"); }
    const text = await answer.text();
    if (answer.ok) return JSON.parse(text);
    let why = text;
    try { why = JSON.parse(text).error; } catch { /* one line of text */ }
    throw new Error(why);
  };
  // ---- the bar: a status that screen readers announce ----
  const said = make("span", { role: "status" }), bar = make("div", { className: "done", hidden: true }, said), main = document.querySelector("main");
  (main ?? document.body).after(bar);
  const hide = () => { bar.hidden = true; said.textContent = ""; };
  const tell = (text, ...more) => {
    bar.replaceChildren(said, ...more, button("close", hide));
    bar.hidden = false;
    said.textContent = text;
  };
  // act carries out an order, then calls after with the answer, or without one if it was
  // refused. The bar offers to undo it.
  const act = async (action, order, after) => {
    let out;
    try { out = await post(action, order); } catch (err) { await after?.(); throw err; }
    const more = [];
    if (out.session && (action === "fork" || action === "clone")) {
      more.push(make("a", { href: "/s/" + encodeURIComponent(out.session), textContent: "open it" }));
      if (out.text) more.push(button("copy the message", async (e) => {
        try { await navigator.clipboard.writeText(out.text); e.target.textContent = "copied"; } catch { prompt("Copy this:", out.text); }
      }));
    }
    if (out.undo) more.push(button("undo", () => attempt(out.undo.action, out.undo.order, after)));
    tell(out.done, ...more);
    await after?.(out);
  };
  const attempt = (...args) => act(...args).catch((err) => tell(err.message));
  // ---- dialogs ----
  const dialog = (title, ...kids) => {
    const back = document.activeElement, head = make("h2", { textContent: title, dir: "auto", id: "asked" }), box = make("dialog", { className: "ask" }, head, ...kids);
    box.setAttribute("aria-labelledby", "asked");
    box.addEventListener("close", () => { box.remove(); if (back?.isConnected) back.focus(); });
    document.body.append(box);
    box.showModal();
    return box;
  };
  // ask asks for a text. The dialog stays open until the order is carried out.
  const ask = (title, label, value, hint, go) => {
    const input = make("input", { className: "search", id: "answer", value, autocomplete: "off" }), why = make("p", { className: "bad" }), save = make("button", { textContent: "save" });
    why.setAttribute("role", "alert");
    input.setAttribute("aria-describedby", "hint");
    const form = make("form", {}, make("p", {}, make("label", { htmlFor: "answer", textContent: label })), input, make("p", { className: "dim", id: "hint", textContent: hint }), why,
      make("p", { className: "choices" }, save, button("cancel", () => box.close())));
    const box = dialog(title, form);
    input.select();
    form.addEventListener("submit", async (e) => {
      e.preventDefault();
      save.disabled = true;
      why.textContent = "";
      try { await go(input.value); box.close(); } catch (err) { why.textContent = err.message; }
      save.disabled = false;
    });
  };
  const rename = (now, after) => ask("Rename session", "Name", now().title, "Leave it empty to remove the name.", (text) => {
    const { key, state } = now();
    return act("name", { session: key, state, text }, after);
  });
  // list offers the actions on a session of the list. now returns the session as the list
  // has it, since the list is updated while a dialog is open.
  const list = (now, after) => {
    const { title, tags } = now(), on = (tag) => tags.includes(tag);
    const pick = (run) => () => { box.close(); run(now()); };
    const box = dialog(title, make("p", { className: "choices" },
      button("rename", pick(() => rename(now, after))),
      button(on("pinned") ? "unpin" : "pin", pick(({ key }) => attempt("pin", { session: key, on: !on("pinned") }, after))),
      button("tags", pick(({ key }) => ask("Tags of this session", "Tags to add or remove", "", `For example: bug -draft. Now: ${tags.join(" ") || "none"}.`, (text) => act("tag", { session: key, text }, after)))),
      button(on("archived") ? "unarchive" : "archive", pick(({ key }) => attempt("archive", { session: key, on: !on("archived") }, after))),
      button("move to the trash", pick(({ key, state }) => attempt("trash", { session: key, state }, after))),
      button("cancel", () => box.close())));
  };
  // session adds the actions to the page of a session.
  const session = (page, key) => {
    const now = () => ({ key, title: document.querySelector("h1").textContent, state: page.s.state });
    const done = (out) => { if (out?.session === key) page.s.state = out.state; };
    const renamed = (out) => {
      done(out);
      if (out?.name) for (const el of document.querySelectorAll("h1, .crumb .title")) el.textContent = out.name;
      else if (out) location.reload();
    };
    document.getElementById("rename")?.addEventListener("click", () => rename(now, renamed));
    page.actions = (i) => {
      const order = (more) => ({ session: key, state: page.s.state, entry: page.s.ids[i], ...more }), user = page.s.kinds[i] === "u";
      return [
        ["label…", () => ask("Label entry", "Label", page.s.labels[i] ?? "", "Leave it empty to remove the label.", (text) => act("label", order({ text }), done))],
        [user ? "fork from here" : "copy up to here", () => attempt(user ? "fork" : "clone", order(), done)],
        ["branch here", () => attempt("branch", order(), done)],
      ];
    };
  };
  // The rows of the inbox: an action removes its row, and undoing it shows the row again.
  for (const b of document.querySelectorAll("button[data-do]")) b.addEventListener("click", () => {
    const row = b.closest("tr");
    attempt(b.dataset.do, { session: b.dataset.session, on: true }, (out) => { if (out) row.hidden = !row.hidden; });
  });
  globalThis.pithActs = { list, session };
})();
