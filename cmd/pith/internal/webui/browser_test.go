package webui_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/tests/browser"
	"github.com/pith-sessions/pith/tests/corpus"
)

// Sessions of the demo.
const (
	bugHunt     = "019cadd3-9c42-7ddc-9b36-66afd4b7bb09"
	refactoring = "019d8c38-9802-7a27-b74f-607716373d9a"
	damaged     = "019f2018-0322-7a13-badb-9e6452c5739f"
	largeID     = "019f0000-0000-7000-8000-0000000000ff"
)

// collection fills a directory with the demo, the fixtures, 50 small sessions and one that
// is longer than a page holds, and returns their number.
func collection(t *testing.T) (dir string, sessions int) {
	t.Helper()
	dir = t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	link := func(from string) {
		name := filepath.Base(from)
		must(os.Symlink(from, filepath.Join(dir, "--fixtures--", name)))
		sessions++
	}
	must(os.MkdirAll(filepath.Join(dir, "--fixtures--"), 0o700))
	for _, d := range corpus.Demos(dir) {
		path := filepath.Join(dir, filepath.FromSlash(d.Path))
		must(os.MkdirAll(filepath.Dir(path), 0o700))
		must(os.WriteFile(path, d.Bytes, 0o600))
		sessions++
	}
	fixtures, err := filepath.Glob("../../../../tests/conformance/testdata/fixtures/*.jsonl")
	if err != nil || len(fixtures) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, f := range fixtures {
		f, err := filepath.Abs(f)
		must(err)
		link(f)
	}
	const generated = 50
	must(corpus.WriteFile(filepath.Join(dir, "--fixtures--", "large.jsonl"), corpus.Options{Seed: 1, Bytes: 12 << 20, ID: largeID}))
	sessions++
	must(corpus.Store(dir, corpus.StoreOptions{Sessions: generated, Bytes: int64(generated) * 8_000, Projects: 12}))
	return dir, sessions + generated
}

// visitor is a person with a browser.
type visitor struct {
	*browser.Page
	t    *testing.T
	base string
}

// see opens an address of the server and waits for its script.
func (v *visitor) see(path string) {
	v.t.Helper()
	v.Go("about:blank") // another fragment of the same page would not load it
	v.Go(v.base + path)
	v.Wait(`!document.querySelector("[data-login]") && document.querySelector("main") && (!document.querySelector("script[src*='list.js'],script[src*='session.js']") || document.documentElement.dataset.ready === "1")`)
}

func (v *visitor) text(selector string) string {
	v.t.Helper()
	return browser.Eval[string](v.Page, `document.querySelector(`+fmt.Sprintf("%q", selector)+`)?.innerText ?? ""`)
}

// pick follows a choice of a menu, as a person does.
func (v *visitor) pick(menu, choice string) {
	v.t.Helper()
	v.Do(fmt.Sprintf(`const menu = [...document.querySelectorAll("details.pick")].find((d) => d.querySelector("summary").textContent === %q);
		menu.open = true; const was = document.querySelector("#results");
		[...menu.querySelectorAll("a")].find((a) => a.textContent.startsWith(%q)).click();
		while (document.querySelector("#results") === was) await new Promise((r) => setTimeout(r, 20));`, menu, choice))
}

func (v *visitor) rows(n int) {
	v.t.Helper()
	v.Wait(fmt.Sprintf(`document.documentElement.dataset.rows === "%d"`, n))
}

// fits checks that nothing runs out of the window, and that everybody can use it.
func (v *visitor) fits(what string) {
	v.t.Helper()
	for _, width := range []int{320, 390, 640, 820, 900, 1280, 1600} { // 640 is 1280 at a zoom of 200 %
		v.Resize(width, 844)
		if wide := browser.Eval[int](v.Page, `document.documentElement.scrollWidth`); wide > width {
			v.t.Errorf("%s is %d pixels wide in a window of %d", what, wide, width)
		}
	}
	for _, width := range []int{390, 1280} {
		v.Resize(width, 844)
		for _, scheme := range []string{"dark", "light"} {
			v.Media("screen", scheme)
			v.Accessible()
		}
	}
}

