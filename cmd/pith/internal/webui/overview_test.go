package webui_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/settings"
	"github.com/pith-sessions/pith/tests/browser"
)

// endings are sessions by how they end, and what each waits for.
var endings = map[string]struct{ last, waits string }{
	"asked":    {`{"role":"user","content":"asked <b>again</b>"}`, "the model"},
	"complete": {`{"role":"assistant","stopReason":"stop","content":"done"}`, "you"},
	"failed":   {`{"role":"assistant","stopReason":"error","errorMessage":"529","content":[]}`, "you"},
	"tool":     {`{"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"make"}}]}`, "bash"},
	"tools":    {`{"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{}},{"type":"toolCall","id":"c2","name":"bash","arguments":{}},{"type":"toolCall","id":"c3","name":"ls","arguments":{}}]}`, "read and 2 other tools"},
	"subagent": {`{"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall","id":"c1","name":"subagent","arguments":{"agent":"reviewer","task":"look"}}]}`, "subagent reviewer"},
	"result":   {`{"role":"toolResult","toolCallId":"c9","toolName":"bash","content":"out"}`, "the model"},
	"archived": {`{"role":"user","content":"archived"}`, "the model"},
	"snoozed":  {`{"role":"user","content":"snoozed"}`, "the model"},
}

// serveEndings serves the sessions of endings, written at a time, and returns their
// directory.
func serveEndings(t *testing.T, written time.Time) *webui.Server {
	t.Helper()
	dir := t.TempDir()
	at := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	for name, e := range endings {
		text := fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":"/home/u/parcel"}
{"type":"message","id":"NAME-a1","parentId":null,"timestamp":"%s","message":{"role":"user","content":"request of %s with ghp_Zx81mQ0aLr7TtYv3KpWn5Bc9Ds2Ef4Gh6JkR"}}
{"type":"message","id":"NAME-a2","parentId":"NAME-a1","timestamp":"%s","message":{"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall","id":"c9","name":"write","arguments":{"path":"/home/u/parcel/made-%s.go","content":"x"}}]}}
{"type":"message","id":"NAME-a3","parentId":"NAME-a2","timestamp":"%s","message":%s}
`, name, at, at, name, at, name, at, e.last)
		text = strings.ReplaceAll(text, "NAME-", name+"-") // equal ids would be those of forks
		path := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
	}
	s, err := webui.New("127.0.0.1:0", webui.Config{Catalog: catalog.Options{Dir: dir}, Home: "/home/u", Note: t.Logf,
		Marks: func() func(string) marks.Marks {
			return func(id string) marks.Marks {
				m := marks.Marks{Archived: id == "archived"}
				if id == "snoozed" {
					m.Snoozed = time.Now().Add(time.Hour)
				}
				return m
			}
		},
		Searches: func() []settings.Search {
			return []settings.Search{{Name: "failed <ones>", Query: "status:error"}, {Name: "asked", Query: "asked"}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	return s
}

// The live page shows what each running session waits for (X7).
func TestWhoWaitsForWhom(t *testing.T) {
	c := enter(t, serveEndings(t, time.Now()))
	code, text := c.get("live.json")
	var got []struct{ Key, Waits string }
	if err := json.Unmarshal([]byte(text), &got); code != 200 || err != nil || len(got) != len(endings) {
		t.Fatalf("GET /live.json = %d, %s, %v", code, text, err)
	}
	for _, s := range got {
		if want := endings[s.Key].waits; s.Waits != want {
			t.Errorf("%s waits for %q, want %q", s.Key, s.Waits, want)
		}
	}
}

// The inbox lists unfinished sessions, the digest what was asked and changed, and the
// list has the saved searches as tabs (X3, X5, X6).
func TestInboxDigestAndTabs(t *testing.T) {
	s := serveEndings(t, time.Now().Add(-time.Minute))
	c := enter(t, s)
	v := &visitor{browser.Open(t, s.URL(), 1280, 844), t, c.base}
	v.Wait(ready)
	is(v, `[...document.querySelectorAll("#tabs button")].map((b) => b.textContent).join()`, "all,failed <ones>,asked")
	is(v, `document.querySelector("#tabs [aria-pressed=true]").textContent`, "all")
	v.Press("1")
	v.Wait(`document.documentElement.dataset.asked === "status:error" && document.documentElement.dataset.rows === "1"`)
	is(v, `document.querySelector("#tabs [aria-pressed=true]").textContent`, "failed <ones>")
	v.Click(`#tabs button`)
	v.Wait(`document.documentElement.dataset.asked === "" && document.querySelector("#tabs [aria-pressed=true]").textContent === "all"`)
	v.fits("the list with tabs")

	v.Press("i")
	v.Wait(`document.querySelector("h1")?.innerText === "Inbox"`)
	page := v.text("main")
	for name := range endings {
		if want := name != "complete" && name != "archived" && name != "snoozed"; strings.Contains(page, "request of "+name+" ") != want {
			t.Errorf("%s in the inbox: %t, want %t:\n%s", name, !want, want, page)
		}
	}
	for _, want := range []string{"asked <b>again</b>", "pi --session ", "pith archive failed", "interrupted", "pending", "error"} {
		if !strings.Contains(page, want) {
			t.Errorf("the inbox has no %q:\n%s", want, page)
		}
	}
	v.fits("the inbox")

	v.Press("w")
	v.Wait(`document.querySelector("h1")?.innerText === "Digest"`)
	page = v.text("main")
	for _, want := range []string{"9 sessions in 1 project", "~/parcel", "request of failed with [redacted:github-pat#1]", "asked <b>again</b>", "made-tool.go", "no response yet", "pith digest --since 7d"} {
		if !strings.Contains(page, want) {
			t.Errorf("the digest has no %q:\n%s", want, page)
		}
	}
	v.fits("the digest")
	v.Click(`.digest li li a`)
	v.Wait(`/^#e-.*-a[13]$/.test(location.hash) && document.documentElement.dataset.ready === "1"`)
	for _, path := range []string{"inbox", "digest", "digest?since=x%22%3E", "digest?since=30d", "digest?since=-1"} {
		if code, _ := c.get(path); code != 200 {
			t.Errorf("GET /%s = %d", path, code)
		}
	}
	if faults := v.Faults(); len(faults) > 0 {
		t.Errorf("the browser reports %q", faults)
	}
}
