package format_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
)

func TestProjectDir(t *testing.T) {
	tests := map[string]string{
		"":                "----",
		"//":              "----",
		"/a//":            "--a--",
		`C:\Users\u\p`:    "--C--Users-u-p--",
		`C:\Users\u\p\`:   "--C--Users-u-p--",
		`C:\`:             "--C----",
		`\\server\share\`: "---server-share--",
		`/odd\`:           "--odd---",
		"/a/b-c":          "--a-b-c--",
	}
	for in, want := range tests {
		if got := format.ProjectDir(in); got != want {
			t.Errorf("ProjectDir(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestProjectDirVectors(t *testing.T) {
	for _, c := range readVectors[struct{ Cwd, Expect string }](t, "cwd.json") {
		if got := format.ProjectDir(c.Cwd); got != c.Expect {
			t.Errorf("ProjectDir(%q) = %q, want %q", c.Cwd, got, c.Expect)
		}
	}
}

// pitfall 172: a name never exceeds 255 bytes, and long ones stay apart.
func TestProjectDirLong(t *testing.T) {
	if name := format.ProjectDir("/" + strings.Repeat("a", 251)); name != "--"+strings.Repeat("a", 251)+"--" {
		t.Errorf("ProjectDir of 252 bytes = %q, want pi's name, which still fits", name)
	}
	seen := map[string]string{}
	for _, part := range []string{strings.Repeat("a", 252), strings.Repeat("a", 253), strings.Repeat("日", 100), "x" + strings.Repeat("日", 100)} {
		for _, tail := range []string{"", "/b", "-b", "/b/c", "/b-c"} {
			cwd := "/" + part + tail
			name := format.ProjectDir(cwd)
			if len(name) > 255 || !utf8.ValidString(name) || !strings.HasPrefix(name, "--") || !strings.HasSuffix(name, "--") {
				t.Errorf("ProjectDir(%q) = %q, %d bytes, want at most 255 of valid UTF-8 between dashes", cwd, name, len(name))
			}
			if other, ok := seen[name]; ok {
				t.Errorf("ProjectDir gives %q for both %q and %q", name, other, cwd)
			}
			seen[name] = cwd
		}
	}
}

func TestValidSessionID(t *testing.T) {
	for id, want := range map[string]bool{
		"0195a3b2-0000-7000-8000-000000000000": true, "a": true, "a.b_c-d": true, "Z9": true, "A": true, "Z": true, "z": true, "0": true, "9": true,
		"@": false, "[": false, "`": false, "{": false, "/": false, ":": false,
		"": false, "-a": false, "a-": false, ".": false, "..": false, "a.": false, "a/b": false, `a\b`: false,
		"a b": false, "é": false, "a\x00b": false,
	} {
		if got := format.ValidSessionID(id); got != want {
			t.Errorf("ValidSessionID(%q) = %v, want %v", id, got, want)
		}
	}
}

func TestCleanName(t *testing.T) { // pitfall 137
	for in, want := range map[string]string{
		"":                        "",
		"  plain name ":           "plain name",
		"two\r\n\n\rlines":        "two lines",
		"\ntrim\n":                "trim",
		"a\tb":                    "a b",
		"a\u00a0b":                "a\u00a0b",
		"bell\a esc\x1b[31m\x7f":  "bell esc[31m",
		"c1\u0085\u009b":          "c1",
		"\ufeff\u00a0x\u3000":     "x",
		"line\u2028\u2029sep":     "line sep",
		"日本 🌳":                    "日本 🌳",
		"lone \xed\xa0\xbd stays": "lone \xed\xa0\xbd stays",
		" \r\n\t\x00 ":            "",
	} {
		if got := format.CleanName(in); got != want {
			t.Errorf("CleanName(%q) = %q, want %q", in, got, want)
		}
	}
}

// A name is trimmed as JavaScript trims it, also where Go's white space differs.
func TestTrimName(t *testing.T) {
	for in, want := range map[string]string{
		" \u00a0\ufeffname\u2028\n": "name",
		"\u0085name\u0085":          "\u0085name\u0085",
		"   ":                       "",
	} {
		if got := format.TrimName(in); got != want {
			t.Errorf("TrimName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLineID(t *testing.T) {
	line := []byte(`{"type":"message"}`)
	never := func(string) bool { return false }
	first := format.LineID("s", 4, line, never)
	if len(first) != 8 || strings.Trim(first, "0123456789abcdef") != "" {
		t.Errorf("LineID = %q, want eight hex digits", first)
	}
	if again := format.LineID("s", 4, line, nil); again != first {
		t.Errorf("LineID a second time = %q, want %q", again, first)
	}
	if next := format.LineID("s", 4, line, func(id string) bool { return id == first }); next == first || len(next) != 8 {
		t.Errorf("LineID with %q taken = %q, want eight other digits", first, next)
	}
	for _, other := range []string{
		format.LineID("t", 4, line, never), format.LineID("s", 5, line, never), format.LineID("s", 4, []byte(`{}`), never),
	} {
		if other == first {
			t.Errorf("LineID of another line = %q, want another id", other)
		}
	}
	if whole := format.LineID("s", 4, line, func(string) bool { return true }); len(whole) != 64 {
		t.Errorf("LineID with all taken = %q, want a whole hash", whole)
	}
}

func TestFileName(t *testing.T) {
	at := time.Date(2026, 2, 3, 22, 52, 6, 410_000_000, time.UTC)
	if got, want := format.FileName(at, "0195-ab"), "2026-02-03T22-52-06-410Z_0195-ab.jsonl"; got != want {
		t.Errorf("FileName(%v, %q) = %q, want %q", at, "0195-ab", got, want)
	}
}

func TestParseFileName(t *testing.T) {
	tests := map[string]struct{ at, id string }{
		"2026-02-03T22-52-06-410Z_0195-ab.jsonl":   {"2026-02-03T22:52:06.410Z", "0195-ab"},
		"2026-02-03T22-52-06-410Z_0195-ab":         {"2026-02-03T22:52:06.410Z", "0195-ab"},
		"2026-02-03T22-52-06-410Z_my_id.jsonl":     {"2026-02-03T22:52:06.410Z", "my_id"},
		"2026-02-03T22-52-06-410Z_a b (1).jsonl":   {"2026-02-03T22:52:06.410Z", "a b (1)"},
		"2026-02-03T22-52-06-410Z_a.jsonl.bak":     {"2026-02-03T22:52:06.410Z", "a.jsonl.bak"},
		"+012026-02-03T22-52-06-410Z_a.jsonl":      {"+012026-02-03T22:52:06.410Z", "a"},
		"2026-02-03T22-52-06-410Z_.jsonl":          {},
		"2026-02-03T22-52-06-410Z.jsonl":           {},
		"2026-02-03T22-52-06Z_a.jsonl":             {},
		"2026-02-03T22:52:06.410Z_a.jsonl":         {},
		"2026-02-30T22-52-06-410Z_a.jsonl":         {}, // a day that no month has
		"2026-02-03T25-52-06-410Z_a.jsonl":         {},
		"2026-02-03t22-52-06-410z_a.jsonl":         {},
		"22-52-06-410Z_a.jsonl":                    {},
		"session_a.jsonl":                          {},
		"notes.jsonl":                              {},
		"x/2026-02-03T22-52-06-410Z_0195-ab.jsonl": {},
		"_a": {}, "_": {}, "": {},
	}
	for name, want := range tests {
		at, id, ok := format.ParseFileName(name)
		var got string
		if ok {
			got = format.FormatTime(at)
		}
		if got != want.at || id != want.id || ok != (want.id != "") {
			t.Errorf("ParseFileName(%q) = %q, %q, %t; want %q, %q", name, got, id, ok, want.at, want.id)
		}
		if ok && format.FileName(at, id) != strings.TrimSuffix(name, format.FileSuffix)+format.FileSuffix {
			t.Errorf("FileName(ParseFileName(%q)) = %q", name, format.FileName(at, id))
		}
	}
}
