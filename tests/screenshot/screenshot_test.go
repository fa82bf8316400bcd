package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPicture(t *testing.T) {
	in := "plain \x1b[1;38;5;80mbold <accent>\x1b[0m \x1b[48;5;237mon grey   \x1b[49m日本\n" +
		"\x1b[7m inverse \x1b[27m\x1b[38;2;1;2;3mtrue\x1b[39m\x1b[3;4;2mall\x1b[22;23;24m\x1b[m\x1b[91mred\x1b[100m \n\n\n"
	got := draw([]frame{{rowsOf(t, in), 0}}, `a "title" & more`)
	for _, want := range []string{
		`<title>a &#34;title&#34; &amp; more</title>`,
		`<text x="66.6" y="14" fill="#5fd7d7" font-weight="bold" textLength="109.6" xml:space="preserve">bold &lt;accent&gt;</text>`,
		`fill="#3a3a3a"/>`, // after "on grey   ", including blanks
		`fill="#010203"`, `font-style="italic"`, `text-decoration="underline"`, `opacity="0.7"`,
		`<g transform="translate(0,35)">`,      // the second row
		`<text x="24.4" y="14" fill="#21252b"`, // inverse: the paper's color on the ink's
		`height="70"`,                          // two rows: blank ones at the end do not count
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %s:\n%s", want, got)
		}
	}
	checkXML(t, got)
}

func rowsOf(t *testing.T, screen string) [][]piece {
	t.Helper()
	rows, err := parse(screen)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func checkXML(t *testing.T, picture string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(picture))
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("the picture is not XML: %v\n%s", err, picture)
		}
	}
}

// A moving picture shows each frame for its time, and has a row of several frames once.
func TestMovingPicture(t *testing.T) {
	got := draw([]frame{{rowsOf(t, "first\nsame"), 1}, {rowsOf(t, "same\nsecond"), 3}}, "both")
	checkXML(t, got)
	for text, times := range map[string]int{
		">same</text>": 1, "<use ": 4, "animation-duration:4.0s": 1,
		"@keyframes f0{0%{visibility:visible}25.00%{visibility:hidden}}": 1,
		"@keyframes f1{0%{visibility:hidden}25.00%{visibility:visible}}": 1,
	} {
		if n := strings.Count(got, text); n != times {
			t.Errorf("the picture has %q %d times, want %d:\n%s", text, n, times, got)
		}
	}
}

// The pictures of the documents show the app at work: no error and no missing
// directory, no missing model. They are small.
func TestPicturesOfTheDocuments(t *testing.T) {
	shows := map[string][]string{
		"demo.svg":   {"slow mail server", "[All]", "Go back", "resume with:", "pi --session"},
		"picker.svg": {"all projects", "Codex", "Last response"}, "tree.svg": {"[All]", "[reproduced]", "[dead end: mutex]"}, "transcript.svg": {"[root cause]", "claude-opus-4-5"},
	}
	for name, wanted := range shows {
		data, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not show %q; if the app has changed, run: go run ./tests/screenshot docs", name, want)
			}
		}
		for _, bad := range []string{"no model", "(missing)", "custom ~", "not found", "error", "Demo:"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s shows %q", name, bad)
			}
		}
		if len(data) > 80<<10 {
			t.Errorf("%s has %d bytes, want a small file", name, len(data))
		}
	}
}

func TestOtherSequencesAreRefused(t *testing.T) {
	for _, in := range []string{"\x1b[2J", "a\x1b]0;title\x07", "\x1b[38;5m", "\x1b[38;7;1m", "\x1b[99m", "\x1b", "\x1b[?25l m"} {
		if _, err := parse(in); err == nil {
			t.Errorf("parse(%q) = nil, want an error", in)
		}
	}
}
