package redact

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	minEncoded = 20  // shorter runs contain no secret worth the name
	minBlob    = 512 // longer runs that are not text are data, in which words occur by chance
	minHex     = 32  // the same as minEncoded, for hexadecimal
	wrapped    = 60  // minimum length of a base64 line that continues on the next
)

// sixBits maps a base64 digit of either alphabet to its value.
var sixBits = func() (t [256]byte) {
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = byte(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()

var (
	inBase64  = charset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")
	inPadding = charset("=")
	inHex     = charset("0123456789abcdefABCDEF")
	endsLine  = charset("\r\n=\"'`\\<,;)]}") // may follow a line of base64
)

// nextRun returns the next run of base64 in the text from i on, or an empty
// span. It includes padding, and further lines if the run is wrapped.
func nextRun(text []byte, i int) span {
	for at := i + minEncoded - 1; at < len(text); {
		if !inBase64[text[at]] {
			at += minEncoded
			continue
		}
		run := runAround(text, span{at, at}, inBase64)
		run.start = max(run.start, i)
		if run.end-run.start < minEncoded {
			at = run.end + minEncoded
			continue
		}
		end := run.end
		for line := run.start; end-line >= wrapped; {
			next := end
			if next < len(text) && text[next] == '\r' {
				next++
			}
			if next+1 >= len(text) || text[next] != '\n' || !inBase64[text[next+1]] {
				break
			}
			line = next + 1
			last := skip(text, line, len(text), inBase64)
			if last < len(text) && !endsLine[text[last]] {
				break // words
			}
			end = last
		}
		return span{run.start, skip(text, end, 2, inPadding)}
	}
	return span{}
}

// oneAlphabet reports whether a run can be base64, which uses only one of its
// two alphabets. A path with slashes before a key with underscores contains
// characters of both.
func oneAlphabet(run []byte) bool {
	return !bytes.ContainsAny(run, "+/") || !bytes.ContainsAny(run, "-_")
}

// decodeRun appends the decoded text of a run and returns the length of the
// encoded part. If the run encodes no text, the length is 0.
func decodeRun(dst, run []byte) (out []byte, length int) {
	if digits := skip(run, 0, len(run), inHex); digits >= minHex && digits%2 == 0 {
		out = slices.Grow(dst, digits/2)[:len(dst)+digits/2]
		if _, err := hex.Decode(out[len(dst):], run[:digits]); err == nil && isText(out[len(dst):]) {
			return out, digits
		}
	}
	for _, part := range []int{12, 80, len(run)} { // the first digits show whether it is text
		if out = appendBase64(dst, run[:min(part, len(run))]); !isText(out[len(dst):]) {
			return dst, 0
		}
	}
	return out, len(run)
}

func appendBase64(dst, run []byte) []byte {
	var bits uint32
	count := 0
	for _, c := range run {
		if inBase64[c] {
			bits = bits<<6 | uint32(sixBits[c])
			if count++; count%4 == 0 {
				dst = append(dst, byte(bits>>16), byte(bits>>8), byte(bits))
			}
		}
	}
	switch count % 4 {
	case 2:
		dst = append(dst, byte(bits>>4))
	case 3:
		dst = append(dst, byte(bits>>10), byte(bits>>2))
	}
	return dst
}

// isText reports whether b can be text. It may end within a character.
func isText(b []byte) bool {
	for range utf8.UTFMax - 1 {
		if len(b) > 0 && b[len(b)-1] >= 0x80 && !utf8.Valid(b) {
			b = b[:len(b)-1]
		}
	}
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\n\t\r\x1b", r) || r == 0x7f })
}
