package inspect

import (
	"bytes"
	"context"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A matcher finds words in texts. The zero matcher matches everything.
type matcher struct {
	words [][]byte // folded
	// plain means that JSON encodes all characters of the words literally, so
	// that a line without them need not be decoded.
	plain  bool
	room   []byte
	speech Speech
}

func newMatcher(query string) *matcher {
	m := &matcher{plain: true}
	for _, word := range words(query) {
		folded := appendFolded(nil, []byte(word))
		m.words = append(m.words, folded)
		for _, c := range folded {
			if c >= utf8.RuneSelf || c < ' ' || c == '"' || c == '\\' || c == '/' {
				m.plain = false
			}
		}
	}
	return m
}

// words returns the words of a query; a phrase in double quotes is one word.
func words(query string) []string {
	var out []string
	for i, part := range strings.Split(query, `"`) {
		if i%2 == 0 {
			out = append(out, strings.Fields(part)...)
		} else if strings.TrimSpace(part) != "" {
			out = append(out, part)
		}
	}
	return out
}

// appendFolded appends text folded so that it compares equal regardless of
// case.
func appendFolded(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, c)
			i++
			continue
		}
		dst = utf8.AppendRune(dst, foldRune(r))
		i += size
	}
	return dst
}

// foldRune returns the same rune for all cases of a letter: the lower case of
// the smallest of them.
func foldRune(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return unicode.ToLower(least)
}

// matches reports whether all words occur in a turn.
func (r *Reading) matches(ctx context.Context, i int, m *matcher) (bool, error) {
	if len(m.words) == 0 {
		return true, nil
	}
	missing := append([][]byte(nil), m.words...)
	for line, err := range r.Lines(i) {
		if err != nil {
			return false, err
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if m.cannotHold(line.Raw, missing) {
			continue
		}
		if !m.speech.Read(line.Raw) {
			continue
		}
		for p := range m.speech.Passages() {
			m.room = appendFolded(m.room[:0], []byte(p.Text))
			kept := missing[:0]
			for _, word := range missing {
				if !bytes.Contains(m.room, word) {
					kept = append(kept, word)
				}
			}
			missing = kept
		}
		if len(missing) == 0 {
			return true, nil
		}
	}
	return false, nil
}

// cannotHold reports whether a line certainly contains none of the words. It
// searches the bytes of the line, in which a plain word can be hidden only by
// an escape or by one of the two letters beyond ASCII that fold to s and k.
func (m *matcher) cannotHold(line []byte, missing [][]byte) bool {
	if !m.plain || bytes.Contains(line, []byte(`\u`)) || bytes.Contains(line, []byte("ſ")) || bytes.Contains(line, []byte("\u212a")) {
		return false
	}
	m.room = appendLower(m.room[:0], line)
	for _, word := range missing {
		if bytes.Contains(m.room, word) {
			return false
		}
	}
	return true
}

// appendLower folds only ASCII letters.
func appendLower(dst, text []byte) []byte {
	from := len(dst)
	dst = append(dst, text...)
	for i, c := range dst[from:] {
		if 'A' <= c && c <= 'Z' {
			dst[from+i] = c + 'a' - 'A'
		}
	}
	return dst
}
