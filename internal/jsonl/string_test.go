package jsonl_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

func TestString(t *testing.T) {
	tests := []struct{ raw, want string }{
		{`""`, ""},
		{`"plain"`, "plain"},
		{` "spaced" `, "spaced"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e9\u20AC"`, "Aé€"},
		{`"\ud83d\ude00"`, "\U0001F600"},
		{`"\uD83D\uDE00!"`, "\U0001F600!"},
		{`"line\u2028end"`, "line\u2028end"},
		{"\"line\u2028end\"", "line\u2028end"}, // pitfall 8
		{"\"\x7f\"", "\x7f"},
		{`"a long run of plain text and then\nan escape, and a long run again"`, "a long run of plain text and then\nan escape, and a long run again"},
		// pitfall 19: halves of pairs, in the wrong order, alone, before others
		{`"\ud83d"`, "\xed\xa0\xbd"},
		{`"\ude00"`, "\xed\xb8\x80"},
		{`"\ude00\ud83d"`, "\xed\xb8\x80\xed\xa0\xbd"},
		{`"\ud83d\ud83d\ude00"`, "\xed\xa0\xbd\U0001F600"},
		{`"\ud83dx\ude00"`, "\xed\xa0\xbdx\xed\xb8\x80"},
		{`"\ud83d\n"`, "\xed\xa0\xbd\n"},
		{`"\ud83d\u0041"`, "\xed\xa0\xbdA"},
		// bytes that are not UTF-8
		{"\"a\xffb\"", "a\ufffdb"},
		{"\"\xed\xa0\xbd\"", "\ufffd\ufffd\ufffd"},
		{"\"\xff\\n\xfe\"", "\ufffd\n\ufffd"},
		{"\"\xe2\x82\\n\xf0\x9f\x92\"", "\ufffd\n\ufffd"},
	}
	for _, tt := range tests {
		if got, ok := jsonl.String([]byte(tt.raw)); got != tt.want || !ok {
			t.Errorf("String(%q) = %q, %t; want %q", tt.raw, got, ok, tt.want)
		}
	}
}

func TestStringRefusesWhatIsNoString(t *testing.T) {
	for _, raw := range []string{
		``, `"`, `x`, `12`, `null`, `{"a":1}`, `"a`, `a"`, `"a"b`, `"a" "b"`, `"a\"`, `"\`, `"\x"`,
		`"\u12"`, `"\u123g"`, `"\ud83d\u12"`, "\"a\nb\"", "\"12345678\n\"", "\"\x00\"", `"12345678\"`, `"\n"12345678`,
	} {
		if got, ok := jsonl.String([]byte(raw)); ok {
			t.Errorf("String(%q) = %q, true; want false", raw, got)
		}
	}
}

func TestAppendString(t *testing.T) {
	tests := []struct{ s, want string }{
		{"", `""`},
		{"plain", `"plain"`},
		{"\"\\/", `"\"\\/"`},
		{"\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"\x00\x01\x0b\x1f\x7f", "\"\\u0000\\u0001\\u000b\\u001f\x7f\""},
		{"<script>&'", `"<script>&'"`},             // pitfall 20: no HTML escapes
		{"a\u2028b\u2029c", "\"a\u2028b\u2029c\""}, // pitfall 8
		{"é€\U0001F600", "\"é€\U0001F600\""},
		// pitfall 19
		{"\xed\xa0\xbd", `"\ud83d"`},
		{"\xed\xbf\xbf", `"\udfff"`},
		{"a\xed\xb8\x80\"", `"a\ude00\""`},
		{"\xed\xa0\xbd\xed\xb8\x80", "\"\U0001F600\""}, // a pair that was put together
		{"\xed\xb8\x80\xed\xa0\xbd", `"\ude00\ud83d"`},
		{"\xed\xa0\xbd\U0001F600\n", "\"\\ud83d\U0001F600\\n\""},
		{"\xff\xed\xa0", "\"\ufffd\ufffd\ufffd\""},
		{"\xe2\x82\xed\xa0\xbd\xf0\x9f\x92", "\"\ufffd\\ud83d\ufffd\""},
	}
	for _, tt := range tests {
		if got := string(jsonl.AppendString([]byte("x="), tt.s)); got != "x="+tt.want {
			t.Errorf("AppendString(%q) = %s; want %s", tt.s, got[2:], tt.want)
		}
	}
}

// FuzzString checks that decoding agrees with the reference, and that writing
// what was decoded, and decoding that, changes nothing.
func FuzzString(f *testing.F) {
	for _, line := range seedLines(f) {
		f.Add(line)
		f.Add(jsonl.AppendString(nil, string(line)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := jsonl.String(raw)
		shape, _, _ := judge(raw)
		if want := shape == jsonl.Other && jsonl.KindOf(raw) == '"'; ok != want {
			t.Fatalf("String(%q) = %q, %t; want %t", raw, got, ok, want)
		}
		if ok {
			inner := strings.Trim(string(raw), " \t\r\n")
			if want := refDecode([]byte(inner[1 : len(inner)-1])); got != want {
				t.Fatalf("String(%q) = %q; want %q", raw, got, want)
			}
			written := jsonl.AppendString(nil, got)
			if again, ok := jsonl.String(written); again != got || !ok {
				t.Fatalf("String(%s) = %q, %t; want %q", written, again, ok, got)
			}
		}
		// Any Go string gives a literal, and a UTF-8 one comes back.
		written := jsonl.AppendString(nil, string(raw))
		back, ok := jsonl.String(written)
		if !ok || !utf8.Valid(written) || utf8.Valid(raw) && back != string(raw) {
			t.Fatalf("String(AppendString(%q)) = %q, %t", raw, back, ok)
		}
	})
}
