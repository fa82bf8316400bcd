package redact

import (
	"bytes"
	"html"
	"regexp"
	"sort"
	"unicode"
	"unicode/utf8"
)

// This file removes layers from a text: text that is escaped, split by terminal
// codes or encoded for a URL is decoded. A layer need not be well-formed, so
// the same code serves nested JSON, source code and torn lines.

// piece maps a part of a peeled text to its origin. It extends to the next one.
type piece struct {
	out, in int
	// whole means that the part corresponds to in..next in as a whole, not byte
	// for byte.
	whole bool
}

// trail maps a peeled text back to the text below it. The zero trail records
// nothing: it is recorded only if something was found.
type trail struct {
	on     bool
	pieces []piece
}

func (t *trail) add(out, in int, whole bool) {
	if t.on {
		t.pieces = append(t.pieces, piece{out, in, whole})
	}
}

// back returns the part of the lower text that corresponds to a part of the
// peeled one.
func (t *trail) back(s span) span {
	first, last := t.at(s.start), t.at(s.end-1)
	from := t.pieces[first]
	start := from.in
	if !from.whole {
		start += s.start - from.out
	}
	to := t.pieces[last]
	end := to.in + s.end - to.out
	if to.whole {
		end = t.pieces[last+1].in
	}
	return span{start, end}
}

// at returns the piece that contains an offset of the peeled text.
func (t *trail) at(out int) int {
	return sort.Search(len(t.pieces)-1, func(i int) bool { return t.pieces[i+1].out > out })
}

// shortEscape is the meaning of a backslash and a letter in JSON, or 0.
var shortEscape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape appends the meaning of the escape at the start of b, in JSON or in
// common languages, and returns its length. A backslash that starts none is
// kept.
func escape(dst, b []byte) ([]byte, int) {
	if len(b) < 2 {
		return append(dst, b...), len(b)
	}
	if c := shortEscape[b[1]]; c != 0 {
		return append(dst, c), 2
	}
	switch b[1] {
	case 'u':
		if char, ok := hexChar(b, 2, 4); ok {
			size := 6
			if 0xD800 <= char && char < 0xDC00 && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
				if low, ok := hexChar(b, 8, 4); ok && 0xDC00 <= low && low < 0xE000 {
					char, size = 0x10000+(char-0xD800)<<10+(low-0xDC00), 12
				}
			}
			return utf8.AppendRune(dst, char), size
		}
		if len(b) > 2 && b[2] == '{' {
			if end := bytes.IndexByte(b[:min(len(b), 11)], '}'); end > 3 {
				if char, ok := hexChar(b, 3, end-3); ok {
					return utf8.AppendRune(dst, char), end + 1
				}
			}
		}
	case 'x':
		if char, ok := hexChar(b, 2, 2); ok {
			return append(dst, byte(char)), 4
		}
	case 'e':
		return append(dst, 0x1b), 2
	case '\'', '`', '$', '_', '-', '.', '+', '=', '~', '@', ':': // shells; Markdown, in keys
		return append(dst, b[1]), 2
	case '0', '1':
		if len(b) >= 4 && isOctal(b[2]) && isOctal(b[3]) {
			return append(dst, (b[1]-'0')<<6|(b[2]-'0')<<3|(b[3]-'0')), 4
		}
	}
	return append(dst, b[0]), 1
}

func isOctal(c byte) bool { return '0' <= c && c <= '7' }

func hexChar(b []byte, at, digits int) (rune, bool) {
	if len(b) < at+digits {
		return 0, false
	}
	var char rune
	for _, c := range b[at : at+digits] {
		d := hexDigit[c]
		if d == 0 {
			return 0, false
		}
		char = char<<4 | rune(d-1)
	}
	return char, true
}

// hexDigit is the value of a digit plus one, or 0.
var hexDigit = func() (t [256]byte) {
	for i := range byte(10) {
		t['0'+i] = i + 1
	}
	for i := range byte(6) {
		t['a'+i], t['A'+i] = i+11, i+11
	}
	return t
}()

// A skin is a kind of layer: the bytes that can start something to peel. Peeling two kinds in one pass would hide text that is encoded in one
// and looks like the other.
type skin [256]bool

