package webui_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/tests/browser"
)

// push clicks on the button with a text, in the newest dialog, the menu or the bar.
func (v *visitor) push(text string) {
	v.t.Helper()
	const find = `[...document.querySelectorAll("dialog[open] button, .menu button, .done:not([hidden]) button")].find((b) => b.textContent === %q && (!document.querySelector("dialog[open]") || b.closest("dialog[open]")))`
	v.Wait(fmt.Sprintf(find, text))
	v.Do(fmt.Sprintf(find+".click()", text))
}

// told waits until the bar has a text.
func (v *visitor) told(text string) {
	v.t.Helper()
	v.Wait(fmt.Sprintf(`document.querySelector(".done [role=status]")?.textContent.includes(%q)`, text))
}

// answer types into the dialog and saves it.
func (v *visitor) answer(text string) {
	v.t.Helper()
	v.Wait(`document.activeElement.id === "answer"`)
	v.Do(`document.querySelector("#answer").value = ""`)
	v.Press(text + kb.Enter)
}

// dialog checks an open dialog or menu at every width, and its accessibility on a telephone
// too.
func (v *visitor) dialog(what string) {
	v.t.Helper()
	v.fits(what)
	v.Resize(390, 844)
	for _, scheme := range []string{"dark", "light"} {
		v.Media("screen", scheme)
		v.Accessible()
	}
	v.Resize(1280, 844)
}

// Every action works by mouse and by keyboard, and the bar undoes it.
func TestActionsInBrowser(t *testing.T) {
	h := newHome(t)
	s, c := h.serve(h.config())
	v := &visitor{browser.Open(t, s.URL(), 1280, 844), t, c.base}
	v.Wait(ready)
	v.rows(3)
	row := `document.querySelector("a[href='/s/` + ownID + `']")`
	has := func(text string) { t.Helper(); v.Wait(fmt.Sprintf(`%s?.innerText.includes(%q)`, row, text)) }
	lacks := func(text string) {
		t.Helper()
		v.Wait(fmt.Sprintf(`%s && !%s.innerText.includes(%q)`, row, row, text))
	}
	menu := func() { t.Helper(); v.Click("a[href='/s/" + ownID + "'] .more") }

	menu()
	v.dialog("the actions on a session")
	v.push("rename")
	v.dialog("the dialog for a name")
	v.answer("<b>two mails</b>")
	v.told(`Renamed to "<b>two mails</b>"`)
	has("<b>two mails</b>")
	v.push("undo")
	v.told("Name removed")
	has("why are there two mails?")

	v.Wait(row + `.matches(".sel")`)
	v.Press("a") // the row is selected
	v.push("pin")
	v.told("Pinned")
	has("pinned")
	v.push("undo")
	v.told("Unpinned")
	lacks("pinned")

	v.Click("#actions")
	v.push("tags")
	v.dialog("the dialog for tags")
	v.answer("a,b")
	v.Wait(`document.querySelector("dialog[open] [role=alert]").textContent.includes("invalid tags")`)
	v.answer("bug later")
	v.told("Tags changed")
	has("later")
	v.push("undo")
	lacks("later")

	menu()
	v.push("archive")
	v.told("Archived")
	v.rows(2)
	v.push("undo")
	v.told("Unarchived")
	v.rows(3)

	menu()
	v.push("move to the trash")
	v.told("Moved to the trash")
	v.rows(2)
	if _, err := os.Stat(h.path(h.own())); !os.IsNotExist(err) {
		t.Errorf("the session is still there: %v", err)
	}
	v.fits("the list with a bar")
	v.Resize(1280, 844)
	v.push("undo")
	v.told("Restored")
	v.rows(3)
	if _, err := os.Stat(h.path(h.own())); err != nil {
		t.Error(err)
	}

	// A session of another agent cannot be renamed, and the dialog says why.
	v.Click("a[href='/s/" + claudeID + "'] .more")
	v.push("rename")
	v.answer("x")
	v.Wait(`document.querySelector("dialog[open] [role=alert]").textContent.includes("Claude Code sessions are read-only; import it first")`)
	v.Press(escape)
	v.Wait(`!document.querySelector("dialog[open]")`)
	v.triage(h)
	v.actOnEntries(h)
	for _, fault := range v.Faults() {
		if !strings.Contains(fault, "status of 4") { // a refusal
			t.Errorf("the browser complains: %s", fault)
		}
	}
}

