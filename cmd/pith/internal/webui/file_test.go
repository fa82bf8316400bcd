package webui_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
	"github.com/pith-sessions/pith/tests/browser"
)

const editing = `{"type":"session","version":3,"id":"0190bbbb-0000-7000-8000-000000000001","timestamp":"2026-02-03T22:52:06.410Z","cwd":"PROJECT"}
{"type":"message","id":"cccc0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"write <b>a</b> parcel type"}}
{"type":"message","id":"cccc0002","parentId":"cccc0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"toolCall","id":"c1","name":"write","arguments":{"path":"parcel.go","content":"package parcel\n\ntype ParcelOfTheDay struct{}\n"}}],"stopReason":"toolUse"}}
{"type":"message","id":"cccc0003","parentId":"cccc0002","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"write","isError":false,"content":[{"type":"text","text":"ok"}]}}
{"type":"message","id":"cccc0004","parentId":"cccc0003","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"toolCall","id":"c2","name":"edit","arguments":{"path":"parcel.go","oldText":"OfTheDay","newText":"OfTheWeek"}}],"stopReason":"toolUse"}}
{"type":"message","id":"cccc0005","parentId":"cccc0004","timestamp":"2026-02-03T22:52:11.000Z","message":{"role":"toolResult","toolCallId":"c2","toolName":"edit","isError":false,"content":[{"type":"text","text":"ok"}]}}
`

// The page of a file has the turns next to the lines; the page of a session's files has
// them by file, and the patch back to an entry. Nothing outside a project is shown.
func TestFilePages(t *testing.T) {
	dir, project := t.TempDir(), t.TempDir()
	if real, err := filepath.EvalSymlinks(project); err == nil {
		project = real
	}
	for path, text := range map[string]string{
		filepath.Join(dir, "s.jsonl"):         strings.ReplaceAll(editing, "PROJECT", project),
		filepath.Join(project, "parcel.go"):   "package parcel\n\ntype ParcelOfTheWeek struct{}\n// by <script>hand</script>\n",
		filepath.Join(project, "..", "x.txt"): "secret\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := webui.New("127.0.0.1:0", webui.Config{Catalog: catalog.Options{Dir: dir}, Note: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	c := enter(t, s)
	const key = "0190bbbb-0000-7000-8000-000000000001"
	for path, want := range map[string][]string{
		"file?line=3&path=" + url.QueryEscape(filepath.Join(project, "parcel.go")): {"/s/" + key + "#e-cccc0004", "write &lt;b&gt;a&lt;/b&gt; parcel type", "ParcelOfTheWeek", "&lt;script&gt;hand", "turn 1, m"},
		"s/" + key + "/files":                {"parcel.go", "#e-cccc0002", "written: ", "edited: "},
		"s/" + key + "/files?since=cccc0003": {"-type ParcelOfTheWeek struct{}", "&#43;type ParcelOfTheDay struct{}", "data-save"},
	} {
		code, text := c.get(path)
		for _, w := range want {
			if code != 200 || !strings.Contains(text, w) {
				t.Errorf("GET /%s = %d without %q:\n%s", path, code, w, text)
			}
		}
	}
	for _, path := range []string{filepath.Join(project, "..", "x.txt"), "/etc/passwd", filepath.Join(project, "none.go"), "parcel.go", ""} {
		if code, text := c.get("file?path=" + url.QueryEscape(path)); code != 404 || strings.Contains(text, "secret") {
			t.Errorf("GET /file of %q = %d", path, code)
		}
	}
}

// Going back to an entry offers the changes of files since then, as a patch to save.
func TestChangesSinceAnEntry(t *testing.T) {
	dir, project := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(dir, "s.jsonl"):       strings.ReplaceAll(editing, "PROJECT", project),
		filepath.Join(project, "parcel.go"): "package parcel\n\ntype ParcelOfTheWeek struct{}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := webui.New("127.0.0.1:0", webui.Config{Catalog: catalog.Options{Dir: dir}, Note: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	c := enter(t, s)
	v := &visitor{browser.Open(t, s.URL(), 1280, 844), t, c.base}
	v.Wait(ready)
	v.see("s/0190bbbb-0000-7000-8000-000000000001#e-cccc0004")
	v.Wait(`document.querySelector(".here.assistant")`)
	v.Press("y")
	v.Wait(`document.querySelector(".menu a")`)
	if name := v.text(".menu a"); name != "file changes since here" {
		t.Errorf("the menu offers %q", name)
	}
	v.Do(`document.querySelector(".menu a").click()`)
	v.Wait(`document.querySelector("#patch")`)
	if patch := v.text("#patch"); !strings.Contains(patch, "-type ParcelOfTheWeek struct{}") {
		t.Errorf("the patch is %q", patch)
	}
	v.Wait(`document.querySelector("[data-save]")`)
	v.Accessible()
}
