package export_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	html5 "github.com/yuin/goldmark/renderer/html"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/redact"
)

// session opens a session of these lines.
func session(t *testing.T, text string) *pith.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func open(t testing.TB, path string) *pith.Session {
	t.Helper()
	s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fixtures are the files of real sessions; in a short run without the largest.
func fixtures(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "tests", "conformance", "testdata", "fixtures", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	return slices.DeleteFunc(files, func(file string) bool {
		info, err := os.Stat(file)
		return testing.Short() && err == nil && info.Size() > 1<<20
	})
}

// write exports a session.
func write(t testing.TB, v *pith.Session, o export.Options) string {
	t.Helper()
	plan, err := export.Review(t.Context(), v, o)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := plan.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var packed = regexp.MustCompile(`<script type="text/plain" (?:data-part|data-index)>([^<]*)</script>`)

// unpacked returns a page followed by its decompressed parts.
func unpacked(t *testing.T, page string) string {
	t.Helper()
	all := page
	for _, m := range packed.FindAllStringSubmatch(page, -1) {
		raw, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
	}
	return all
}

// A password that one entry names, on another branch, leaves in no format: not in
// the text around it, the title, the file name or the search data.
func TestFoundOnceGoneEverywhere(t *testing.T) {
	const secret = "k9Xw2LmQ4xvT7hb"
	text := `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/S/p"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"try S here"}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"echo S | docker login --password-stdin"}}]}}
{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"{\"a\":\"{\\\"b\\\":\\\"S\\\"}\"} and B"}]}}
{"type":"message","id":"bbbb0001","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"user","content":"DB_§"}}
{"type":"label","id":"aaaa0007","parentId":"aaaa0003","timestamp":"2026-02-03T22:52:14.000Z","targetId":"aaaa0001","label":"label S"}
{"type":"session_info","id":"aaaa0008","parentId":"aaaa0007","timestamp":"2026-02-03T22:52:15.000Z","name":"named S"}
{"type":"message","id":"aaaa0009","parentId":"aaaa0008","timestamp":"2026-02-03T22:52:16.000Z","message":{"role":"user","content":"and S again"}}
`
	coded := base64.StdEncoding.EncodeToString([]byte(secret))
	v := session(t, strings.NewReplacer("DB_§", "DB_PASSWORD="+secret, "S", secret, "B", coded).Replace(text))
	for name, o := range map[string]export.Options{"page": {}, "path": {Leaf: "aaaa0009"}, "Markdown": {Format: export.Markdown}, "session": {Format: export.JSONL}, "trajectory": {Format: export.ATIF}, "turn": {Turns: "1"}} {
		got := write(t, v, o)
		if o.Format == export.HTML {
			got = unpacked(t, got)
		}
		plan, err := export.Review(t.Context(), v, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{got, plan.Title(), plan.FileName()} {
			if strings.Contains(text, secret) || strings.Contains(text, coded) {
				t.Errorf("%s tells the password: %s", name, text)
			}
		}
	}
}

// Every string of a session contains a secret; no output contains one (E6, E7,
// E10, E11), and with NoRedact the output contains all of them (E13).
func TestNoSecretLeaves(t *testing.T) {
	const secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
	text := `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/S/p","extra":"S"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"the token is S"}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"S"},{"type":"thinking","thinking":"S"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"curl -H 'Authorization: Bearer S'","S":"key"}}],"errorMessage":"S","stopReason":"error"}}
{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"{\"token\":\"S\"}"}],"details":{"diff":"+S"}}}
{"type":"message","id":"bbbb0001","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"user","content":"on a side branch: S"}}
{"type":"compaction","id":"aaaa0004","parentId":"aaaa0003","timestamp":"2026-02-03T22:52:11.000Z","summary":"S","firstKeptEntryId":"aaaa0003","tokensBefore":10}
{"type":"custom","id":"aaaa0005","parentId":"aaaa0004","timestamp":"2026-02-03T22:52:12.000Z","customType":"x","data":{"k":"S"}}
{"type":"some_day","id":"aaaa0006","parentId":"aaaa0005","timestamp":"2026-02-03T22:52:13.000Z","note":"S"}
{"type":"label","id":"aaaa0007","parentId":"aaaa0006","timestamp":"2026-02-03T22:52:14.000Z","targetId":"aaaa0001","label":"label S"}
{"type":"session_info","id":"aaaa0008","parentId":"aaaa0007","timestamp":"2026-02-03T22:52:15.000Z","name":"named S"}
{"type":"message","id":"aaaa0009","parentId":"aaaa0008","timestamp":"2026-02-03T22:52:16.000Z","message":{"role":"bashExecution","command":"echo S","output":"S","exitCode":0}}
this line is no JSON: S
`
	v := session(t, strings.ReplaceAll(text, "S", secret))
	for name, o := range map[string]export.Options{"page": {}, "Markdown": {Format: export.Markdown, AllBranches: true}, "session": {Format: export.JSONL}, "turn": {Turns: "1"}} {
		got := write(t, v, o)
		if o.Format == export.HTML {
			got = unpacked(t, got)
		}
		if strings.Contains(html.UnescapeString(got), secret) {
			t.Errorf("%s: the secret is in\n%s", name, got)
		}
		if !strings.Contains(got, "[redacted:github-pat#1]") {
			t.Errorf("%s: nothing says that something was redacted", name)
		}
		o.NoRedact = true
		if kept := write(t, v, o); !strings.Contains(kept, secret) {
			t.Errorf("%s: NoRedact redacts", name)
		}
	}
}

// A session exported as a session file opens and has the same content except
// for the redactions.
func TestSessionOpensAgain(t *testing.T) {
	for _, file := range fixtures(t) {
		v := open(t, file)
		got := write(t, v, export.Options{Format: export.JSONL, NoRedact: true})
		again := session(t, got)
		before, after := v.View(), again.View()
		if after.Len() != before.Len() || again.LeafID() != v.LeafID() || again.Name() != v.Name() {
			t.Fatalf("%s: %d entries, leaf %s; want %d, %s", file, after.Len(), again.LeafID(), before.Len(), v.LeafID())
		}
		for i := range before.Len() {
			was, err := before.Line(i)
			if err != nil {
				t.Fatal(err)
			}
			if is, err := after.Line(i); err != nil || !bytes.Equal(was.Raw, is.Raw) {
				t.Fatalf("%s: entry %d is %s, %v; want %s", file, i, is.Raw, err, was.Raw)
			}
		}
		clean := session(t, write(t, v, export.Options{Format: export.JSONL, Redact: redact.Options{Names: redact.Names{Words: []string{"the"}}}}))
		if clean.View().Len() != before.Len() || clean.LeafID() != v.LeafID() {
			t.Errorf("%s redacted: %d entries; want %d", file, clean.View().Len(), before.Len())
		}
	}
}

// Numbers of secrets do not depend on who was faster.
func TestSameBytesTwice(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}` + "\n")
	parent := "null"
	for i := range 300 {
		id := "a" + strings.Repeat("0", 4) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + "0"
		body, _ := json.Marshal(strings.Repeat("word ", 100) + "ghp_" + strings.Repeat(string(rune('A'+i%26)), 2) + "b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8")
		text.WriteString(`{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":` + string(body) + `}}` + "\n")
		parent = `"` + id + `"`
	}
	v := session(t, text.String())
	first := write(t, v, export.Options{})
	for range 2 {
		if again := write(t, v, export.Options{}); again != first {
			t.Fatal("two exports of one session differ")
		}
	}
}

// Markdown shows what was said and lets none of it act (E14, E15).
func TestMarkdown(t *testing.T) {
	text := `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"}
{"type":"session_info","id":"aaaa0000","parentId":null,"timestamp":"2026-02-03T22:52:06.500Z","name":"a *name* <b>"}
{"type":"message","id":"aaaa0001","parentId":"aaaa0000","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"look </details> at ![x](https://evil.example/x.png) ` + "`<b>`" + ` and \u001b[31mred\u202e"}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","content":[{"type":"text","text":"` + "```go\\nx := 1" + `"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"echo"}}]}}
{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"` + "````\\nfenced\\n````" + `"}]}}
{"type":"compaction","id":"aaaa0004","parentId":"aaaa0003","timestamp":"2026-02-03T22:52:10.000Z","summary":"## Goal\nfirst </details> ~~~","firstKeptEntryId":"aaaa0003","tokensBefore":5}
{"type":"branch_summary","id":"aaaa0005","parentId":"aaaa0004","timestamp":"2026-02-03T22:52:11.000Z","fromId":"aaaa0003","summary":"second"}
{"type":"message","id":"aaaa0006","parentId":"aaaa0005","timestamp":"2026-02-03T22:52:12.000Z","message":{"role":"compactionSummary","summary":"third","tokensBefore":5,"timestamp":1}}
{"type":"message","id":"aaaa0007","parentId":"aaaa0006","timestamp":"2026-02-03T22:52:13.000Z","message":{"role":"branchSummary","summary":"fourth","fromId":"aaaa0003","timestamp":1}}
`
	got := write(t, session(t, text), export.Options{Format: export.Markdown})
	for _, want := range []string{"earlier conversation</summary>\n\n## Goal\nfirst &lt;/details> ~~~\n\n</details>", "Summary of the branch</summary>\n\nsecond\n\n</details>", "conversation</summary>\n\nthird\n\n", "branch</summary>\n\nfourth\n\n", "# a \\*name\\* \\<b\\>", "&lt;/details>", "[x](https://evil.example/x.png)", "`<b>`", "␛[31mred[U+202E]", "```go\nx := 1\n```", "`````\n````\nfenced\n````\n`````", "<summary>bash echo</summary>"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, bad := range []string{"![", "\x1b", "\u202e"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q in\n%s", bad, got)
		}
	}
}

// Omitted parts are nowhere: neither in the tree of a page, nor in its search.
func TestLeftOut(t *testing.T) {
	s := session(t, strings.Join([]string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}`,
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"asked"}}`,
		`{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"thought"},{"type":"text","text":"answered"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"calledfirst"}}]}}`,
		`{"type":"message","id":"c","parentId":"b","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"printedfirst"}]}}`,
		`{"type":"message","id":"d","parentId":"c","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c2","name":"bash","arguments":{"command":"calledthen"}}]}}`,
		`{"type":"message","id":"e","parentId":"d","timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"toolResult","toolCallId":"none","toolName":"bash","isError":true,"content":[{"type":"text","text":"printedthen"}]}}`,
		`{"type":"custom_message","id":"f","parentId":"e","timestamp":"2026-01-01T00:00:06.000Z","customType":"x","content":"extended","display":true}`,
		`{"type":"compaction","id":"g","parentId":"f","timestamp":"2026-01-01T00:00:07.000Z","summary":"summarized","firstKeptEntryId":"a","tokensBefore":5}`,
	}, "\n")+"\n")
	tools := []string{"calledfirst", "printedfirst", "calledthen", "printedthen"}
	for name, tt := range map[string]struct {
		o    export.Options
		gone []string
	}{
		"talk":    {export.Options{Only: export.Talk}, append(tools, "thought")},
		"prompts": {export.Options{Only: export.Prompts}, append(tools, "thought", "answered", "extended", "summarized")},
	} {
		for _, as := range []export.Format{export.HTML, export.Markdown} {
			tt.o.Format = as
			text := write(t, s, tt.o)
			if as == export.HTML {
				text += unpacked(t, text)
			}
			for _, word := range tt.gone {
				if strings.Contains(text, word) {
					t.Errorf("%s of %s holds %q", as, name, word)
				}
			}
			if !strings.Contains(text, "asked") {
				t.Errorf("%s of %s lacks the question", as, name)
			}
		}
		for _, tt.o.Format = range []export.Format{export.JSONL, export.ATIF} {
			if _, err := export.Review(t.Context(), s, tt.o); !errors.Is(err, export.ErrWhole) {
				t.Errorf("Review of %s as %s = %v; want ErrWhole", name, tt.o.Format, err)
			}
		}
	}
}

