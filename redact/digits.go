package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/hex"
	"io"
	"slices"
)

// This file decodes bytes written as digits (hexadecimal, a list of numbers, a
// dump) or compressed.

const (
	minDigits   = 32      // shorter runs contain no secret worth the name
	minBytes    = 12      // the same for decoded bytes
	maxInflated = 1 << 20 // how much of compressed data is decoded
	maxInflates = 4 << 20 // and how much in total in one scan
)

var inDigits = charset("0123456789abcdefABCDEFxX ,\t\r\n")

func (e *engine) scanDigits(s *scratch, text []byte, depth int) {
	for i := 0; i+minDigits <= len(text); {
		at := i + minDigits - 1
		if !inDigits[text[at]] {
			i = at + 1
			continue
		}
		start := at
		for start > i && inDigits[text[start-1]] {
			start--
		}
		end := skip(text, at, len(text), inDigits)
		if end-start < minDigits {
			i = end
			continue
		}
		if i = e.scanDump(s, text, span{start, end}, depth); i == 0 {
			e.scanList(s, text, span{start, end}, depth)
			i = end
		}
	}
}

// scanList scans a list of numbers. A finding replaces the whole list.
func (e *engine) scanList(s *scratch, text []byte, run span, depth int) {
	// A word may start or end with a hexadecimal digit.
	for run.start < run.end && (hexDigit[text[run.start]] == 0 || run.start > 0 && isAlnum(text[run.start-1])) {
		run.start++
	}
	for run.start < run.end && (hexDigit[text[run.end-1]] == 0 || run.end < len(text) && isAlnum(text[run.end])) {
		run.end--
	}
	for _, base := range []int{16, 10} {
		var ok bool
		if s.texts[depth], ok = numbers(s.texts[depth][:0], text[run.start:run.end], base); ok && isText(s.texts[depth], true) {
			e.scanInner(s, s.texts[depth], depth, func(span) span { return run })
		}
	}
}

func numbers(dst, list []byte, base int) ([]byte, bool) {
	for i := 0; i < len(list); {
		if hexDigit[list[i]] == 0 {
			i++
			continue
		}
		if base == 16 && list[i] == '0' && i+1 < len(list) && list[i+1]|0x20 == 'x' {
			i += 2
		}
		value, from := 0, i
		for ; i < len(list) && hexDigit[list[i]] != 0 && i-from < 4; i++ {
			value = value*base + int(hexDigit[list[i]]) - 1
			if base == 10 && list[i] > '9' {
				return dst, false
			}
		}
		if value > 255 || i == from || base == 16 && i-from != 2 {
			return dst, false
		}
		dst = append(dst, byte(value))
	}
	return dst, len(dst) >= minBytes
}

// dumped is a line of a dump: the offset of its bytes in the decoded text, and
// the span of the line.
type dumped struct {
	out int
	span
}

// scanDump scans a dump that starts on a line of the run and returns where it
// ends, or 0 if there is none. Lines that contain a part of a finding are
// replaced as a whole.
func (e *engine) scanDump(s *scratch, text []byte, run span, depth int) int {
	const widest = 24 // maximum width before the bytes
	end := run.start
	if line := max(run.start-widest, 0); line == 0 || bytes.IndexByte(text[line:run.start], '\n') >= 0 {
		end = lineStart(text, run.start)
	}
	for end < run.end && len(dumpLine(s.texts[depth][:0], text[end:run.end])) == 0 {
		end = lineEnd(text[:run.end], end)
	}
	if end == run.end {
		return 0
	}
	var lines []dumped
	out := s.texts[depth][:0]
	for end < len(text) {
		next := lineEnd(text, end)
		from := len(out)
		if out = dumpLine(out, text[end:next]); len(out) == from {
			break
		}
		lines = append(lines, dumped{from, span{end, next}})
		end = next
	}
	s.texts[depth] = out
	if len(lines) == 0 || end <= run.start {
		return 0
	}
	if len(out) >= minBytes {
		e.scanInner(s, out, depth, func(m span) span {
			line := func(at int) span {
				k, found := slices.BinarySearchFunc(lines, at, func(l dumped, at int) int { return l.out - at })
				if !found {
					k--
				}
				return lines[k].span
			}
			last := line(m.end - 1)
			for last.end > last.start && text[last.end-1] <= ' ' {
				last.end--
			}
			return span{line(m.start).start, last.end}
		})
	}
	return end
}