// Each view, in a real browser, over all kinds of sessions: what a person does with
// mouse and keys does what it should, at the width of a desk and of a telephone,
// light and dark.
func TestViews(t *testing.T) {
	dir, sessions := collection(t)
	app := over(dir)
	app.Environment.Home = "/home/mira"
	app.Marks = marked(t, map[string]marks.Marks{bugHunt: {Tags: []string{"mails"}}, refactoring: {Archived: true}})
	s, err := webui.New("127.0.0.1:0", webui.Config{App: app, Note: t.Logf, Window: func(string) int64 { return 200_000 }})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	v := &visitor{browser.Open(t, s.URL(), 1280, 844), t, strings.Split(s.URL(), "#")[0]}
	v.Wait(ready)
	v.list(sessions)
	v.session()
	v.large()
	v.compare()
	v.usage()
	for _, fault := range v.Faults() {
		t.Errorf("the browser complains: %s", fault)
	}
	for _, r := range v.Requests() {
		if !strings.HasPrefix(r, v.base) && r != "about:blank" {
			t.Errorf("the page asked for %s", r)
		}
	}
}

func (v *visitor) list(sessions int) {
	if at := browser.Eval[string](v.Page, `location.href`); strings.Contains(at, "#") {
		v.t.Errorf("the token is still in the address: %s", at)
	}
	v.Wait(`document.documentElement.dataset.fresh === "1"`)
	v.rows(sessions - 1) // one is archived
	v.pick("More", "archived")
	v.rows(1)
	v.pick("More", "archived")
	v.pick("More", "mails")
	v.rows(1)
	is(v, `document.querySelector("#q").value`, "tag:mails")
	v.Press("\x1b")
	v.rows(sessions - 1)
	v.pick("Project", "parcel-tracker")
	v.rows(2)
	v.pick("Project", "parcel-tracker")
	v.pick("Status", "pending")
	v.Wait(`document.querySelector("#results").innerText.includes("backup stops at night")`)
	v.Press("\x1b")
	v.rows(sessions - 1)
	v.pick("Date", "today")
	v.rows(0)
	v.Click("#clear")
	v.rows(sessions - 1)

	v.Type("#q", "mutex around not") // the last word is not complete
	v.Wait(`document.documentElement.dataset.asked === "mutex around not"`)
	v.rows(1)
	if hit := v.text(".row .hit"); !strings.Contains(hit, "mutex") {
		v.t.Errorf("the hit reads %q", hit)
	}
	v.Press("\r")
	v.Wait(`document.querySelector("#conversation")`)
	v.Wait(ready)
	v.Wait(`document.querySelector(".at") && document.querySelector("#conversation").innerText.includes("put a mutex around notify()")`) // on the branch that was left
	v.see("?q=mutex+around+notify")
	v.rows(1)
	v.Press("\x1b")
	v.rows(sessions - 1)

	v.Do(`const q = document.querySelector("#q"); q.value = "cost:much"; q.dispatchEvent(new Event("input"))`) // an invalid filter leaves the rows
	v.Wait(`document.querySelector("#fault").textContent.includes("cost:>5")`)
	v.rows(sessions - 1)
	v.see("?q=lese")
	if text := v.text(".blank"); !strings.Contains(text, "“lese” is in no session") {
		v.t.Errorf("without a match the list reads %q", text)
	}
	v.see("")
	before := browser.Eval[string](v.Page, `document.querySelector(".row[aria-current]").pathname`)
	v.Press("j")
	if after := browser.Eval[string](v.Page, `document.querySelector(".row[aria-current]").pathname`); after == before || after == "" {
		v.t.Errorf("j moves from %q to %q", before, after)
	}
	v.Press("?")
	v.Wait(`document.querySelector("#help").open`)
	v.Press("\x1b")
	v.fits("the list")
}

