package jsonl_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

func TestDecoded(t *testing.T) {
	tests := []struct {
		text string
		want string // ? means U+FFFD
	}{
		{"", ""},
		{"aé€\U0001F600", "aé€\U0001F600"},
		{"\ufffd", "?"}, // the character itself is not a fault
		{"\xff", "?"},
		{"\x80\xbf", "??"},
		{"\xc3", "?"},
		{"\xc3x", "?x"},
		{"\xc3\xc3\xa9", "?é"},
		{"\xe2\x82", "?"},
		{"\xe2\x82\"", "?\""},
		{"\xe2\x82\xe2\x82\xac", "?€"},
		{"\xe2(\xa1", "?(?"},
		{"\xf0\x9f\x92", "?"},
		{"\xf0\x9f\x92x", "?x"},
		{"\xf0\x9f", "?"},
		{"\xf0\x9f\xf0\x9f\x98\x80", "?\U0001F600"},
		{"\xf0\x80\x80\x80", "????"}, // longer than needed
		{"\xe0\x9f\x80", "???"},
		{"\xe0\xa0", "?"},
		{"\xc0\xaf", "??"},
		{"\xc1\xbf", "??"},
		{"\xed\xa0\x80", "???"}, // half of a surrogate pair
		{"\xed\x9f", "?"},
		{"\xf4\x8f\xbf", "?"},
		{"\xf4\x90\x80\x80", "????"}, // above U+10FFFF
		{"\xf5\x80\x80\x80", "????"},
		{"\xf8\x88\x80\x80\x80", "?????"},
		{"\xf1\x80\x80\x80\x80", "\U00040000?"},
	}
	for _, tt := range tests {
		want := strings.ReplaceAll(tt.want, "?", "\ufffd")
		if got := string(jsonl.Decoded([]byte(tt.text))); got != want {
			t.Errorf("Decoded(%q) = %q; want %q", tt.text, got, want)
		}
		literal := `"` + strings.ReplaceAll(tt.text, `"`, `\"`) + `"`
		if got, ok := jsonl.String([]byte(literal)); got != want || !ok {
			t.Errorf("String(%q) = %q, %t; want %q", literal, got, ok, want)
		}
	}
}

// Each text of up to four bytes that are the borders between the kinds of bytes
// is decoded as the standard describes it.
func TestDecodedAgreesWithTheStandard(t *testing.T) {
	borders := []byte("A\x7f\x80\x8f\x90\x9f\xa0\xbf\xc1\xc2\xdf\xe0\xe1\xec\xed\xee\xef\xf0\xf1\xf3\xf4\xf5\xff")
	var try func(text []byte)
	try = func(text []byte) {
		if got, want := string(jsonl.Decoded(text)), refUTF8(text); got != want {
			t.Errorf("Decoded(%q) = %q; want %q", text, got, want)
		}
		if len(text) < 4 {
			for _, c := range borders {
				try(append(text, c))
			}
		}
	}
	try(make([]byte, 0, 4))
}

func TestDecodedLeavesSoundTextAlone(t *testing.T) {
	text := []byte("aé€\U0001F600\ufffd")
	if got := jsonl.Decoded(text); &got[0] != &text[0] {
		t.Errorf("Decoded(%q) copied the text", text)
	}
	if n := testing.AllocsPerRun(10, func() { jsonl.Decoded(text) }); n != 0 {
		t.Errorf("Decoded(%q) allocates %v times; want none", text, n)
	}
}

// refUTF8 is the decoder of the WHATWG's standard for encodings, state by state.
func refUTF8(text []byte) string {
	var out []rune
	var char rune
	needed := 0
	least, most := byte(0x80), byte(0xBF)
	for i := 0; i < len(text); i++ {
		c := text[i]
		if needed == 0 {
			switch {
			case c < 0x80:
				out = append(out, rune(c))
			case 0xC2 <= c && c <= 0xDF:
				needed, char = 1, rune(c&0x1F)
			case 0xE0 <= c && c <= 0xEF:
				if c == 0xE0 {
					least = 0xA0
				} else if c == 0xED {
					most = 0x9F
				}
				needed, char = 2, rune(c&0xF)
			case 0xF0 <= c && c <= 0xF4:
				if c == 0xF0 {
					least = 0x90
				} else if c == 0xF4 {
					most = 0x8F
				}
				needed, char = 3, rune(c&0x7)
			default:
				out = append(out, utf8.RuneError)
			}
			continue
		}
		if c < least || c > most {
			out = append(out, utf8.RuneError)
			needed, least, most = 0, 0x80, 0xBF
			i-- // it may begin a character
			continue
		}
		least, most = 0x80, 0xBF
		char = char<<6 | rune(c&0x3F)
		if needed--; needed == 0 {
			out = append(out, char)
		}
	}
	if needed > 0 {
		out = append(out, utf8.RuneError)
	}
	return string(out)
}

func BenchmarkDecoded(b *testing.B) {
	texts := map[string][]byte{
		"sound":  bytes.Repeat([]byte("a line of text with an é in it. "), 2048),
		"broken": bytes.Repeat([]byte("a line of text with an \xc3 in it. "), 2048),
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				jsonl.Decoded(text)
			}
		})
	}
}