var (
	// escapes are string escapes of source code, terminal codes, and invisible
	// characters including NUL.
	escapes = &skin{'\\': true, 0x1b: true, 0: true, '\b': true, '\r': true, 0xC2: true, 0xE2: true, 0xEF: true}
	// references are those of URLs and of HTML.
	references = &skin{'%': true, '&': true}
	// backslashes are the escapes of a line of JSON.
	backslashes = &skin{'\\': true}
)

// next returns the offset of the next thing to peel from i on, or len(text).
func (k *skin) next(text []byte, i int) int {
	for ; i < len(text); i++ {
		if k[text[i]] {
			var meaning [utf8.UTFMax]byte
			if size, _ := peelOne(meaning[:0], text[i:]); size > 0 {
				return i
			}
		}
	}
	return i
}

// peelOne returns the length of the thing to peel at the start of b, or 0, and
// appends its meaning to dst.
func peelOne(dst, b []byte) (int, []byte) {
	switch b[0] {
	case '\\':
		out, size := escape(dst, b)
		if size < 2 {
			return 0, dst
		}
		return size, out
	case 0x1b:
		return len(terminalCode.Find(b[:min(len(b), 4096)])), dst
	case 0: // every other byte of UTF-16
		return 1, dst
	case '\b':
		if len(b) > 1 && len(dst) > 0 && dst[len(dst)-1] == b[1] { // overstruck bold
			return 2, dst
		}
		return 1, dst
	case '\r':
		if len(b) > 1 && b[1] != '\n' {
			return 1, dst
		}
	case '%':
		if char, ok := hexChar(b, 1, 2); ok {
			return 3, append(dst, byte(char))
		}
	case '&':
		if code := entity.Find(b[:min(len(b), 12)]); code != nil {
			return len(code), append(dst, html.UnescapeString(string(code))...)
		}
	default: // soft hyphens, zero width, direction, byte order marks
		if char, size := utf8.DecodeRune(b); unicode.Is(unicode.Cf, char) {
			return size, dst
		}
	}
	return 0, dst
}

var (
	terminalCode = regexp.MustCompile(`^\x1b(?:\[[ -?]*[@-~]?|[\]P_^X](?:[^\x07\x1b\n]*(?:\x07|\x1b\\))?|[ -/].)?`)
	entity       = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);`)
)

// peel appends the peeled form of those lines of the text that have something
// to peel, with their neighboring lines. first is the offset of the first thing
// to peel.
func (k *skin) peel(dst, text []byte, first int, t *trail) []byte {
	last := 0
	for next := first; next < len(text); {
		in := max(lineStart(text, next), last)
		if in > last {
			if before := lineStart(text, in-1); in-before <= maxNeighbor {
				in = max(before, last)
			}
		}
		if last > 0 && last < in { // lines are omitted: nothing matches across the gap
			t.add(len(dst), last, true)
			dst = append(dst, gap)
		}
		end := lineEnd(text, next)
		if after := lineEnd(text, end); after-end <= maxNeighbor {
			end = after
		}
		dst = k.peelPart(dst, text, span{in, end}, next, t)
		last = end
		next = k.next(text, end)
	}
	t.add(len(dst), len(text), true)
	return dst
}

// peelAll is like peel for a text that is peeled as a whole.
func (k *skin) peelAll(dst, text []byte, first int, t *trail) []byte {
	dst = k.peelPart(dst, text, span{0, len(text)}, first, t)
	t.add(len(dst), len(text), true)
	return dst
}

// gap is a character that no layer removes.
const gap = 0x1e

// maxNeighbor is the maximum length of a neighboring line to include.
const maxNeighbor = 256

func lineStart(text []byte, i int) int { return bytes.LastIndexByte(text[:i], '\n') + 1 }

// lineEnd returns the offset after the next line end from i on.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

// peelPart peels a part, in which the first thing to peel is at next.
func (k *skin) peelPart(dst, text []byte, part span, next int, t *trail) []byte {
	in, end := part.start, part.end
	t.add(len(dst), in, false)
	for {
		dst = append(dst, text[in:next]...)
		if in = next; in == end {
			return dst
		}
		t.add(len(dst), in, true)
		var size int
		size, dst = peelOne(dst, text[in:end])
		in += size
		t.add(len(dst), in, false)
		next = k.next(text[:end], in)
	}
}
