"use strict";
// The page of a session over a server: its data is asked for, and what is appended
// appears by itself.
(() => {
  const base = location.pathname.replace(/\/$/, "");
  const get = async (what) => {
    const answer = await fetch(base + "/" + what);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  const source = {
    index: async () => {
      const index = await get("index.json");
      if (index.window && !document.querySelector(".window")) {
        const box = document.createElement("template");
        box.innerHTML = index.window;
        document.querySelector("#conversation").before(box.content);
      }
      return index;
    },
    part: (n) => get("part/" + n),
  };
  const page = new pith.Page();
  const word = (s) => /^[\w.-]+$/.test(s) ? s : "'" + s.replaceAll("'", "'\\''") + "'";
  const id = decodeURIComponent(base.split("/").pop());
  const copies = () => {
    const box = document.createElement("div");
    box.className = "facts";
    for (const [name, text] of [["copy: resume in pi", () => "pi --session " + word(id)], ["copy: fork here", () => `pith fork ${word(id)} ${word(page.s.ids[page.tree.sel])}`], ["copy: show", () => `pith show ${word(id)} --at ${word(page.s.ids[page.tree.sel])} --around 1`]]) {
      const b = document.createElement("button");
      b.type = "button"; b.textContent = name;
      b.addEventListener("click", () => page.copy(text(), b));
      box.append(b);
    }
    const link = document.createElement("a");
    link.href = base + "/compare"; link.textContent = "two branches side by side";
    box.append(link);
    document.querySelector(".facts").after(box);
  };
  const live = () => {
    const events = new EventSource(base + "/live"), sign = document.querySelector("#live");
    events.addEventListener("here", () => { sign.hidden = false; document.documentElement.dataset.live = "1"; });
    events.addEventListener("grown", (e) => page.grow(JSON.parse(e.data)));
    events.addEventListener("gone", () => { sign.textContent = "○ gone"; events.close(); });
  };
  page.start(source).then(() => { copies(); live(); }, (err) => { document.documentElement.dataset.failed = String(err); });
})();
