package page_test

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/page"
)

// hostile are texts that would do something if they became markup.
var hostile = []string{
	`</script><script>alert(1)</script>`,
	`<!-- <script>`,
	"\u2028\u2029",
	`<img src=x onerror=alert(1)>`,
	`" onmouseover="alert(1)`,
	`' style='background:url(//evil.example/x)`,
	`[x](javascript:alert(1))`, "[x](java\tscript:alert(1))", `[x](&#106;avascript:alert(1))`,
	`[x](data:text/html;base64,PHNjcmlwdD4=)`, `[x](vbscript:x)`, `<javascript:alert(1)>`,
	`![x](https://evil.example/pixel.png)`, `![x](javascript:alert(1))`,
	`<svg onload=alert(1)>`, `<a href="javascript:alert(1)">x</a>`, `<style>@import url(//evil.example)</style>`,
	"```\"><script>\ncode\n```", "```a\" onload=\"x\ncode\n```",
	"\x1b[2J\x1b]0;owned\a", "\u202edlrow olleh", "a\u200fb\u061cc\U000e0041",
	"<div>\n\n<iframe src=//evil.example></iframe>", "&lt;script&gt;", "\xff\xfe",
}

// entry returns the line of an entry that continues another.
func entry(id, parent, kind string, members map[string]any) string {
	line := map[string]any{"type": kind, "id": id, "parentId": parent, "timestamp": "2026-02-03T22:52:07.000Z"}
	if parent == "" {
		line["parentId"] = nil
	}
	maps.Copy(line, members)
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func message(id, parent, role string, content any, more ...any) string {
	m := map[string]any{"role": role, "content": content}
	for i := 0; i < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return entry(id, parent, "message", map[string]any{"message": m})
}

// document opens lines as a session and returns its page.
func document(t *testing.T, lines ...string) *page.Document {
	t.Helper()
	text := `{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"}` + "\n" + strings.Join(lines, "\n") + "\n"
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	v := s.View()
	way, err := v.Path("")
	if err != nil {
		t.Fatal(err)
	}
	return page.NewDocument(page.Source{View: v, Path: way, Wanted: page.All(v), Agent: page.AgentOf("pi"), Cwd: "/home/u/p", Home: "/home/u"})
}

// rendered returns the HTML of all turns.
func rendered(t *testing.T, d *page.Document) string {
	t.Helper()
	p, err := d.Render(t.Context(), page.Range{From: 0, To: d.Len()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d.Add(p)
	return string(p.HTML)
}

// For any session, its HTML has only the elements, attributes and URLs that
// pages are made of (E1 to E5).
func TestHostileText(t *testing.T) {
	for _, text := range hostile {
		d := document(t,
			entry("m1", "", "model_change", map[string]any{"provider": text, "modelId": text}),
			message("u1", "m1", "user", text),
			message("a1", "u1", "assistant", []any{map[string]any{"type": "text", "text": text}, map[string]any{"type": "thinking", "thinking": text},
				map[string]any{"type": "toolCall", "id": text, "name": text, "arguments": map[string]any{text: text, "command": text}},
				map[string]any{"type": "toolCall", "id": "c2", "name": "edit", "arguments": map[string]any{"path": text, "oldText": text, "newText": text + "\n"}},
				map[string]any{"type": "image", "mimeType": text, "data": text}, map[string]any{"type": text}}, "model", text, "provider", text, "stopReason", "error", "errorMessage", text),
			message("r1", "a1", "toolResult", text, "toolCallId", text, "toolName", text, "isError", true),
			message("r2", "r1", "toolResult", text, "toolCallId", "c2", "toolName", "edit", "details", map[string]any{"diff": text}),
			message("b1", "r2", "bashExecution", nil, "command", text, "output", text),
			message("x1", "b1", "custom", text, "customType", text), message("y1", "x1", text, text),
			entry("k1", "y1", "compaction", map[string]any{"summary": text, "firstKeptEntryId": text, "tokensBefore": 10}),
			entry("s1", "k1", "branch_summary", map[string]any{"summary": text, "fromId": text}),
			entry("c1", "s1", "custom_message", map[string]any{"customType": text, "content": text, "display": true}),
			entry("l1", "c1", "label", map[string]any{"targetId": "a1", "label": text}),
			entry("n1", "l1", "session_info", map[string]any{"name": text}),
			entry("z1", "n1", text, map[string]any{"data": text}))
		got := rendered(t, d)
		for _, part := range []string{got, page.Frame{Title: text, Project: text, Notices: []page.Notice{{Text: text, Command: text}}}.Head(d)} {
			for piece := range strings.SplitSeq(part, page.Separator) {
				if complaint := harm(piece); complaint != "" {
					t.Errorf("%q: %s in %s", text, complaint, piece)
				}
			}
		}
	}
}

// A session is divided into turns; a branch begins a stretch of its own. Entries
// that describe the session are in one too, without a row.
func TestStretches(t *testing.T) {
	d := document(t, entry("m1", "", "model_change", map[string]any{"provider": "p", "modelId": "m"}), message("u1", "m1", "user", "first"),
		message("a1", "u1", "assistant", []any{map[string]any{"type": "text", "text": "one"}, map[string]any{"type": "toolCall", "id": "c", "name": "bash", "arguments": map[string]any{"command": "cd /home/u/p && ls"}}}),
		message("r1", "a1", "toolResult", []any{map[string]any{"type": "text", "text": "x\ny"}}, "toolCallId", "c", "toolName", "bash"),
		message("u2", "r1", "user", "left"), message("a2", "u2", "assistant", []any{map[string]any{"type": "text", "text": "no"}}),
		entry("l1", "a2", "label", map[string]any{"targetId": "u2", "label": "dead end"}),
		message("u3", "r1", "user", "second"), message("a3", "u3", "assistant", []any{map[string]any{"type": "text", "text": "two"}}))
	html := strings.Split(rendered(t, d), page.Separator)
	text, err := json.Marshal(d.Index.Stretches)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"p":-1,"i":["m1","u1","a1","r1"],"c":"opmr","t":[0,2,12,1],"o":[0,0,1,2],"r":[["u",1,"first"],["a",2,"one"],["c",2,"ls","2 lines","term"]]},` +
		`{"p":0,"i":["u2","a2","l1"],"c":"pmo","t":[1,1,0],"o":[0,1,1],"r":[["u",0,"left"],["a",1,"no"]],"l":{"0":"dead end"}},` +
		`{"p":0,"i":["u3","a3"],"c":"pm","t":[2,1],"o":[0,1],"r":[["u",0,"second"],["a",1,"two"]]}]`
	if string(text) != want {
		t.Errorf("the index is\n%s; want\n%s", text, want)
	}
	if d.Index.Leaf != 2 || d.Facts.Branches != 2 || len(html) != 3 || !strings.Contains(html[0], `id="e-a1"`) || !strings.Contains(html[1], "dead end") {
		t.Errorf("leaf %d, %d branches, %q", d.Index.Leaf, d.Facts.Branches, html)
	}
}

// A turn that is very long is divided, and its line about the agent has the sums of
// all of it.
func TestLongTurn(t *testing.T) {
	lines := []string{message("u0", "", "user", "do all of it")}
	parent := "u0"
	for n := range 250 {
		id := "a" + strconv.Itoa(n)
		lines = append(lines, message(id, parent, "assistant", []any{map[string]any{"type": "text", "text": "step"}}, "provider", "p", "model", "m", "usage", map[string]any{"input": 10, "output": 0, "cost": map[string]any{"total": 0.01}}))
		parent = id
	}
	d := document(t, lines...)
	html := rendered(t, d)
	if d.Len() != 2 || strings.Count(html, "<b>pi</b>") != 1 || !strings.Contains(html, "$2.50 · 2.5k tokens") || strings.Count(html, `class="turn more"`) != 1 {
		t.Errorf("%d stretches: %.600s", d.Len(), html)
	}
}

// A carriage return that ends no line is visible: on a terminal it would let the
// rest of the line cover its start.
func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"rm -rf /\rls": "rm -rf /␍ls", "a\r\nb\r\n": "a\r\nb\r\n", "\r": "␍", "\r\r\n": "␍\r\n", "\x1b[2Ka\tb": "␛[2Ka\tb",
	} {
		if got := page.Shown(text); got != want {
			t.Errorf("Shown(%q) = %q; want %q", text, got, want)
		}
	}
}

func quote(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

// harm is what in HTML a page must not hold.
func harm(text string) string {
	for _, c := range []string{"\x1b", "\a", "\u202e", "\u200f", "\u061c", "\u2028", "\U000e0041"} {
		if strings.Contains(text, c) {
			return "the character " + quote(c)
		}
	}
	allowed := map[string]string{"section": "class", "div": "class dir id data-r tabindex role aria-label", "b": "", "i": "", "span": "class title dir aria-hidden data-n", "a": "href rel target class", "time": "datetime data-day", "p": "class", "details": "class data-call data-r id open",
		"summary": "class", "pre": "class tabindex", "svg": "class aria-hidden", "use": "href", "figure": "class", "figcaption": "", "header": "class id", "code": "class", "img": "class alt src", "ul": "", "ol": "", "li": "", "em": "", "strong": "", "h1": "dir", "h2": "", "blockquote": "", "hr": "", "br": "", "del": ""}
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.CommentToken, html.DoctypeToken:
			return "a comment"
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			names, ok := allowed[tok.Data]
			if !ok {
				return "the element " + tok.Data
			}
			for _, a := range tok.Attr {
				if !strings.Contains(" "+names+" ", " "+a.Key+" ") {
					return "the attribute " + a.Key + " of " + tok.Data
				}
				if a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "mailto:") {
					return "a link to " + a.Val
				}
				if a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/png;base64,") {
					return "a picture from " + a.Val
				}
			}
		}
	}
}

// All text can be read back: nothing is dropped because it looks like markup.
func TestNothingSaidIsLost(t *testing.T) {
	for text, want := range map[string]string{
		"use <Foo bar={1}> here":           "use <Foo bar={1}> here",
		"<details>\nkept\n</details>":      "<details> kept </details>",
		"a <!-- comment --> b":             "a <!-- comment --> b",
		"[x](javascript:alert(1))":         "x (javascript:alert(1))",
		"![logo](https://x.example/l.png)": "picture: logo",
		"\x1b[2J":                          "␛[2J",
	} {
		got := textOf(rendered(t, document(t, message("u1", "", "user", text))))
		if !strings.Contains(got, want) {
			t.Errorf("%q reads as %q; want %q in it", text, got, want)
		}
	}
}

func textOf(markup string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return strings.Join(strings.Fields(b.String()), " ")
		case html.TextToken:
			b.Write(z.Text())
		}
	}
}

// A picture is shown when its bytes are what they claim to be (E5).
func TestPictures(t *testing.T) {
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("x", 80)))
	page1 := base64.StdEncoding.EncodeToString([]byte("<html><script>alert(1)</script>" + strings.Repeat("x", 80)))
	for name, tt := range map[string]struct {
		mime, data string
		shown      bool
	}{
		"a picture":        {"image/png", png, true},
		"another type":     {"image/jpeg", png, false},
		"a page":           {"image/png", page1, false},
		"SVG":              {"image/svg+xml", base64.StdEncoding.EncodeToString([]byte("<svg xmlns='http://www.w3.org/2000/svg'/>")), false},
		"a reference":      {"image/png", "blob:sha256:00", false},
		"quotes behind it": {"image/png", png + `" onload="x`, false},
		"nothing":          {"image/png", "", false},
	} {
		got := rendered(t, document(t, message("u1", "", "user", []any{map[string]any{"type": "image", "mimeType": tt.mime, "data": tt.data}})))
		if strings.Contains(got, "<img") != tt.shown {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The concatenated pieces of an index are the index, and each has the leaf.
func TestPieces(t *testing.T) {
	for _, n := range []int{0, 1, 4096, 10_000} {
		x := page.Index{Firsts: []int{0}, Leaf: n - 1}
		for i := range n {
			x.Stretches = append(x.Stretches, page.Stretch{Parent: i - 1, IDs: []string{strconv.Itoa(i), "b"}})
		}
		var got page.Index
		for piece := range x.Pieces() {
			if piece.Leaf != x.Leaf {
				t.Errorf("of %d stretches a piece stands at %d", n, piece.Leaf)
			}
			if got.Leaf = piece.Leaf; piece.Firsts != nil {
				got.Firsts = piece.Firsts
			}
			got.Stretches = append(got.Stretches, piece.Stretches...)
		}
		if !reflect.DeepEqual(got, x) {
			t.Errorf("the pieces of %d stretches make %d, standing at %d", n, len(got.Stretches), got.Leaf)
		}
	}
}
