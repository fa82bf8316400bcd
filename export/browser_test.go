package export_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/tests/browser"
)

// branched is a session with a branch that was left, a label, a compaction, a
// picture and hostile text.
const branched = `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"why are there **two** mails?"}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"I look. <img src=x onerror=alert(1)>"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"grep mail log"}}],"usage":{"input":100,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.01}}}}
{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"two workers </script><script>alert(2)</script>"}]}}
{"type":"message","id":"bbbb0001","parentId":"aaaa0003","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"user","content":"try a mutex"}}
{"type":"message","id":"bbbb0002","parentId":"bbbb0001","timestamp":"2026-02-03T22:52:11.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"A mutex is a xylophone."}]}}
{"type":"message","id":"aaaa0004","parentId":"aaaa0003","timestamp":"2026-02-03T22:52:12.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"The lease is too short."}],"usage":{"input":200,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.01}}}}
{"type":"compaction","id":"aaaa0005","parentId":"aaaa0004","timestamp":"2026-02-03T22:52:13.000Z","summary":"The lease was too short.","firstKeptEntryId":"aaaa0004","tokensBefore":300}
{"type":"message","id":"aaaa0006","parentId":"aaaa0005","timestamp":"2026-02-03T22:52:14.000Z","message":{"role":"user","content":"mend it"}}
{"type":"message","id":"aaaa0007","parentId":"aaaa0006","timestamp":"2026-02-03T22:52:15.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"Done."}],"usage":{"input":50,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.01}}}}
{"type":"label","id":"aaaa0008","parentId":"aaaa0007","timestamp":"2026-02-03T22:52:16.000Z","targetId":"aaaa0004","label":"root cause"}
`

// exported writes a page and returns its address.
func exported(t *testing.T, text string, o export.Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(write(t, session(t, text), o)), 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

const ready = `document.documentElement.dataset.ready === "1"`

// A person reads, searches, takes another branch and asks what the model saw. The
// page asks for nothing and nothing complains.
func TestPageInBrowser(t *testing.T) {
	address := exported(t, branched, export.Options{})
	p := browser.Open(t, address, 1280, 900)
	p.Wait(ready)
	p.Wait(`document.querySelector("#conversation").innerText.includes("mend it")`) // the browser has drawn it
	shown := func() string { return browser.Eval[string](p, `document.querySelector("#conversation").innerText`) }
	if text := shown(); !strings.Contains(text, "<img src=x onerror=alert(1)>") || strings.Contains(text, "A mutex is a xylophone") {
		t.Errorf("the conversation reads\n%s", text)
	}
	if rows := browser.Eval[int](p, `document.querySelectorAll("#tree .trow").length`); rows != 9 {
		t.Errorf("the tree has %d rows; want 9", rows)
	}

	p.Type("#search", "xylophone")
	p.Wait(`document.documentElement.dataset.found === "1"`)
	p.Press("\r")
	p.Wait(`document.querySelector("#conversation").innerText.includes("A mutex is a xylophone")`)
	if marked := browser.Eval[string](p, `[...CSS.highlights.get("match")].join()`); marked != "xylophone" {
		t.Errorf("marked is %q", marked)
	}
	if said := browser.Eval[string](p, `document.querySelector("#count").textContent + " " + document.activeElement.id`); said != "match 1 of 1 " {
		t.Errorf("after Enter the page says %q", said)
	}
	if text := shown(); strings.Contains(text, "mend it") {
		t.Errorf("the other branch shows the first one too:\n%s", text)
	}
	if at := browser.Eval[string](p, `location.hash`); at != "#e-bbbb0002" {
		t.Errorf("the address ends with %q; want #e-bbbb0002", at)
	}

	p.Go(address + "#e-aaaa0007")
	p.Wait(ready)
	p.Wait(`document.querySelector(".said.at")?.innerText.includes("Done")`)
	p.Do(`document.querySelector("[data-view=context]").click()`)
	p.Wait(`document.querySelector("#context .ctx li")`)
	lines := browser.Eval[[]string](p, `[...document.querySelectorAll("#context .ctx li")].map((e) => e.innerText.replace(/\s+/g, " ").trim())`)
	if len(lines) < 5 || !strings.Contains(strings.Join(lines, "\n"), "why are there **two** mails? … and 2 entries after it removed") || !slices.ContainsFunc(lines, func(l string) bool {
		return strings.HasPrefix(l, "response The lease is too short.") && !strings.HasSuffix(l, "removed")
	}) {
		t.Errorf("what the model saw: %q; want what stands before the compaction and was not kept removed", lines)
	}
	p.Press("\x1b")

	// A dialog takes all keys, and Esc closes it.
	at := browser.Eval[string](p, `location.hash`)
	p.Press("?")
	p.Wait(`document.querySelector("#help").matches(":modal")`)
	for _, key := range []string{"g", "k", "c", "x"} {
		p.Press(key)
	}
	if now := browser.Eval[string](p, `location.hash + (document.querySelector(".pick[open], #context:not([hidden])") ? " menu" : "")`); now != at {
		t.Errorf("keys behind the dialog lead from %s to %s", at, now)
	}
	p.Press("\x1b")
	p.Wait(`!document.querySelector("#help").open`)
	p.Press("t")
	p.Press("j")

	p.Accessible()
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("the browser complains: %q", faults)
	}
	for _, r := range p.Requests() {
		if !strings.HasPrefix(r, address) {
			t.Errorf("the page asked for %s", r)
		}
	}
}