// triage snoozes and archives a session in the inbox, and takes that back.
func (v *visitor) triage(h *home) {
	v.t.Helper()
	const id = "0190aaaa-0000-7000-8000-000000000005"
	path := strings.ReplaceAll(h.path(h.own()), ownID, id)
	lines := strings.SplitAfter(strings.ReplaceAll(talk, ownID, id), "\n")
	if err := os.WriteFile(path, []byte(lines[0]+lines[1]), 0o600); err != nil {
		v.t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, hourAgo, hourAgo); err != nil {
		v.t.Fatal(err)
	}
	v.see("inbox")
	v.fits("an inbox with buttons")
	v.Resize(1280, 844)
	shown := `[...document.querySelectorAll("tr")].some((row) => row.checkVisibility() && row.querySelector("a[href='/s/` + id + `']"))`
	for action, told := range map[string]string{"snooze": "Snoozed until tomorrow", "archive": "Archived"} {
		v.Wait(shown)
		v.Click("button[data-do=" + action + "][data-session='" + id + "']")
		v.told(told)
		v.Wait("!" + shown)
		v.see("inbox")
		v.Wait("!" + shown)
		all, err := marks.Open(h.path("state"))
		if err != nil {
			v.t.Fatal(err)
		}
		if _, err := all.Update(id, path, func(m *marks.Marks) { m.Snoozed, m.Archived = time.Time{}, false }); err != nil {
			v.t.Fatal(err)
		}
		v.see("inbox")
		v.Click("button[data-do=" + action + "][data-session='" + id + "']")
		v.Wait("!" + shown)
		v.push("undo")
		v.Wait(shown)
	}
}

// actOnEntries renames a session on its page, and labels, copies and chooses entries.
func (v *visitor) actOnEntries(h *home) {
	v.t.Helper()
	file := func() string {
		text, err := os.ReadFile(h.path(h.own()))
		if err != nil {
			v.t.Fatal(err)
		}
		return string(text)
	}
	v.see("s/" + ownID)
	v.Wait(`document.documentElement.dataset.live === "1"`)
	v.Click("#rename")
	v.answer("mails")
	v.told(`Renamed to "mails"`)
	is(v, `document.querySelector("h1").textContent`, "mails")
	v.Press("V") // the bar of marked turns does not hide the bar of actions
	const apart = `((a, b) => a.bottom <= b.top || b.bottom <= a.top)(document.querySelector(".done:not([hidden])").getBoundingClientRect(), document.querySelector(".marks:not([hidden])").getBoundingClientRect())`
	for _, width := range []int{390, 1280} {
		v.Resize(width, 844)
		v.Wait(`document.querySelector(".marks:not([hidden])")`)
		is(v, apart, true)
	}
	v.Press(escape)
	v.Wait(`!document.querySelector(".marks:not([hidden])")`)

	menu := func(entry string) {
		v.t.Helper()
		v.Wait(fmt.Sprintf(`document.getElementById("e-%s")?.querySelector("[data-act=copy]")`, entry))
		v.Do(fmt.Sprintf(`document.getElementById("e-%s").querySelector("[data-act=copy]").click()`, entry))
	}
	menu("aaaa0001")
	v.push("label…")
	v.dialog("the dialog for a label")
	v.answer("start")
	v.told(`Labeled "start"`)
	const labeled = `[...document.querySelectorAll("#rows .tag")].some((tag) => tag.textContent === "start")`
	v.Wait(labeled)
	v.push("undo")
	v.told("Label removed")
	v.Wait("!" + labeled)

	menu("aaaa0002")
	v.push("branch here")
	v.told("The session now continues at this entry")
	const current = `[...document.querySelectorAll("#rows .tag")].filter((tag) => tag.textContent === "current").map((tag) => tag.parentNode.innerText).join()`
	v.Wait(`document.getElementById("e-aaaa0002")?.querySelector(".current") && !document.getElementById("e-aaaa0003")`)
	if text := browser.Eval[string](v.Page, current); strings.Contains(text, "pith/leaf") || !strings.HasSuffix(text, "current") {
		v.t.Errorf("after branch here the tree marks %q", text)
	}
	if lines := strings.Split(strings.TrimSpace(file()), "\n"); !strings.Contains(lines[len(lines)-1], `"customType":"pith/leaf"`) || !strings.Contains(lines[len(lines)-1], `"aaaa0002"`) {
		v.t.Errorf("the last line is %s", lines[len(lines)-1])
	}
	v.push("undo")
	v.Wait(`document.getElementById("e-aaaa0003")`)

	v.see("s/" + ownID + "#e-bbbb0001")
	before := file()
	menu("bbbb0001")
	v.dialog("a session with its actions")
	v.push("fork from here")
	v.told("New session")
	fork := browser.Eval[string](v.Page, `document.querySelector(".done a").pathname`)
	v.push("undo")
	v.told("Moved to the trash")
	v.push("undo")
	v.told("Restored")
	menu("aaaa0001") // a copy includes the entry
	v.Do(`document.activeElement.blur()`)
	v.Press(escape)
	menu("aaaa0002")
	v.push("copy up to here")
	v.told("New session")
	if file() != before {
		v.t.Error("a copy changed its source")
	}
	v.see(strings.TrimPrefix(fork, "/"))
	v.Wait(`document.querySelector("#conversation").innerText.includes("why are there two mails?")`)
	if text := v.text("#conversation"); strings.Contains(text, "xylophone") {
		v.t.Errorf("the fork reads %q", text)
	}
}

