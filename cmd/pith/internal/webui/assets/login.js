"use strict";
// The first page of every address. It holds nothing: it asks for the page itself, with
// the token in a header, and puts that in its place. No cookie is used: a cookie would
// be sent to every server of this machine, whatever its port.
//
// The token comes with the address that pith serve printed, behind the #, or is typed.
// The address that pith serve opens itself has a ticket instead, which is exchanged for
// the token once: other users of the machine can read it.
// It is kept for this tab (sessionStorage), where pages of other ports cannot read it.
(() => {
  const form = document.getElementById("login"), input = document.getElementById("token"), why = document.getElementById("why");
  const isToken = (text) => /^[0-9a-f]{48}$/.test(text);
  const open = async () => {
    const token = sessionStorage.getItem("token");
    if (!token) return ask();
    let answer;
    try {
      answer = await fetch(location.href, { headers: { Authorization: "Bearer " + token, Accept: "text/html" } });
    } catch { return ask("The server does not answer; is pith serve still running?"); }
    if (answer.status === 401) {
      sessionStorage.removeItem("token");
      return ask("This token is of an earlier start of pith serve, or mistyped.");
    }
    if (!answer.headers.get("Content-Type")?.startsWith("text/html")) { // recorded text would be read as markup
      document.getElementById("main").textContent = "There is data at this address, and no page.";
      return;
    }
    const text = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    document.open(); // it ends this page; what follows is read as it comes
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
    const typed = input.value.trim().replace(/^.*#/, ""); // the whole address will do
    if (!isToken(typed)) return ask("This is no token: it has 48 digits and letters from a to f.");
    sessionStorage.setItem("token", typed);
    open();
  });
  const exchange = async (ticket) => {
    let answer;
    try {
      answer = await fetch("/ticket", { headers: { Authorization: "Ticket " + ticket } });
    } catch { return ask("The server does not answer; is pith serve still running?"); }
    if (answer.ok) sessionStorage.setItem("token", await answer.text());
    else if (!sessionStorage.getItem("token")) return ask("This address opens once, within a minute, and was used before or has expired. Use the one that pith serve printed.");
    open();
  };
  const given = location.hash.slice(1), ticket = given.startsWith("once-");
  if (ticket || isToken(given)) history.replaceState(null, "", location.pathname + location.search);
  if (isToken(given)) sessionStorage.setItem("token", given);
  if (ticket) exchange(given.slice("once-".length)); else open();
})();