func (v *visitor) session() {
	v.see("s/" + bugHunt)
	v.Wait(`document.documentElement.dataset.live === "1"`)
	is(v, `document.querySelector("#rows").textContent`, "23")
	is(v, `document.querySelectorAll(".trow .chip.fk").length`, 1)
	if bars := browser.Eval[int](v.Page, `document.querySelectorAll(".strip rect").length`); bars != 7 || !strings.Contains(v.text(".strip"), "of 200k") {
		v.t.Errorf("the strip has %d bars and reads %q", bars, v.text(".strip"))
	}
	v.Do(`document.querySelector(".strip a").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }))`)
	v.Wait(`document.querySelector(".at")?.innerText.includes("I'll look at the log first")`)

	v.Click(".call:not([open]) > summary") // a call unfolds
	v.Wait(`[...document.querySelectorAll(".call[open] .out, .call[open] .diff")].some((e) => e.innerText.length > 0)`)
	for _, show := range []string{"prompts", "edits", "failed", "all"} { // branch points are in every filter
		v.Do(`document.querySelector("[data-show=` + show + `]").click()`)
		is(v, `document.querySelectorAll(".trow .chip.fk").length`, 1)
	}
	v.Do(`document.querySelector(".fork a.go:not([aria-current])").click()`) // the branch that was left
	v.Wait(`document.querySelector("#conversation").innerText.includes("Adding a mutex around")`)
	v.Press("t")
	v.Press("\u0305") // End, in the tree
	v.see("s/" + bugHunt + "#e-" + browser.Eval[string](v.Page, `[...document.querySelectorAll(".said[id]")].at(-1).id.slice(2)`))
	v.Wait(`document.querySelector(".said.at")`)
	for _, key := range []string{"j", "k", "b", "e", "e", "g", "G", "n", "]", "["} {
		v.Press(key)
	}
	v.Press("x")
	v.Wait(`document.querySelector("#context .ctx li")`)
	v.Press("\x1b")
	v.Wait(`document.querySelector("#context").hidden`)
	v.Press("g")
	v.Press("c")
	v.Wait(`document.querySelector("#commands").open`)
	if offers := v.text("#commands"); !strings.Contains(offers, "Resume in pi") || !strings.Contains(offers, "pith fork "+bugHunt) || !strings.Contains(offers, "pith branch "+bugHunt) || !strings.Contains(offers, "&& pi --session ") || strings.Contains(offers, "@entry@") {
		v.t.Errorf("the menu offers %q", offers)
	}
	for _, width := range []int{390, 1280} { // all of the menu can be seen
		v.Resize(width, 844)
		is(v, `(() => { const r = document.querySelector("#commands .pop").getBoundingClientRect(); return r.width > 300 && r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight; })()`, true)
	}
	v.Press("\x1b")
	v.Wait(`!document.querySelector("#commands").open`)
	v.Type("#search", "VisibilityTimeout")
	v.Wait(`document.documentElement.dataset.found > 0`)
	v.Press("\x1b")
	v.fits("a session")

	// The model's context after a compaction: removed, kept and replacing
	// entries.
	v.see("s/" + refactoring)
	v.Press("G")
	v.Press("x")
	v.Wait(`document.querySelector("#context .gone") && document.querySelector("#context").innerText.includes("Summaries")`)
	v.Press("\x1b")
	if cuts := browser.Eval[int](v.Page, `document.querySelectorAll(".strip .comp").length`); cuts == 0 {
		v.t.Error("the strip has no compaction")
	}
	v.Wait(`[...document.querySelectorAll(".chunk")].every((c) => c.children.length)`) // paper has all of it
	v.Media("print", "light")
	if shown := browser.Eval[bool](v.Page, `getComputedStyle(document.querySelector("aside")).display === "none" && getComputedStyle(document.querySelector("header.top")).display === "none"`); !shown {
		v.t.Error("paper shows the tree or the bar")
	}
	v.Media("screen", "light")
}

