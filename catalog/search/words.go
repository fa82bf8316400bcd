package search

import (
	"unicode"
	"unicode/utf8"
)

// longestWord is the number of bytes of a word that are compared. Longer words
// are hashes, keys or the like, for which this is enough to distinguish them.
const longestWord = 64

// A word is a run of letters and digits in a text. Letter case and accents are
// ignored: words are compared in their folded form. Each character of a script
// that is written without spaces is a word of its own, so that any part of such
// a text can be found.
type word struct {
	start, end int // in the text
}

// A splitter finds the words of a text one by one.
type splitter struct {
	text string
	pos  int
	// folded is the folded form of the last word, cut to longestWord. It is
	// valid until the next call.
	folded []byte
}

// next finds the next word; ok is false at the end of the text.
func (s *splitter) next() (_ word, ok bool) {
	text, i := s.text, s.pos
	for i < len(text) && class[text[i]] == 0 && text[i] < utf8.RuneSelf {
		i++
	}
	start := i
	for i < len(text) && class[text[i]] != 0 {
		i++
	}
	if i > start && (i == len(text) || text[i] < utf8.RuneSelf) { // as for most words
		s.pos = i
		s.fold(text[start:min(i, start+longestWord)])
		return word{start, i}, true
	}
	return s.any(start)
}

// fold sets the last word from ASCII letters and digits.
func (s *splitter) fold(letters string) {
	if cap(s.folded) < longestWord {
		s.folded = make([]byte, 0, 2*longestWord)
	}
	s.folded = s.folded[:len(letters)]
	for i := range s.folded {
		s.folded[i] = class[letters[i]]
	}
}

// any finds the next word of any characters from an offset on.
func (s *splitter) any(i int) (_ word, ok bool) {
	text, start := s.text, i
	s.folded = s.folded[:0]
	for i < len(text) {
		if c := text[i]; c < utf8.RuneSelf {
			f := class[c]
			if f == 0 {
				if len(s.folded) > 0 {
					break
				}
				i++
				start = i
				continue
			}
			s.folded = append(s.folded, f)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch kindOf(r) {
		case between:
			if len(s.folded) > 0 {
				s.pos = i
				return s.found(start, i), true
			}
			i += size
			start = i
		case alone:
			if len(s.folded) == 0 {
				s.folded = utf8.AppendRune(s.folded, r)
				start = i
				i += size
			}
			s.pos = i
			return s.found(start, i), true
		default:
			if f := fold(r); f != 0 {
				s.folded = utf8.AppendRune(s.folded, f)
			}
			i += size
		}
	}
	s.pos = i
	if len(s.folded) == 0 {
		return word{}, false
	}
	return s.found(start, i), true
}

func (s *splitter) found(start, end int) word {
	if len(s.folded) > longestWord {
		n := longestWord
		for n > 0 && !utf8.RuneStart(s.folded[n]) {
			n--
		}
		s.folded = s.folded[:n]
	}
	return word{start, end}
}

// class contains the lower case of ASCII letters and digits, and 0 for all
// other bytes.
var class = func() (t [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	return t
}()

// A runeKind is the role of a character in words.
type runeKind byte

const (
	between runeKind = iota // not part of a word
	within                  // part of a word, with its neighbors
	alone                   // a word of its own
)

func kindOf(r rune) runeKind {
	switch {
	case r >= 0xe00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return alone
	case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r):
		return within
	}
	return between
}

// appendWords appends the words of a text with a space before each.
func appendWords(dst []byte, text string) []byte {
	s := splitter{text: text}
	for {
		if _, ok := s.next(); !ok {
			return dst
		}
		dst = append(append(dst, ' '), s.folded...)
	}
}