// Without its script a page has the path, times in UTC, and a box with the prompts, which
// lead to their places. Nothing is shown that needs a script.
func TestPageWithoutScripts(t *testing.T) {
	p := browser.Start(t, 390, 844)
	p.NoScript()
	p.Go(exported(t, branched, export.Options{}))
	p.Wait(`document.querySelector("main").innerText.includes("Done.")`)
	text := browser.Eval[string](p, `document.querySelector("main").innerText`)
	for _, want := range []string{"Times are in UTC", "2 prompts", "why are there two mails?", "22:52", "grep mail log", "Done."} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q: %s", want, text)
		}
	}
	if shown := browser.Eval[int](p, `[...document.querySelectorAll("button, .side, .acts, .find")].filter((e) => e.checkVisibility()).length`); shown > 0 {
		t.Errorf("%d elements are shown that need a script", shown)
	}
	p.Click(`.common a[href="#e-aaaa0006"]`)
	p.Wait(`location.hash === "#e-aaaa0006" && document.querySelector("#e-aaaa0006").getBoundingClientRect().top < innerHeight`)
	if wide := browser.Eval[int](p, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d pixels wide in a window of 390", wide)
	}
}

// talkative is a session of which a reader without a script gets only the beginnings of
// outputs, with eight branches that were left at one point.
func talkative(calls int) string {
	var s strings.Builder
	s.WriteString(`{"type":"session","version":3,"id":"s2","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"שלום, תקן את ` + "`run()`" + `:\n\n` + "```go\\nfunc run() error { return nil }\\n```" + `"}}
`)
	for n := range 8 {
		fmt.Fprintf(&s, `{"type":"message","id":"bbbb%04d","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"user","content":"try number %d"}}`+"\n", n, n)
	}
	parent := "aaaa0001"
	for n := range calls {
		fmt.Fprintf(&s, `{"type":"message","id":"cccc%04d","parentId":"%s","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"toolCall","id":"c%d","name":"bash","arguments":{"command":"cat %d"}}]}}
{"type":"message","id":"dddd%04d","parentId":"cccc%04d","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"toolResult","toolCallId":"c%d","toolName":"bash","content":[{"type":"text","text":"%s the end of %d"}]}}
`, n, parent, n, n, n, n, n, strings.Repeat("many words ", 2000), n)
		parent = fmt.Sprintf("dddd%04d", n)
	}
	return s.String()
}

