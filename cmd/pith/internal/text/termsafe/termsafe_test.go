package termsafe_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

func TestLine(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"untouched":       {"plain text, 漢字, é", "plain text, 漢字, é"},
		"colour":          {"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		"title":           {"\x1b]0;owned\x07", `\x1b]0;owned\x07`},
		"c1":              {"a\u009b31m", `a\x9b31m`},
		"raw c1 byte":     {"a\x9b31m", "a\ufffd31m"},
		"delete":          {"a\x7fb", `a\x7fb`},
		"nul":             {"a\x00b", `a\x00b`},
		"override":        {"abc\u202edcb", `abc\u202edcb`},
		"marks":           {"a\u200fb\u061cc\u200ed", `a\u200fb\u061cc\u200ed`},
		"tags":            {"a\U000e0041\U000e007f", `a\U000e0041\U000e007f`},
		"invisible":       {"a\u200bb\u2060c\ufeffd\u00ade", `a\u200bb\u2060c\ufeffd\xade`},
		"joiners":         {"a\u200db\u200cc", "a\u200db\u200cc"},
		"isolate":         {"\u2066a\u2069", `\u2066a\u2069`},
		"separators":      {"a\u2028b\u2029c", `a\u2028b\u2029c`},
		"breaks and tabs": {"a\nb\tc\rd\r\ne", "a b c d e"},
		"lone surrogate":  {"a\xed\xa0\xbdb", "a\ufffdb"},
		"not utf-8":       {"\xff\xfe", "\ufffd\ufffd"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := termsafe.Line(tt.in); got != tt.want {
				t.Errorf("Line(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestText(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"lines stay":      {"a\nb\n", "a\nb\n"},
		"windows":         {"a\r\nb", "a\nb"},
		"overprinting":    {"good\rbad", `good\x0dbad`},
		"tab":             {"a\tb", "a       b"},
		"tab at a stop":   {"12345678\tb", "12345678        b"},
		"tab after lines": {"12\n\tb\n1\tc", "12\n        b\n1       c"},
		"escape":          {"x\n\x1b[2Jy", "x\n\\x1b[2Jy"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := termsafe.Text(tt.in); got != tt.want {
				t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestFit(t *testing.T) {
	tests := map[string]struct {
		in    string
		cells int
		want  string
	}{
		"fits":           {"hello", 5, "hello"},
		"cut":            {"hello world", 6, "hello…"},
		"cut at a cut":   {"hello… world", 7, "hello…"},
		"wide":           {"漢字漢字", 5, "漢字…"},
		"wide, odd":      {"漢字漢字", 4, "漢…"},
		"emoji":          {"👩‍👩‍👧‍👦 family", 5, "👩‍👩‍👧‍👦 f…"},
		"one cell":       {"hello", 1, "…"},
		"none":           {"hello", 0, ""},
		"escape is cut":  {"\x1b[31m", 3, `\x…`},
		"long":           {strings.Repeat("x", 1<<20), 4, "xxx…"},
		"stacked accent": {"a" + strings.Repeat("\u0301", 1<<16) + "b", 4, "a" + strings.Repeat("\u0301", 79) + "…"},
	}
	for name, tt := range tests { // pitfall 143
		t.Run(name, func(t *testing.T) {
			got := termsafe.Fit(tt.in, tt.cells)
			if got != tt.want || termsafe.Width(got) > tt.cells {
				t.Errorf("Fit(%.40q, %d) = %.60q (%d cells), want %.60q", tt.in, tt.cells, got, termsafe.Width(got), tt.want)
			}
		})
	}
}

// Letters are cut like any other text.
func TestFitASCII(t *testing.T) {
	pieces := []string{"word ", "\n", "\r\n", "\r", "\t", "  ", "é", "漢", "\x1b[31m", "\x7f", "x\u0301"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for size := r.IntN(230); b.Len() < size; {
			piece := "a"
			if r.IntN(20) == 0 {
				piece = pieces[r.IntN(len(pieces))]
			}
			b.WriteString(piece)
		}
		s, cells := b.String(), 1+r.IntN(230)
		if got, want := termsafe.Fit(s, cells), termsafe.FitAny(s, cells); got != want {
			t.Fatalf("Fit(%q, %d) = %q, want %q", s, cells, got, want)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	for name, s := range map[string]string{"short": "fix the build", "long": strings.Repeat("fix the build\n", 50), "wide": strings.Repeat("漢字", 50)} {
		b.Run("text="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				termsafe.Fit(s, 80)
			}
		})
	}
}

func TestPad(t *testing.T) {
	if got := termsafe.Pad("漢", 4); got != "漢  " {
		t.Errorf("Pad(漢, 4) = %q", got)
	}
	if got := termsafe.PadLeft("漢", 4); got != "  漢" {
		t.Errorf("PadLeft(漢, 4) = %q", got)
	}
	if got := termsafe.Pad("long", 2); got != "long" {
		t.Errorf("Pad(long, 2) = %q", got)
	}
}

func TestJSONKeepsTheValue(t *testing.T) {
	in := "{\"a\":\"\u009b31m \u202e \u200f \U000e0041 \x7f\",\n\t\"b\":\"\\u001b\"}"
	out := termsafe.JSON([]byte(in))
	var a, b any
	if err := json.Unmarshal([]byte(in), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &b); err != nil {
		t.Fatalf("JSON(%q) = %q: %v", in, out, err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("JSON(%q) = %q: another value", in, out)
	}
	checkHarmless(t, in, string(out))
}

// checkHarmless fails if a terminal could obey anything in out but a line feed.
func checkHarmless(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%q became %q, which is not UTF-8", in, out)
	}
	for _, r := range out {
		switch {
		case r == '\n':
		case r < 0x20, r >= 0x7f && r < 0xa0, r == '\u2028', r == '\u2029',
			r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069',
			r == '\u200e', r == '\u200f', r == '\u061c', r >= 0xe0000 && r <= 0xe007f:
			t.Errorf("%q became %q, which holds %U", in, out, r)
		}
	}
}

func FuzzHarmless(f *testing.F) {
	for _, seed := range []string{
		"", "text", "\x1b[31m", "\x1b]8;;http://x\x1b\\", "\u009b2J", "a\u202eb\u2066", "\r\n\t", "\xff\xed\xa0\xbd", "\x00\x7f", "漢\tb",
		"\u2028\u2029", strings.Repeat("\u0301", 300),
	} {
		f.Add(seed, 7)
	}
	f.Fuzz(func(t *testing.T, s string, cells int) {
		cells %= 200
		checkHarmless(t, s, termsafe.Text(s))
		checkHarmless(t, s, string(termsafe.JSON([]byte(s))))
		fit := termsafe.Fit(s, cells)
		for _, line := range []string{termsafe.Line(s), fit} {
			checkHarmless(t, s, line)
			if strings.Contains(line, "\n") {
				t.Errorf("%q became %q, which is more than one line", s, line)
			}
		}
		if w := termsafe.Width(fit); w > max(cells, 0) {
			t.Errorf("Fit(%q, %d) = %q takes %d cells", s, cells, fit, w)
		}
		if cells > 0 && fit != termsafe.FitAny(s, cells) {
			t.Errorf("Fit(%q, %d) = %q, want %q", s, cells, fit, termsafe.FitAny(s, cells))
		}
		if got := termsafe.Line(termsafe.Line(s)); got != termsafe.Line(s) {
			t.Errorf("Line(Line(%q)) = %q, want %q", s, got, termsafe.Line(s))
		}
	})
}