// acts is what a page of another server tries with every action.
const acts = `(async () => {
  const pith = %q, session = %q, seen = [];
  for (const action of %s) {
    const body = JSON.stringify({ session, entry: "aaaa0001", text: "owned", on: true, item: %q, state: %q });
    for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
      for (const init of [{}, { mode: "no-cors" }, { credentials: "include" }, { mode: "no-cors", credentials: "include" }, { headers: { "Content-Type": type, Authorization: "Bearer x" } }]) {
        try { seen.push((await fetch(pith + "do/" + action, { method: "POST", headers: { "Content-Type": type }, body, ...init })).status); } catch {}
      }
    }
    navigator.sendBeacon(pith + "do/" + action, new Blob([body], { type: "text/plain" }));
    const frame = document.createElement("iframe"), form = document.createElement("form"), input = document.createElement("input");
    frame.name = "f" + action;
    Object.assign(form, { action: pith + "do/" + action, method: "POST", enctype: "text/plain", target: frame.name });
    Object.assign(input, { name: body.slice(0, -1) + ',"x":"', value: '"}' });
    form.append(input);
    document.body.append(frame, form);
    const loaded = new Promise((done) => { frame.onload = done; setTimeout(done, 1000); });
    form.submit();
    await loaded;
  }
  return seen.filter((code) => code !== 0).join(" ");
})()`

// No page of another server can act, not even on the same machine and in a browser that
// has a page of pith open.
func TestOtherPagesCannotAct(t *testing.T) {
	h := newHome(t)
	s, c := h.serve(h.config())
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	other := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>neighbor</title><body></body>`)
	})}
	done := make(chan error, 1)
	go func() { done <- other.Serve(listen) }()
	t.Cleanup(func() { other.Close(); <-done })
	p := browser.Open(t, s.URL(), 1280, 900)
	p.Wait(ready)
	before := h.files()
	p.Go("http://" + listen.Addr().String() + "/")
	names := `["` + strings.Join(actionNames, `","`) + `"]`
	if seen := browser.Eval[string](p, fmt.Sprintf(acts, c.base, ownID, names, h.item, c.stateOf(ownID))); seen != "" {
		t.Errorf("another page reads the answers %s", seen)
	}
	h.unchanged("another page", before)
	p.Go(c.base)
	p.Wait(ready)
	if code, out := c.do("pin", h.order(c, "pin", ownID), nil); code != 200 {
		t.Errorf("a page of pith = %d, %v", code, out)
	}
}
