package search

import (
	"unicode"
	"unicode/utf8"
)

// longestWord is how many bytes of a word count. What is longer is a hash, a key
// or the like, of which this much is enough to tell them apart.
const longestWord = 64

// A word is a run of letters and digits in a text. Letter case and accents do not
// count: words are compared as fold makes them. Each character of a script that is
// written without spaces is a word of its own, so that any part of such a text can
// be found.
type word struct {
	start, end int // in the text
}

// A splitter finds the words of a text one by one.
type splitter struct {
	text string
	pos  int
	// folded is the last word as it is compared, cut to longestWord. It is valid
	// until the next call.
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
	if i > start && (i == len(text) || text[i] < utf8.RuneSelf) { // as most words are
		s.pos = i
		s.fold(text[start:min(i, start+longestWord)])
		return word{start, i}, true
	}
	return s.any(start)
}

// fold makes letters and digits of ASCII the last word.
func (s *splitter) fold(letters string) {
	if cap(s.folded) < longestWord {
		s.folded = make([]byte, 0, 2*longestWord)
	}
	s.folded = s.folded[:len(letters)]
	for i := range s.folded {
		s.folded[i] = class[letters[i]]
	}
}

// any finds the next word from an offset on, whatever it is made of.
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

// class is the lower case of ASCII letters and digits, and 0 for all else.
var class = func() (t [256]byte) {
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	return t
}()

// A runeKind says what part a character plays in words.
type runeKind byte

const (
	between runeKind = iota // of no word
	within                  // of a word, with its neighbours
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