// dumpLine appends the bytes of a line of xxd, hexdump or od: an address, and
// bytes as pairs of digits, separate or grouped.
func dumpLine(dst, line []byte) []byte {
	const most = 16
	i := skip(line, 0, 16, inHex)
	if i < 6 || i == len(line) || line[i] != ':' && line[i] != ' ' {
		return dst
	}
	swapped := line[i] == ' ' && i == 7 // machine words, as hexdump and od -x write them
	if line[i] == ':' {
		i++
	}
	from := len(dst)
	for len(dst)-from < most {
		space := skip(line, i, len(line), charSpace) - i
		i += space
		end := skip(line, i, 9, inHex)
		if n := end - i; space == 0 || space > 3 || n != 2 && n != 4 && n != 8 || end < len(line) && line[end] > ' ' {
			break
		}
		group, _ := hex.DecodeString(string(line[i:end]))
		if swapped && len(group) == 2 {
			group[0], group[1] = group[1], group[0]
		}
		dst = append(dst, group...)
		i = end
	}
	return dst
}

var inHex = charset("0123456789abcdefABCDEF")

// scanInner scans a decoded text. place maps a span of it to the original text.
func (e *engine) scanInner(s *scratch, inner []byte, depth int, place func(span) span) {
	saved := s.opaque
	s.opaque = s.opaque[len(s.opaque):]
	from := len(s.matches)
	e.scan(s, inner, depth+1)
	s.opaque = saved
	for i := range s.matches[from:] {
		m := &s.matches[from+i]
		m.span = place(m.span)
		m.coded |= Base64
	}
}

// decodeRun appends the decoded text of a run of digits and returns the length
// of the run: base64, hexadecimal, or compressed data in base64.
func (s *scratch) decodeRun(dst, run []byte) (out []byte, length int, ok bool) {
	if length = hexRun(run); length > 0 {
		digits := slices.DeleteFunc(slices.Clone(run[:length]), func(c byte) bool { return hexDigit[c] == 0 })
		out = slices.Grow(dst, len(digits)/2)[:len(dst)+len(digits)/2]
		_, err := hex.Decode(out[len(dst):], digits)
		return out, length, err == nil && isText(out[len(dst):], true)
	}
	out, ok = s.unpack(dst, run)
	return out, len(run), ok
}

// unpack appends the decoded text of a base64 run, if it is text or compressed
// text.
func (s *scratch) unpack(dst, run []byte) (out []byte, ok bool) {
	if !bytes.HasPrefix(run, []byte("H4sI")) && !bytes.HasPrefix(run, []byte("eJ")) && !bytes.HasPrefix(run, []byte("eN")) {
		return decodeText(dst, run)
	}
	packed := appendBase64(nil, run)
	var src io.Reader
	var err error
	if run[0] == 'H' {
		src, err = gzip.NewReader(bytes.NewReader(packed))
	} else {
		src, err = zlib.NewReader(bytes.NewReader(packed))
	}
	if err != nil || s.inflated >= maxInflates {
		return decodeText(dst, run)
	}
	plain, _ := io.ReadAll(io.LimitReader(src, maxInflated)) // as far as it is intact
	s.inflated += len(plain)
	return append(dst, plain...), isText(plain, false)
}

// hexRun returns how much of a run is text in hexadecimal: whole lines of
// digits, judged by the first ones.
func hexRun(run []byte) (length int) {
	if len(run) < minDigits {
		return 0
	}
	for i := 0; i < 16; i += 2 {
		high, low := hexDigit[run[i]], hexDigit[run[i+1]]
		if low == 0 || high < 3 && !(high == 1 && (low == 10 || low == 11 || low == 14)) || high > 8 {
			return 0
		}
	}
	for line := range bytes.Lines(run) {
		digits := skip(line, 0, len(line), inHex)
		if digits%2 == 1 || len(bytes.TrimRight(line, "\r\n")) > digits {
			break
		}
		length += digits
		if end := len(line) - digits; length+end < len(run) {
			length += end
		}
	}
	if length < minDigits {
		return 0
	}
	return length
}