// large checks a session whose path is longer than a page holds: what is in view is
// there, and the page does not grow.
func (v *visitor) large() {
	v.see("s/" + largeID)
	v.Wait(`document.querySelector("#conversation").innerText.length > 500`)
	if text := browser.Eval[string](v.Page, `pithFetch(location.href).then((r) => r.text()).then((html) => new DOMParser().parseFromString(html, "text/html").querySelector("#conversation").textContent)`); len(text) < 500 {
		v.t.Errorf("before the script has the index the page reads %q", text)
	}
	v.Wait(ready)
	entries := browser.Eval[int](v.Page, `+document.querySelector("#rows").innerText.replace(/\D/g, "")`)
	if entries < 1_500 {
		v.t.Errorf("the tree has %d entries", entries)
	}
	v.Press("G")
	v.Wait(`document.querySelector(".at")`)
	v.Wait(`document.querySelector("#conversation").lastElementChild.innerText.length > 0`)
	v.Press("g")
	v.Wait(`scrollY < 2000`)
	if elements := browser.Eval[int](v.Page, `document.querySelectorAll("*").length`); elements > 30_000 {
		v.t.Errorf("the page has %d elements", elements)
	}

	// However far one scrolls, what is in view is there, and the page does not grow.
	for range 12 {
		v.Do(`scrollBy({ top: 40_000, behavior: "instant" })`)
		v.Wait(`document.elementFromPoint(900, 400)?.closest(".chunk")`)
	}
	if elements := browser.Eval[int](v.Page, `document.querySelectorAll("#conversation *").length`); elements > 8_000 {
		v.t.Errorf("after scrolling the conversation has %d elements in the page", elements)
	}
	v.Do(`dispatchEvent(new Event("beforeprint"))`)
	if note := browser.Eval[string](v.Page, `document.querySelector(".paper")?.textContent ?? ""`); !strings.Contains(note, "Ctrl+P") {
		v.t.Errorf("paper with a part of the conversation says %q", note)
	}
	v.Do(`dispatchEvent(new Event("afterprint"))`)
}

func (v *visitor) compare() {
	v.see("s/" + bugHunt)
	v.Click(".fork .cap a") // side by side, from where the branch was left
	v.Wait(`document.querySelector(".sidehead")`)
	if text := v.text("main"); !strings.Contains(text, "forget the mutex") || !strings.Contains(text, "put a mutex around notify()") || !strings.Contains(text, "In common: 1 turn") {
		v.t.Errorf("the branches read %q", text)
	}
	is(v, `document.querySelectorAll(".pair.turns .call").length > 0`, true)
	v.Click(".common summary")
	v.Wait(`document.querySelector(".common[open] a")`)
	v.fits("two branches")
	v.see("s/" + bugHunt + "/compare")
	is(v, `document.querySelector(".sidehead.b .chip.here")?.textContent`, "current")
	v.see("s/" + damaged + "/compare")
	if text := v.text("main"); !strings.Contains(text, "only one branch") {
		v.t.Errorf("a session without branches reads %q", text)
	}
}

func (v *visitor) usage() {
	v.see("usage?range=all")
	v.fits("usage")
	is(v, `[...document.querySelectorAll(".plot .y span")].every((e) => /^\$\d+(\.\d)?$/.test(e.textContent)) && document.querySelectorAll(".plot .y span").length <= 5`, true)
	v.see("usage?" + url.Values{"range": {"all"}, "q": {"project:parcel-tracker"}}.Encode())
	if text := v.text("main"); !strings.Contains(text, "in 2 sessions") || !strings.Contains(text, "duplicate delivery mails") {
		v.t.Errorf("one project reads %q", text)
	}
	v.Do(`[...document.querySelectorAll(".use a")].find((a) => a.textContent === "duplicate delivery mails").click()`)
	v.Wait(`location.pathname === "/s/` + bugHunt + `"`)
}

// Runs of subagents unfold in the place where they were called.
func TestSubagents(t *testing.T) {
	dir := t.TempDir()
	exhibits, err := corpus.WriteZoo(dir)
	if err != nil {
		t.Fatal(err)
	}
	var e *corpus.Exhibit
	for i := range exhibits {
		if exhibits[i].ChildMicros > 0 {
			e = &exhibits[i]
			break
		}
	}
	if e == nil {
		t.Fatal("no exhibit has runs")
	}
	s, err := webui.New("127.0.0.1:0", webui.Config{App: over(filepath.Join(dir, filepath.Dir(filepath.FromSlash(e.Session)))), Note: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	c := enter(t, s)
	v := &visitor{browser.Open(t, s.URL(), 1280, 844), t, c.base}
	v.Wait(ready)
	for _, key := range keysOf(t, c) {
		v.see("s/" + url.PathEscape(key))
		if browser.Eval[bool](v.Page, `!document.querySelector(".call.runs")`) {
			continue
		}
		v.Do(`document.querySelector(".call.runs summary").click()`)
		v.Wait(`document.querySelector(".ran .run")`)
		v.Wait(`document.querySelector(".ran .run").innerText.length > 20`)
		v.Accessible()
		return
	}
	t.Errorf("no session of %s calls subagents", e.Name)
}
