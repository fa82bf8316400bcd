"use strict";
// Saved searches as tabs above the list: 0 to 9 or a click puts one into the search box.
(() => {
  const box = document.getElementById("q"), tabs = [...document.querySelectorAll("#tabs button")];
  // show marks the tab whose search is in the box.
  const show = () => { for (const t of tabs) t.setAttribute("aria-pressed", t.dataset.query.trim() === box.value.trim()); };
  const use = (tab) => {
    box.value = tab.dataset.query;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    show();
  };
  for (const t of tabs) t.addEventListener("click", () => use(t));
  box.addEventListener("input", show);
  new MutationObserver(show).observe(document.documentElement, { attributeFilter: ["data-rows", "data-asked"] }); // Esc and Back change the box too
  addEventListener("keydown", (e) => {
    if (e.target.matches("input,textarea,select") || e.ctrlKey || e.metaKey || e.altKey || pith.modal() || !/^[0-9]$/.test(e.key) || !tabs[e.key]) return;
    use(tabs[e.key]);
    e.preventDefault();
  });
  const keys = document.createElement("p");
  for (const n of tabs.keys()) keys.append(Object.assign(document.createElement("kbd"), { textContent: n }), " ");
  keys.append("saved searches");
  document.querySelector("#help p:last-of-type").before(keys);
  show();
})();