// Text that its writer made for it becomes neither HTML nor a picture in Markdown.
func TestMarkdownLoadsNothing(t *testing.T) {
	const picture = `<img src=http://x.example/a.png>`
	for name, text := range map[string]string{
		"a run that a longer one seems to close":  "`` " + picture + " ```",
		"a span over lines":                       "a ` b\nc ` " + picture + " ` d",
		"a back-tick that is escaped":             "\\` " + picture + " `",
		"a fence that is set in too far":          "a\n\n    ```\n" + picture + "\n",
		"a fence with a back-tick behind it":      "```x`y\n" + picture + "\n",
		"fences in and behind a list":             "- a\n  ```\n```\n```\n" + picture + "\n",
		"a picture of Markdown behind such a run": "`` ![a](http://x.example/a.png) ```",
		"the end of a fold":                       "`` </details> ```",
		"two marks before a picture":              "!![a](http://x.example/a.png)",
	} {
		content, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		s := session(t, `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}`+"\n"+
			`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":`+string(content)+"}}\n")
		out := write(t, s, export.Options{Format: export.Markdown})
		var html strings.Builder
		if err := goldmark.New(goldmark.WithRendererOptions(html5.WithUnsafe())).Convert([]byte(out), &html); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(html.String(), "<img") || strings.Contains(html.String(), "</details>") {
			t.Errorf("%s: %q became %q, which is %s", name, text, out, &html)
		}
	}
	code := "use `List<int>` and\n\n```go\nvar a []<b>\n```"
	content, _ := json.Marshal(code) // a string
	s := session(t, `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}`+"\n"+
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":`+string(content)+"}}\n")
	if out := write(t, s, export.Options{Format: export.Markdown}); !strings.Contains(out, code) {
		t.Errorf("code is not as it was:\n%s", out)
	}
}

