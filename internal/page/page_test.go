package page_test

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/pith-sessions/pith/format"
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

func message(t *testing.T, role string, content any) format.Entry {
	t.Helper()
	line, err := json.Marshal(map[string]any{"type": "message", "id": "aaaa0001", "parentId": nil, "timestamp": "2026-02-03T22:52:07.000Z", "message": map[string]any{"role": role, "content": content}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := format.DecodeEntry(line)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// For any session, its HTML has only the elements, attributes and URLs that
// pages are made of (E1 to E5).
func TestHostileText(t *testing.T) {
	for _, text := range hostile {
		entries := []format.Entry{
			message(t, "user", text),
			message(t, "assistant", []any{map[string]any{"type": "text", "text": text}, map[string]any{"type": "thinking", "thinking": text},
				map[string]any{"type": "toolCall", "id": text, "name": text, "arguments": map[string]any{text: text, "command": text}},
				map[string]any{"type": "image", "mimeType": text, "data": text}, map[string]any{"type": text}}),
			&format.MessageEntry{Message: &format.ToolResult{ToolCallID: text, ToolName: text, Content: format.TextContent(text), Details: json.RawMessage(`{"diff":` + quote(text) + `}`)}},
			&format.MessageEntry{Message: &format.BashExecution{Command: text, Output: text}},
			&format.MessageEntry{Message: &format.CustomRole{CustomType: text, Content: format.TextContent(text)}},
			&format.Compaction{Summary: text}, &format.BranchSummary{Summary: text}, &format.CustomMessage{CustomType: text, Content: format.TextContent(text)},
			&format.ModelChange{Provider: text, ModelID: text}, &format.SessionInfo{Name: text}, &format.Label{Label: text}, &format.Custom{CustomType: text},
			&format.UnknownEntry{Base: format.Base{Type: format.Type(text), ID: text, Raw: json.RawMessage(quote(text))}},
		}
		for _, e := range entries {
			got := string(page.Choice{}.Entry(nil, e, page.Mark{Label: text}))
			if complaint := harm(got); complaint != "" {
				t.Errorf("%T of %q: %s in %s", e, text, complaint, got)
			}
		}
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
	allowed := map[string]string{"section": "class id data-i", "div": "class dir", "b": "", "span": "class", "a": "href rel target class", "time": "datetime", "p": "class", "details": "class data-call data-for",
		"summary": "", "pre": "", "code": "class", "img": "class alt src", "ul": "", "ol": "", "li": "", "em": "", "strong": "", "h1": "", "h2": "", "blockquote": "", "hr": "", "br": "", "del": ""}
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
		got := textOf(string(page.Choice{}.Entry(nil, message(t, "user", text), page.Mark{})))
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
		got := string(page.Choice{}.Entry(nil, message(t, "user", []any{map[string]any{"type": "image", "mimeType": tt.mime, "data": tt.data}}), page.Mark{}))
		if strings.Contains(got, "<img") != tt.shown {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The concatenated pieces of an index are the index, and each has the leaf.
func TestPieces(t *testing.T) {
	for _, n := range []int{0, 1, 4096, 10_000} {
		x := page.Index{Kinds: strings.Repeat("u", n), Labels: map[int]string{7: "label"}, Firsts: []int{0}, Leaf: n - 1}
		for i := range n {
			x.IDs, x.Parents, x.Texts = append(x.IDs, strconv.Itoa(i)), append(x.Parents, i-1), append(x.Texts, "text")
		}
		var got page.Index
		for piece := range x.Pieces() {
			if piece.Leaf != x.Leaf || got.Labels != nil && piece.Labels != nil {
				t.Errorf("of %d entries a piece stands at %d, with labels %v", n, piece.Leaf, piece.Labels)
			}
			if got.Leaf = piece.Leaf; piece.Labels != nil {
				got.Labels, got.Firsts = piece.Labels, piece.Firsts
			}
			got.IDs, got.Parents, got.Texts, got.Kinds = append(got.IDs, piece.IDs...), append(got.Parents, piece.Parents...), append(got.Texts, piece.Texts...), got.Kinds+piece.Kinds
		}
		if !reflect.DeepEqual(got, x) {
			t.Errorf("the pieces of %d entries make %d, standing at %d", n, len(got.IDs), got.Leaf)
		}
	}
}