// On a telephone nothing runs out of the window. What the plain part of a page leaves
// out is there when its script runs.
func TestPageOnAPhone(t *testing.T) {
	p := browser.Open(t, exported(t, branched, export.Options{}), 390, 844)
	fits := func() {
		t.Helper()
		p.Wait(ready)
		if wide := browser.Eval[int](p, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("the page is %d pixels wide", wide)
		}
	}
	fits()
	const calls = 20
	p.Go(exported(t, talkative(calls), export.Options{}))
	fits()
	p.Wait(fmt.Sprintf(`document.querySelectorAll(".call .out").length === %d`, calls))
	if whole := browser.Eval[int](p, `[...document.querySelectorAll(".call .out")].filter((e, n) => e.textContent.endsWith(" the end of " + n)).length`); whole != calls {
		t.Errorf("%d of %d outputs are whole", whole, calls)
	}
	forks := browser.Eval[[]string](p, `[...document.querySelectorAll(".fork > ul > li")].map((e) => e.textContent)`)
	if len(forks) != 7 || !strings.Contains(forks[0], "current") || !strings.Contains(forks[1], "try number 0") || !strings.Contains(forks[5], "try number 4") || forks[6] != "3 more branches" {
		t.Errorf("the branches that were left read %q", forks)
	}
	if direction := browser.Eval[[]string](p, `[...document.querySelectorAll(".say, .say code")].slice(0, 3).map((e) => getComputedStyle(e).direction)`); !slices.Equal(direction, []string{"rtl", "ltr", "ltr"}) {
		t.Errorf("text from right to left and the code in it run %q", direction)
	}
	if faults := p.Faults(); len(faults) > 0 {
		t.Errorf("the browser complains: %q", faults)
	}
}

// laborious is a session that a script could work on for minutes: code with quotes
// that nothing closes, and branches that each begin inside the one before.
func laborious(blocks, branches int) string {
	var s strings.Builder
	s.WriteString(`{"type":"session","version":3,"id":"s3","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"}` + "\n")
	said := `{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"%s"}}` + "\n"
	parent := "null"
	for n := range blocks {
		id := fmt.Sprintf("c%d", n)
		fmt.Fprintf(&s, said, id, parent, "```json\\n"+strings.Repeat(`\\\"`, 14000)+"\\n```")
		parent = `"` + id + `"`
	}
	fmt.Fprintf(&s, said, "k0", parent, "```go\\nsrc/* return \\\"said\\\" // why\\n```")
	line := `{"type":"message","id":"%s%d","parentId":"k%d","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"user","content":"%s"}}` + "\n"
	for n := range branches {
		fmt.Fprintf(&s, line, "k", n+1, n, "on")
	}
	for n := range branches {
		fmt.Fprintf(&s, line, "x", n, branches-1-n, "left")
	}
	return s.String()
}

// No text and no tree keeps a page busy, and an address that is none of its own does
// not stop it.
func TestPageThatIsHardWork(t *testing.T) {
	const blocks, branches = 40, 20000
	p := browser.Open(t, exported(t, laborious(blocks, branches), export.Options{})+"#100%", 1280, 900)
	p.Wait(ready)
	p.Wait(fmt.Sprintf(`document.querySelectorAll("code[data-done]").length === %d`, blocks+1))
	if coloured := browser.Eval[[]string](p, `[...document.querySelectorAll("code .s, code .c, code .k")].map((e) => e.textContent)`); !slices.Equal(coloured, []string{"return", `"said"`, "// why"}) {
		t.Errorf("in colours are %q", coloured)
	}
	if rows := browser.Eval[string](p, `document.querySelector("#tree .pad").style.height`); rows != fmt.Sprintf("%dpx", (blocks+3)*28) {
		t.Errorf("the tree is %s high", rows)
	}
	p.Do(`[...document.querySelectorAll(".trow")].at(-1); document.querySelector("#tree").scrollTop = 1e6; await new Promise((r) => setTimeout(r, 300)); document.querySelector(".trow .chev").dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }))`)
	p.Wait(`parseInt(document.querySelector("#tree .pad").style.height) > 44 * 28`)
	if failed := browser.Eval[bool](p, `"failed" in document.documentElement.dataset`); failed {
		t.Error("the page says that its script failed")
	}
}
