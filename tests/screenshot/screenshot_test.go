package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestPicture(t *testing.T) {
	in := "plain \x1b[1;38;5;80mbold <accent>\x1b[0m \x1b[48;5;237mon grey   \x1b[49m日本\n" +
		"\x1b[7m inverse \x1b[27m\x1b[38;2;1;2;3mtrue\x1b[39m\x1b[3;4;2mall\x1b[22;23;24m\x1b[m\x1b[91mred\x1b[100m \n\n\n"
	var out strings.Builder
	if err := run(strings.NewReader(in), &out, `a "title" & more`); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, want := range []string{
		`<title>a &#34;title&#34; &amp; more</title>`,
		`<text x="66.6" y="30" fill="#5fd7d7" font-weight="bold" textLength="109.6" xml:space="preserve">bold &lt;accent&gt;</text>`,
		`fill="#3a3a3a"/>`, // after "on grey   ", including blanks
		`fill="#010203"`, `font-style="italic"`, `text-decoration="underline"`, `opacity="0.7"`,
		`<text x="24.4" y="49" fill="#21252b"`, // inverse: the paper's colour on the ink's
		`height="70"`,                          // two rows: blank ones at the end do not count
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the picture lacks %s:\n%s", want, got)
		}
	}
	dec := xml.NewDecoder(strings.NewReader(got))
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("the picture is no XML: %v\n%s", err, got)
		}
	}
}

func TestOtherSequencesAreRefused(t *testing.T) {
	for _, in := range []string{"\x1b[2J", "a\x1b]0;title\x07", "\x1b[38;5m", "\x1b[38;7;1m", "\x1b[99m", "\x1b", "\x1b[?25l m"} {
		if err := run(strings.NewReader(in), io.Discard, ""); err == nil {
			t.Errorf("run(%q) = nil, want an error", in)
		}
	}
}
