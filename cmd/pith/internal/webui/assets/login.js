"use strict";
// The first page of every address. It contains nothing: it requests the page itself with
// the token in a header, and replaces itself with it. There is no cookie, because a browser
// would send it to every server of this machine, whatever its port.
//
// The token is in the address that pith serve printed, after the #, or is typed. The
// address that pith serve opens itself has a ticket instead, which is exchanged for the
// token once, because other users of the machine can read it. The token is kept for this
// tab (sessionStorage), where pages of other ports cannot read it.
(() => {
  const form = document.getElementById("login"), input = document.getElementById("token"), why = document.getElementById("why");
  const isToken = (text) => /^[0-9a-f]{48}$/.test(text);
  const open = async () => {
    const token = sessionStorage.getItem("token");
    if (!token) return ask();
    let answer;
    try {
      answer = await fetch(location.href, { headers: { Authorization: "Bearer " + token, Accept: "text/html" } });
    } catch { return ask("The server does not answer. Is pith serve still running?"); }
    if (answer.status === 401) {
      sessionStorage.removeItem("token");
      return ask("The token is wrong, or pith serve was restarted since. Open the address that it printed last.");
    }
    if (!answer.headers.get("Content-Type")?.startsWith("text/html")) { // recorded text would be read as markup
      document.getElementById("main").textContent = "This address contains data, not a page.";
      return;
    }
    const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    document.open(); // it ends this page; the text is shown as it arrives
    try {
      for (;;) {
        const { value, done } = await text.read();
        if (done) break;
        document.write(value);
      }
    } finally { document.close(); }
  };
  const ask = (text = "") => {
    why.textContent = text;
    form.hidden = false;
    input.focus();
  };
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const typed = input.value.trim().replace(/^.*#/, ""); // the whole address works too
    if (!isToken(typed)) return ask("Invalid token: it must have 48 characters, digits and the letters a to f.");
    sessionStorage.setItem("token", typed);
    open();
  });
  const exchange = async (ticket) => {
    let answer;
    try {
      answer = await fetch("/ticket", { headers: { Authorization: "Ticket " + ticket } });
    } catch { return ask("The server does not answer. Is pith serve still running?"); }
    if (answer.ok) sessionStorage.setItem("token", await answer.text());
    else if (!sessionStorage.getItem("token")) return ask("This address opens only once, within a minute, and was used before or has expired. Open the one that pith serve printed.");
    open();
  };
  const given = location.hash.slice(1), ticket = given.startsWith("once-");
  if (ticket || isToken(given)) history.replaceState(null, "", location.pathname + location.search);
  if (isToken(given)) sessionStorage.setItem("token", given);
  if (ticket) exchange(given.slice("once-".length)); else open();
})();
