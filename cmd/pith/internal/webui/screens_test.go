package webui_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/tests/browser"
	"github.com/pith-sessions/pith/tests/corpus"
)

const tab, escape = kb.Tab, kb.Escape

// A fresh name for the pinned session, the oldest one of the demo.
const weatherBot = "019a748e-e222-7cab-864d-28c4a930411a"

// readDemo serves the sessions of the demo and more small ones, and opens the list.
func readDemo(t *testing.T, more int) (v *visitor, c *client, dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, d := range corpus.Demos(dir) {
		path := filepath.Join(dir, filepath.FromSlash(d.Path))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, d.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if more > 0 {
		if err := corpus.Store(dir, corpus.StoreOptions{Sessions: more, Bytes: int64(more) * 8_000, Projects: 5}); err != nil {
			t.Fatal(err)
		}
	}
	app := over(dir)
	app.Environment.Home = "/home/mira"
	app.Marks = marked(t, map[string]marks.Marks{weatherBot: {Pinned: true, Tags: []string{"bot"}}})
	s, err := webui.New("127.0.0.1:0", webui.Config{App: app, Note: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	c = enter(t, s)
	v = &visitor{browser.Open(t, s.URL(), 1280, 844), t, c.base}
	v.Wait(ready)
	return v, c, dir
}

// is fails unless an expression of the page has a value.
func is[T comparable](v *visitor, expression string, want T) {
	v.t.Helper()
	if got := browser.Eval[T](v.Page, expression); got != want {
		v.t.Errorf("%s = %v; want %v", expression, got, want)
	}
}

// slash presses /. chromedp would also type the character, although the page prevents it.
func (v *visitor) slash() {
	v.t.Helper()
	v.Do(`document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true }))`)
}

// The keys of the list work from the moment that it opens; the search box takes them
// only after / and gives them back with Esc (U3). Pinned sessions come first (U11).
// Back restores the list as it was left (U10).
func TestListKeys(t *testing.T) {
	v, _, _ := readDemo(t, 60)
	const sel, focus = `[...document.querySelectorAll(".row")].findIndex((r) => r.hasAttribute("aria-current"))`, `document.activeElement.id`
	is(v, `document.querySelector(".row").pathname.slice(3)`, weatherBot)
	is(v, focus, "")
	v.Press("j")
	is(v, sel, 1)
	v.slash()
	is(v, focus, "q")
	v.Press("mutex")
	v.Wait(`document.documentElement.dataset.asked === "mutex"`)
	v.Press(escape)
	v.Wait(`document.documentElement.dataset.asked === ""`)
	is(v, focus, "q")
	v.Press(escape)
	is(v, focus, "")
	v.Press("G")
	is(v, sel, 66)
	v.Press(kb.Home)
	is(v, sel, 0)
	v.Press(kb.End)
	is(v, sel, 66)
	v.Press("g")
	is(v, sel, 0)
	v.Do(`document.querySelector(".pick summary").focus()`)
	v.Press(kb.Enter) // opens a menu, not the session
	v.Wait(`document.querySelector(".pick[open]")`)
	v.Press(escape)
	is(v, `document.querySelector(".pick[open]") === null`, true)

	for n := range 40 {
		v.Press("j")
		is(v, sel, n+1)
	}
	const place = `document.querySelector(".row[aria-current]")?.pathname + " " + Math.round(scrollY)`
	left := browser.Eval[string](v.Page, place)
	if strings.HasSuffix(left, " 0") {
		t.Fatal("the list does not scroll")
	}
	v.Do(`document.activeElement.blur()`)
	v.Press(kb.Enter)
	v.Wait(`document.querySelector("#conversation") && ` + ready)
	v.Do(`history.back()`)
	v.Wait(`document.querySelector("#results") && ` + ready)
	v.Wait(place + " === " + fmt.Sprintf("%q", left))
}

// A dialog takes all keys; Esc closes it, and then leads back to the list (U4).
func TestKeysInDialogs(t *testing.T) {
	v, _, _ := readDemo(t, 0)
	const url, open = `location.pathname + location.hash`, `document.querySelector("#help").open`
	v.Press("?")
	is(v, open, true)
	v.Press("u")
	v.Press("j")
	v.Press(escape)
	is(v, open, false)
	is(v, url, "/")
	v.slash()
	v.Press("lease")
	v.Wait(`document.documentElement.dataset.asked === "lease"`)
	v.Press(kb.Enter)
	v.Wait(`document.querySelector("#conversation .at")`)
	v.Press("?")
	is(v, `document.querySelector("#help").matches(":modal")`, true)
	before := browser.Eval[string](v.Page, url)
	for _, key := range []string{"j", "G", "g", "s", "c", "x", "b"} {
		v.Press(key)
	}
	is(v, url, before)
	is(v, `!!document.querySelector(".pick[open], #context:not([hidden])")`, false)
	v.Press(escape)
	is(v, open, false)
	is(v, url, before)
	v.Press(escape) // the query
	v.Wait(`document.querySelector("#search").value === ""`)
	v.Press(escape)
	v.Wait(`location.pathname === "/" && document.querySelector("#results") && ` + ready)
	is(v, `document.querySelector("#q").value`, "lease")
}

// A query goes along from the list into a session and on to the next one. The match is
// unfolded and marked, and counted across sessions (U5, X1).
func TestQueryIsCarried(t *testing.T) {
	v, _, _ := readDemo(t, 0)
	const marked = `[...(CSS.highlights.get("match") ?? [])].map((r) => r.toString().toLowerCase()).join()`
	v.slash()
	v.Press("lease")
	v.Wait(`document.documentElement.dataset.asked === "lease"`)
	keys := browser.Eval[[]string](v.Page, `[...document.querySelectorAll(".row")].map((r) => r.dataset.key)`)
	if len(keys) < 2 {
		t.Fatalf("lease is found in %q", keys)
	}
	v.Press(kb.Enter)
	for n, key := range keys {
		v.Wait(fmt.Sprintf(`location.pathname === "/s/%s" && document.documentElement.dataset.around === "1"`, key))
		v.Wait(`document.documentElement.dataset.opened === "1" && document.querySelector(".at")`)
		is(v, `new URLSearchParams(location.search).get("q") + document.querySelector("#search").value`, "leaselease")
		matches := browser.Eval[int](v.Page, `+document.querySelector("#count").textContent.split(" of ")[1]`)
		first := browser.Eval[int](v.Page, `+document.querySelector("#count").textContent.split(" ")[1]`)
		if n > 0 && first != 1 {
			t.Errorf("%s opens at match %d", key, first)
		}
		for k := first; k <= matches; k++ {
			v.Wait(fmt.Sprintf(`document.querySelector("#count").textContent === "match %d of %d"`, k, matches))
			v.Wait(`(() => { const r = [...CSS.highlights.get("match") ?? []].find((r) => !r.startContainer.parentElement.closest("summary"))?.getBoundingClientRect(); return CSS.highlights.has("match") && (!r || r.height > 0 && r.top > 40 && r.bottom < innerHeight); })()`)
			if words := browser.Eval[string](v.Page, marked); !strings.HasPrefix(words, "lease") || strings.Trim(words, "leas,") != "" {
				t.Errorf("match %d of %s marks %q", k, key, words)
			}
			v.Press("n")
		}
	}
	v.Wait(fmt.Sprintf(`location.pathname === "/s/%s" && document.documentElement.dataset.opened === "1" && document.documentElement.dataset.around === "1"`, keys[0])) // around the end
	v.Press("N")
	v.Wait(fmt.Sprintf(`location.pathname === "/s/%s" && /^match (\d+) of \1$/.test(document.querySelector("#count")?.textContent)`, keys[len(keys)-1]))

	// Enter in the box of a session leaves it, so that n and N are keys.
	v.see("s/" + bugHunt)
	v.slash()
	v.Press("lease" + kb.Enter)
	v.Wait(`document.querySelector("#count").textContent.startsWith("match ")`)
	is(v, `document.activeElement.id`, "")
	v.Press("n")
	is(v, `document.querySelector("#search").value`, "lease")
	if n := browser.Eval[int](v.Page, `document.querySelectorAll("details.call[open]").length`); n == 0 {
		t.Error("no tool is unfolded for its match")
	}
}

// Every key that a page shows in its list of keys does something.
func TestHintsOfKeys(t *testing.T) {
	v, _, _ := readDemo(t, 0)
	hints := func() []string {
		t.Helper()
		return browser.Eval[[]string](v.Page, `[...document.querySelectorAll("#help kbd")].map((k) => k.textContent)`)
	}
	const state = `(() => { try { return JSON.stringify([location.href, performance.timeOrigin, document.activeElement?.outerHTML.slice(0, 200), document.documentElement.dataset.theme, document.querySelector("#help")?.open, document.querySelector(".row[aria-current]")?.href, document.querySelector(".trow[aria-current]")?.id, document.querySelectorAll(".trow").length, document.querySelectorAll(".pick[open]").length, document.querySelectorAll("details[open]").length, document.querySelector("#context")?.hidden, document.querySelector("#count")?.textContent, document.querySelector("#q")?.value]); } catch { return "loading"; } })()`
	names := map[string]string{"Enter": kb.Enter, "Esc": escape, "↑": kb.ArrowUp, "↓": kb.ArrowDown, "←": kb.ArrowLeft, "→": kb.ArrowRight, "Tab": kb.Tab}
	// press presses every key that is shown, from a state in which it has an effect.
	press := func(path, except string, from map[string]string) {
		t.Helper()
		v.see(path)
		for _, hint := range hints() {
			if hint == except || hint == "←" || hint == "→" || path != "?q=mail" && hint == "Enter" && !strings.HasPrefix(path, "s/") { // those need a branch, or a link
				continue
			}
			if browser.Eval[bool](v.Page, `!document.querySelector("main") || location.pathname !== "/`+strings.SplitN(path, "?", 2)[0]+`" || !location.search || !!document.querySelector("dialog[open], .pick[open], #context:not([hidden]), input:focus")`) {
				v.see(path)
			}
			if browser.Eval[bool](v.Page, `document.querySelector("main #conversation") !== null`) {
				v.Wait(`document.documentElement.dataset.opened === "1"`) // it has moved to the first match
			}
			switch key := from[hint]; {
			case key == "":
			case !strings.HasPrefix(path, "s/"):
				v.Press(key)
			default: // which moves from the first match
				v.see(path)
				v.Wait(`document.documentElement.dataset.opened === "1"`)
				before := v.says(state)
				v.Press(key)
				v.Wait(state + " !== " + quote(t, before))
			}
			if hint == "Enter" && strings.HasPrefix(path, "s/") { // of a call
				v.see(strings.Split(path, "?")[0])
				v.Wait(`document.documentElement.dataset.opened === "1"`)
				v.Do(`document.querySelector(".trow:has(.r)").click()`)
				v.Wait(`document.querySelector("details.at")`)
			}
			was := v.says(state)
			v.Press(cmp.Or(names[hint], hint))
			v.Wait(fmt.Sprintf("%q && %s !== %s", "the key "+hint+" on /"+path, state, quote(t, was)))
		}
	}
	press("?q=mail", "", map[string]string{"j": "g", "↓": "g", "G": "g", "k": "j", "↑": "j", "g": "j"})
	press("s/"+bugHunt+"?q=lease", "", map[string]string{"j": "g", "↓": "g", "k": "G", "↑": "G", "[": "G", "]": "g", "g": "G", "G": "g", "b": "g"})
	press("usage?range=all", "", nil)
}

// While a session grows, one entry is current, and the tree follows (U8). The list
// shows changes by itself (U12). Unfolded tools stay unfolded on another branch (U16).
// Times are those of the reader's zone (U9).
func TestLiveScreens(t *testing.T) {
	t.Setenv("TZ", "Asia/Kolkata")
	v, _, dir := readDemo(t, 0)
	v.see("s/" + bugHunt)
	v.Wait(`document.documentElement.dataset.live === "1"`)
	is(v, `document.querySelector("#e-cde03e32 time").textContent`, "14:45")
	is(v, `document.querySelector("#e-cde03e32 time").title`, "2 Mar 2026, 14:45:11 GMT+5:30")
	is(v, `/UTC|GMT/.test(document.querySelector("main").innerText)`, false)

	v.Press("e")
	folded := `document.querySelectorAll("#conversation details.call:not([open])").length`
	is(v, folded, 0)
	v.Do(`document.querySelector(".fork a.go:not([aria-current])").click()`)
	v.Wait(`document.querySelector("#conversation").innerText.includes("Adding a mutex around")`)
	is(v, folded, 0)
	is(v, `document.querySelectorAll("#conversation .diff .add").length > 0`, true)

	v.see("s/" + bugHunt)
	v.Wait(`document.documentElement.dataset.live === "1"`)
	v.Press("G")
	v.Do(`scrollTo({ top: 1e9, behavior: "instant" })`)
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"+bugHunt+".jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	session, err := pith.Open(t.Context(), found[0], pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for n := range 3 {
		said := fmt.Sprintf("appended %d", n)
		if _, err := session.AppendMessage(t.Context(), format.NewUser(said, time.Now())); err != nil {
			t.Fatal(err)
		}
		v.Wait(fmt.Sprintf(`document.querySelector(".trow[aria-current]")?.textContent.includes(%q)`, said))
		is(v, `[...document.querySelectorAll("#tree .chip.here")].map((e) => e.closest(".trow").textContent.includes("`+said+`")).join()`, "true")
		v.Wait(`document.querySelector("#conversation").innerText.includes("` + said + `") && !document.querySelector("#end").hidden`)
		v.Wait(`!document.querySelector("#live").hidden && document.querySelector("#live").textContent.includes("live")`)
	}
	v.Press("g") // who reads is not moved: a pill leads to what is new
	v.Do(`scrollTo({ top: 0, behavior: "instant" })`)
	if _, err := session.AppendMessage(t.Context(), format.NewUser("said while reading", time.Now())); err != nil {
		t.Fatal(err)
	}
	v.Wait(`document.querySelector(".jump")?.textContent === "1 new entry"`)
	is(v, `scrollY`, 0)
	v.Click(".jump")
	v.Wait(`document.querySelector(".trow[aria-current]")?.textContent.includes("said while reading") && !document.querySelector(".jump")`)
	if _, err := session.SetLabel(t.Context(), session.LeafID(), "here it was"); err != nil {
		t.Fatal(err)
	}
	v.Wait(`document.querySelector("#tree").innerText.includes("here it was")`)

	v.see("")
	v.Wait(`document.documentElement.dataset.fresh === "1"`)
	if _, err := session.SetName(t.Context(), "a name given meanwhile"); err != nil {
		t.Fatal(err)
	}
	v.Wait(`document.querySelector("#results").innerText.includes("a name given meanwhile")`)

	call := &format.ToolCallBlock{ID: "c", Name: "bash", Arguments: json.RawMessage(`{"command":"sleep 60"}`)}
	if _, err := session.AppendMessage(t.Context(), &format.Assistant{Content: format.BlockContent(call), Provider: "p", Model: "m", StopReason: "toolUse", Timestamp: time.Now().UnixMilli()}); err != nil {
		t.Fatal(err)
	}
	v.see("s/" + bugHunt) // a live session opens at its end, where the last call runs
	v.Wait(`document.documentElement.dataset.live === "1" && document.querySelector(".trow[aria-current]")?.textContent.includes("sleep 60")`)
	is(v, `document.querySelector(".call.at .r").textContent`, "running")
	if err := os.Remove(found[0]); err != nil {
		t.Fatal(err)
	}
	v.Wait(`document.documentElement.dataset.live === "gone"`)
}

// Large sums are short, labels do not wrap on a phone, and paper has the bars of charts
// but no tool output (U19). The first load of a page reports no error.
func TestUsageAndPaper(t *testing.T) {
	dir := t.TempDir()
	for n := range 12 {
		at := fmt.Sprintf("2026-%02d-03T22:52:06.410Z", n+1)
		id := fmt.Sprintf("0190cccc-0000-7000-8000-%012d", n)
		text := fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":"/home/u/p"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"%s","message":{"role":"user","content":"count"}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"%s","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"one"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"seq 3\nseq 4"}}],"stopReason":"toolUse","usage":{"input":10505000000,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":706.871}}}}
{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"%s","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"PRINTED BY A TOOL"}]}}
`, id, at, at, at, at)
		if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := serveDir(t, dir)
	v := &visitor{browser.Open(t, s.BrowserURL(), 1280, 844), t, strings.Split(s.URL(), "#")[0]}
	v.Wait(ready)
	v.see("usage?range=all&bars=month")
	if text := v.text("main"); !strings.Contains(text, "B") || !strings.Contains(text, "$706.87\t") || strings.Contains(text, "0M") {
		t.Errorf("usage reads %q", text)
	}
	v.Resize(390, 844)
	is(v, `[...document.querySelectorAll(".plot .x span")].filter((e) => e.getBoundingClientRect().height > 20).length`, 0)
	v.Resize(1280, 844)
	v.Media("print", "light")
	is(v, `[...document.querySelectorAll(".plot rect.v")].filter((e) => getComputedStyle(e).display !== "none").length > 8`, true)
	v.Media("screen", "light")

	v.see("s/0190cccc-0000-7000-8000-000000000000")
	v.Press("e")
	v.Wait(`document.querySelector("#conversation").innerText.includes("PRINTED BY A TOOL")`)
	v.Media("print", "light")
	v.Do(`dispatchEvent(new Event("beforeprint"))`)
	v.Wait(`document.querySelector("#conversation").innerText.includes("seq 3")`)
	is(v, `document.querySelector("#conversation").innerText.includes("PRINTED BY A TOOL")`, false)
	v.Media("screen", "light")
	v.Resize(390, 844)
	v.Click("#open-find")
	if wide := browser.Eval[float64](v.Page, `document.querySelector("#search").getBoundingClientRect().width`); wide < 300 {
		t.Errorf("on a phone the search box is %.0f pixels wide", wide)
	}
	if faults := v.Faults(); len(faults) > 0 {
		t.Errorf("the browser reports %q", faults)
	}
}

// The search box takes filters of sessions besides words, and completes them (X3). The
// list has orders (V1).
func TestFiltersInTheBox(t *testing.T) {
	v, c, _ := readDemo(t, 40)
	keys := func(q string) []string {
		t.Helper()
		_, text := c.get("?n=1000&all=1&q=" + url.QueryEscape(q))
		var out []string
		for _, m := range regexp.MustCompile(`data-key="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		return out
	}
	all := len(keysOf(t, c))
	for q, want := range map[string]string{"tag:bot": weatherBot, "-tag:bot status:pending,error": damaged, "project:parcel lease": bugHunt, `lease project:"parcel" cost:>0`: bugHunt, "lease model:claude": bugHunt} {
		if got := keys(q); !slices.Contains(got, want) || len(got) >= all {
			t.Errorf("%s finds %q; want %s in it", q, got, want)
		}
	}
	for q, want := range map[string]int{"tag:none": 0, "cost:>1000000": 0, "lease cost:>1000000": 0, "model:": all, "cost:": all, "cost:>": all, "project:": all, "since:2100-01-01": 0, "source:co": all} {
		if got := keys(q); len(got) != want {
			t.Errorf("%s finds %d sessions; want %d", q, len(got), want)
		}
	}
	if _, text := c.get("?q=cost:much"); !strings.Contains(text, "use cost:&gt;5") {
		t.Errorf("an invalid filter gives %s", text)
	}
	v.slash()
	v.Press("status:pending")
	v.Wait(`document.documentElement.dataset.asked === "status:pending"`)
	is(v, `[...document.querySelectorAll(".row")].every((r) => r.innerText.includes("waits for you"))`, true)
	v.Press(escape)
	v.Press(escape)

	for order, column := range map[string]string{"cost": ".cost", "messages": ".row > .num.opt:not(.br, .cost)"} { // from the most
		v.see("?sort=" + order)
		values := browser.Eval[[]float64](v.Page, `[...document.querySelectorAll(".row")].map((r) => +(r.querySelector("`+strings.TrimPrefix(column, ".row > ")+`")?.textContent.replace(/[^\d.]/g, "") || 0))`)
		if len(values) < 10 || !slices.IsSortedFunc(values, func(a, b float64) int { return cmp.Compare(b, a) }) {
			t.Errorf("by %s the list has %v", order, values)
		}
	}
}

// Two sessions are compared from the list by c on each, and from a session (V1).
func TestCompareSessions(t *testing.T) {
	v, _, _ := readDemo(t, 0)
	const fork = "019cae36-7cc2-7066-8000-000000000066"
	v.see("?q=lease")
	is(v, `document.querySelector(".row").pathname`, "/s/"+fork)
	v.Press("c")
	v.Wait(`document.querySelector("#results .notice")?.textContent.includes("duplicate mails: how many?")`)
	v.Press(escape) // the query
	v.Press(escape)
	v.Wait(`!document.querySelector("#results .notice")`)
	v.see("?q=lease")
	v.Press("c")
	v.Wait(`document.querySelector("#results .notice")`)
	v.Press("j")
	v.Press("c")
	v.Wait(`location.pathname.endsWith("/compare") && document.querySelectorAll(".sidehead h2").length === 2`)
	text := v.text("main")
	for _, want := range []string{"duplicate mails: how many?", "duplicate delivery mails", "In common: ", "forget the mutex"} {
		if !strings.Contains(text, want) {
			t.Errorf("the comparison lacks %q: %s", want, text)
		}
	}
	is(v, `document.querySelectorAll("section.b .said").length > 0`, true)
	v.see("s/" + bugHunt)
	v.Do(`[...document.querySelectorAll("#commands a")].find((a) => a.textContent.startsWith("Compare with another session")).click()`)
	v.Wait(`document.querySelector("#results") && ` + ready)
	v.see("?compare=" + bugHunt)
	v.Do(`[...document.querySelectorAll(".row")].find((a) => a.href.includes("with=` + fork + `")).click()`)
	v.Wait(`location.pathname === "/s/` + bugHunt + `/compare" && document.querySelector(".sidehead h2")`)
}

// A page that is open when the server goes away says so, and fits a telephone with that
// line. A search after that ends too.
func TestServerGoesAway(t *testing.T) {
	const line = "The server does not answer. Is pith serve still running?"
	for path, sign := range map[string]string{"": "#count", "s/" + ownID: "#away"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "2026-02-03T22-52-06-410Z_"+ownID+".jsonl"), []byte(talk), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := webui.New("127.0.0.1:0", webui.Config{App: over(dir), Note: t.Logf})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx) }()
		v := &visitor{browser.Open(t, s.URL(), 390, 844), t, strings.Split(s.URL(), "#")[0]}
		v.Wait(ready)
		v.see(path)
		v.Wait(`["live", "fresh", "ready"].some((k) => document.documentElement.dataset[k] === "1")`)
		stop()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if path == "" {
			v.slash()
			v.Press("mails")
		}
		v.Wait(fmt.Sprintf(`document.querySelector(%q)?.textContent === %q && !("busy" in document.documentElement.dataset)`, sign, line))
		is(v, `document.documentElement.scrollWidth`, 390)
		is(v, fmt.Sprintf(`document.querySelector(%q).checkVisibility()`, sign), true)
		v.Accessible()
	}
}