// A file appears when it is whole and checked, never over another or through a link
// (E17, E18).
func TestWriteFile(t *testing.T) {
	v := session(t, branched)
	dir := t.TempDir()
	name := filepath.Join(dir, "out.html")
	plan, err := export.Review(t.Context(), v, export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, replace := range []bool{false, true} {
		if _, err := plan.WriteFile(t.Context(), name, replace); err != nil {
			t.Fatalf("WriteFile, replace %t: %v", replace, err)
		}
	}
	if _, err := plan.WriteFile(t.Context(), name, false); !errors.Is(err, export.ErrExists) {
		t.Errorf("writing over a file = %v; want %v", err, export.ErrExists)
	}
	target := filepath.Join(dir, "target")
	if err := errors.Join(os.WriteFile(target, []byte("kept"), 0o600), os.Symlink(target, filepath.Join(dir, "link.html"))); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.WriteFile(t.Context(), filepath.Join(dir, "link.html"), true); !errors.Is(err, export.ErrExists) {
		t.Errorf("writing over a link = %v; want %v", err, export.ErrExists)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := plan.WriteFile(ctx, filepath.Join(dir, "never.html"), false); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled export = %v", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 3 {
		t.Errorf("%d files are left: %v; want the page, the link and its target", len(files), err)
	}
}

// exporting is the environment variable that makes TestKilled the process that is
// killed; it holds the session and the page.
const exporting = "PITH_TEST_EXPORTING"

// A process that is killed while it exports leaves no half page, and the next export
// removes what it left (E18).
func TestKilled(t *testing.T) {
	large := filepath.Join("..", "tests", "conformance", "testdata", "fixtures", "large-session.jsonl")
	if name := os.Getenv(exporting); name != "" {
		plan, err := export.Review(t.Context(), open(t, large), export.Options{})
		for err == nil {
			_, err = plan.WriteFile(t.Context(), name, true)
		}
		t.Fatal(err)
	}
	whole := write(t, open(t, large), export.Options{})
	dir, temp := t.TempDir(), t.TempDir()
	name := filepath.Join(dir, "page.html")
	leftovers := func(in string) []string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(in, ".pith-export-*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for len(leftovers(dir)) == 0 { // it may be killed between two of them
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), exporting+"="+name, "TMPDIR="+temp)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		tick := time.NewTicker(2 * time.Millisecond)
		for len(leftovers(dir)) == 0 {
			<-tick.C
		}
		tick.Stop()
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
	}
	if page, err := os.ReadFile(name); err == nil && string(page) != whole || err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the page has %d bytes, %v; want none or %d", len(page), err, len(whole))
	}
	t.Setenv("TMPDIR", temp)
	long := time.Now().Add(-2 * time.Hour)
	for _, path := range append(leftovers(dir), leftovers(temp)...) {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	busy := filepath.Join(dir, ".pith-export-busy") // of an export in progress
	if err := os.WriteFile(busy, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := export.Review(t.Context(), session(t, branched), export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.WriteFile(t.Context(), filepath.Join(dir, "next.html"), false); err != nil {
		t.Fatal(err)
	}
	if left := append(leftovers(dir), leftovers(temp)...); !slices.Equal(left, []string{busy}) {
		t.Errorf("after the next export %q are left; want %q", left, busy)
	}
}

// The output is read again: a secret that got in by any way is found, in the
// plain text and in the compressed parts.
func TestCheckFindsALeak(t *testing.T) {
	testLeak(t, "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", strings.ReplaceAll(branched, "xylophone", "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"))
}

// A value that only the review could recognize is a leak like any other.
func TestCheckFindsALearnedLeak(t *testing.T) {
	const secret = "kR9Xw2LmQ4vT7hbZ3dPq8sYn"
	testLeak(t, secret, strings.NewReplacer("xylophone", secret, "mend it", `{\"api_key\": \"`+secret+`\"}`).Replace(branched))
}

// testLeak wants a session that was not redacted refused by the check of one that was.
func testLeak(t *testing.T, secret, text string) {
	t.Helper()
	v := session(t, text)
	for name, o := range map[string]export.Options{"page": {}, "Markdown": {Format: export.Markdown, AllBranches: true}, "session": {Format: export.JSONL}} {
		plan, err := export.Review(t.Context(), v, o)
		if err != nil {
			t.Fatal(err)
		}
		o.NoRedact = true
		leaky, err := export.Review(t.Context(), v, o)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := leaky.Write(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		var leak *export.LeakError
		if err := plan.Check(t.Context(), bytes.NewReader(out.Bytes())); !errors.As(err, &leak) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: Check of a leak = %v", name, err)
		}
	}
}

// Text is scanned when it is compressed: a secret that is known by then does
// not leak, whatever was known at the review.
func TestNothingLeaksIntoWhatIsCompressed(t *testing.T) {
	for _, word := range []string{"xylophone", "mend it"} {
		plan, err := export.Review(t.Context(), session(t, branched), export.Options{})
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "out.html")
		if _, err := plan.WriteFile(t.Context(), name, false); err != nil {
			t.Fatal(err)
		}
		plan.Redact.Secrets = []redact.Secret{{Value: word}}
		var leak *export.LeakError
		if _, err := plan.WriteFile(t.Context(), name+"2", false); !errors.As(err, &leak) {
			t.Errorf("a page with %q = %v; want a leak", word, err)
		}
	}
}

// The check reads lines of any length whole, and those after them.
func TestCheckReadsLongLines(t *testing.T) {
	plan, err := export.Review(t.Context(), session(t, branched), export.Options{Format: export.JSONL})
	if err != nil {
		t.Fatal(err)
	}
	const secret = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
	long := func(text string) string { return `{"text":"` + strings.Repeat("many words ", 100_000) + text + `"}` }
	for written, line := range map[string]int{
		long("") + "\n" + long("") + "\n{}\n":                    0,
		"{}\n" + long(secret) + "\n{}\n":                         2,
		long("") + "\n{}\n" + `{"text":"` + secret + `"}` + "\n": 3,
		"{}\n" + long("") + "\n" + long(secret):                  3,
	} {
		err := plan.Check(t.Context(), strings.NewReader(written))
		leak, found := errors.AsType[*export.LeakError](err)
		if found != (line > 0) || !found && err != nil || found && (len(leak.Findings) != 1 || leak.Findings[0].Line != line) {
			t.Errorf("Check = %v, %+v; want a secret in line %d", err, leak, line)
		}
	}
}

// The check reads HTML as a browser does, whatever wrote it.
func TestCheckDecodes(t *testing.T) {
	plan, err := export.Review(t.Context(), session(t, branched), export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := write(t, session(t, branched), export.Options{})
	for written, leaks := range map[string]bool{
		"&lt;ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8&gt;":                    true,
		"&amp; &#x67;hp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8":                 true,
		"&nbsp;&#103;hp&lowbar;A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8 &hellip;": true,
		"&lt;b&gt; &#34;&#39; &amp;amp; &nbsp; & &#; &":                       false,
	} {
		var leak *export.LeakError
		err := plan.Check(t.Context(), strings.NewReader(strings.Replace(page, "mend it", written, 1)))
		if leaks != errors.As(err, &leak) || !leaks && err != nil {
			t.Errorf("Check of a page with %q = %v", written, err)
		}
	}
}

// One picture that is larger than all else does not end up in a page, where it would
// keep a browser busy; the session keeps it (E16).
func TestHugePicture(t *testing.T) {
	megabytes := 100
	if testing.Short() {
		megabytes = 20
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	writePicture(t, path, int64(megabytes)<<20)
	v := open(t, path)
	got := write(t, v, export.Options{NoRedact: testing.Short()})
	if len(got) > 1<<20 || !strings.Contains(got, "look at this") || !strings.Contains(got, fmt.Sprintf("image of %d MB is too large for a page", megabytes)) {
		t.Errorf("the page has %d bytes", len(got))
	}
	if got := write(t, v, export.Options{Format: export.Markdown, NoRedact: true}); !strings.Contains(got, "look at this") || len(got) > 10_000 {
		t.Errorf("the text has %d bytes", len(got))
	}
	plan, err := export.Review(t.Context(), v, export.Options{Format: export.JSONL, NoRedact: testing.Short()})
	if err != nil {
		t.Fatal(err)
	}
	again := sha256.New()
	if _, err := plan.Write(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	before := sha256.New()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := io.Copy(before, file); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Sum(nil), before.Sum(nil)) {
		t.Error("the session is not what it was")
	}
}

// A large image is scanned for the user's own secrets although it is never in
// memory as a whole, and so is the text next to it.
func TestSecretsInHugePicture(t *testing.T) {
	const token = "my-own-secret-value-42"
	const other = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
	path := filepath.Join(t.TempDir(), "s.jsonl")
	size, fromEnd := 8<<20, 5<<20
	if testing.Short() { // redaction takes long with the race detector
		size, fromEnd = 3<<20, 2<<20
	}
	writePicture(t, path, int64(size))
	clean, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	options := export.Options{Format: export.JSONL, Redact: redact.Options{Secrets: []redact.Secret{{Name: "own", Value: token}}}}
	coded := base64.StdEncoding.EncodeToString([]byte(token + token))
	at := len(clean) - fromEnd
	places := map[string][]byte{
		"image": slices.Concat(clean[:at], []byte(coded), clean[at+len(coded):]),
		"text":  bytes.Replace(clean, []byte("look at this"), []byte("look at "+other), 1),
	}
	if testing.Short() {
		delete(places, "text")
	}
	for name, dirty := range places {
		file := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(file, dirty, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := write(t, open(t, file), options); strings.Contains(got, coded) || strings.Contains(got, other) || !strings.Contains(got, "[redacted:") {
			t.Errorf("a session of %d bytes with a secret in the %s has %d bytes; want it redacted", len(dirty), name, len(got))
		}
		plan, err := export.Review(t.Context(), open(t, path), options)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(t.Context(), bytes.NewReader(dirty)); !errors.As(err, new(*export.LeakError)) {
			t.Errorf("Check of a session with a secret in the %s = %v; want a leak", name, err)
		}
		if err := plan.Check(t.Context(), bytes.NewReader(clean)); err != nil {
			t.Errorf("Check of a session without secrets = %v", err)
		}
	}
}

// writePicture writes a session with one image of size bytes.
func writePicture(t *testing.T, path string, size int64) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	out.WriteString(`{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":[{"type":"text","text":"look at this"},{"type":"image","mimeType":"image/png","data":"`)
	data := base64.NewEncoder(base64.StdEncoding, out)
	io.WriteString(data, "\x89PNG\r\n\x1a\n")
	if _, err := io.CopyN(data, rand.NewChaCha8([32]byte{}), size); err != nil {
		t.Fatal(err)
	}
	data.Close()
	out.WriteString("\"}]}}\n")
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
}

// Images that oh-my-pi stores next to its sessions are exported with them,
// since the recipient has no such directory (R5).
func TestPicturesFromElsewhere(t *testing.T) {
	dir := filepath.Join("..", "tests", "conformance", "testdata", "programs", "oh-my-pi-18.2.3")
	const hash = "6150cd2c9c192bca96c4db35231f857a0715bafc3ad99b9a5cd97dae6b6a1e08"
	blob, err := os.ReadFile(filepath.Join(dir, "blobs", hash))
	if err != nil {
		t.Fatal(err)
	}
	want := base64.StdEncoding.EncodeToString(blob)
	v := open(t, filepath.Join(dir, "full.jsonl"))
	for name, got := range map[string]string{"page": unpacked(t, write(t, v, export.Options{})), "session": write(t, v, export.Options{Format: export.JSONL})} {
		if strings.Contains(got, hash) || !strings.Contains(got, want) {
			t.Errorf("the %s has a reference in the place of the picture", name)
		}
	}
	if page := unpacked(t, write(t, v, export.Options{})); !strings.Contains(page, `<img alt="image in the conversation" src="data:image/png;base64,`+want) {
		t.Error("the page does not show the picture")
	}
}

// A page is at most half as large as its session, once that is more than a page's own
// script and style.
func TestPageIsSmall(t *testing.T) {
	for _, file := range fixtures(t) {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		got := write(t, open(t, file), export.Options{})
		if size := int64(len(got)); info.Size() > 500_000 && size > info.Size()/2 {
			t.Errorf("the page of %s has %d bytes; the session has %d", filepath.Base(file), size, info.Size())
		}
	}
}
