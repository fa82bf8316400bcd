package search

import (
	"encoding/binary"
	"iter"
	"math/bits"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// The index stores, for each run of documents, the set of the grams of its
// texts: sequences of three bytes, in one letter case. Texts that lack a gram
// of a word do not contain the word, not even as a part of another one, and
// need not be read.

const (
	// gramBits is the size of the hash of a gram, and the logarithm of the size
	// of the largest set.
	gramBits = 17
	// fullest is the share of its bits that a set may use, as a divisor.
	fullest = 4
)

// A gramSet collects the grams of texts. It is a bitmap of hashes, so it may
// also contain grams that the texts do not have.
type gramSet struct {
	bits [1 << gramBits / 64]uint64
	text []byte
}

// add adds the grams of a text.
func (s *gramSet) add(text string) {
	s.text = appendOneCase(s.text[:0], text)
	for g := range gramsOf(s.text) {
		s.bits[g/64] |= 1 << (g % 64)
	}
}

// take returns the set, in the smallest size in which it is not too full, and
// empties it.
func (s *gramSet) take() []byte {
	set := s.bits[:]
	for len(set) > 1 {
		low, high, used := set[:len(set)/2], set[len(set)/2:], 0
		for i := range low {
			used += bits.OnesCount64(low[i] | high[i])
		}
		if used > 64*len(low)/fullest {
			break
		}
		for i := range low {
			low[i] |= high[i]
		}
		set = low
	}
	out := make([]byte, 0, 8*len(set))
	for _, word := range set {
		out = binary.LittleEndian.AppendUint64(out, word)
	}
	s.bits = [len(s.bits)]uint64{}
	return out
}

// hasGrams reports whether a set, from take, contains all grams.
func hasGrams(set []byte, all []uint32) bool {
	for _, g := range all {
		if at := int(g) & (8*len(set) - 1); set[at/8]&(1<<(at%8)) == 0 {
			return false
		}
	}
	return true
}

// gramsOf yields the hashes of the grams of a text from appendOneCase.
func gramsOf(text []byte) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if len(text) < 3 {
			return
		}
		gram := uint32(text[0])<<8 | uint32(text[1])
		for _, c := range text[2:] {
			gram = gram<<8&0xffffff | uint32(c)
			if !yield(gram * 0x9e3779b1 >> (32 - gramBits)) {
				return
			}
		}
	}
}

// requiredGrams returns grams that a text must contain to match a regular
// expression.
func requiredGrams(expr string) []uint32 {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return appendRequiredGrams(nil, re.Simplify())
}

// appendRequiredGrams recurses as deep as the expression is nested, which the
// parser limits to 1000.
func appendRequiredGrams(dst []uint32, re *syntax.Regexp) []uint32 {
	switch re.Op {
	case syntax.OpLiteral:
		for g := range gramsOf(appendOneCase(nil, string(re.Rune))) {
			dst = append(dst, g)
		}
	case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
		for _, sub := range re.Sub {
			dst = appendRequiredGrams(dst, sub)
		}
	case syntax.OpRepeat:
		if re.Min > 0 {
			dst = appendRequiredGrams(dst, re.Sub[0])
		}
	}
	return dst
}

// appendOneCase appends a text in which all cases of a letter are the same.
// Unlike fold, it makes letters equal that a regular expression does not
// distinguish if it ignores their case, and no others.
func appendOneCase(dst []byte, text string) []byte {
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			dst = append(dst, lower(c))
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		dst = utf8.AppendRune(dst, oneCase(r))
		i += size
	}
	return dst
}

func oneCase(r rune) rune {
	if r >= 0x2e80 && r < 0xa640 || r >= 0x1f000 {
		return r // Chinese, Japanese and others, and emoji, which have no case
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	if least < utf8.RuneSelf {
		return rune(lower(byte(least)))
	}
	return least
}
