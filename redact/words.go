package redact

import (
	"math"
	"slices"
	"strings"
)

// words finds all of a set of words in a text, most of them in any case.
//
// Every offset of the text is looked up by the next three characters, folded to
// five bits each, in a table of 4 KB, and compared only on a hit. Here that is
// several times faster than an Aho-Corasick automaton, whose states for
// hundreds of words do not fit in the first-level cache.
type words struct {
	list    []word
	begins  [gramCount / 64]uint64 // bit g: a word starts with gram g
	bucket  [gramCount]uint16      // index into buckets, or 0
	buckets []bucket
}

// bucket holds the words that start with a gram.
type bucket struct {
	fourth uint32  // bit c: one of them continues with a character that folds to c
	words  []int32 // indices into list
}

const (
	gramBits  = 5
	gramCount = 1 << (3 * gramBits)
)

// word is a word to find and the actions for it.
type word struct {
	text  string
	exact bool // otherwise text is in lower case and matches any case

	rules []*pattern // rules with this keyword
	known *known     // a value to redact
	act   action     // action implemented in code
}

type action uint8

const (
	actName   action = 1 << iota // word that means secret: see shapes
	actOpaque                    // name of a member that stays whole
)

// fold maps a byte to its five bits, ignoring the case of letters.
var fold = func() (t [256]uint8) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z':
			t[c] = uint8(c-'a') + 1
		case 'A' <= c && c <= 'Z':
			t[c] = uint8(c-'A') + 1
		case '0' <= c && c <= '9':
			t[c] = 27
		case c == '-' || c == ':' || c == '/':
			t[c] = 28
		case c == '_' || c == '|' || c == '%': // some words are a digit and one of these, and digits are frequent
			t[c] = 29
		case c == '.':
			t[c] = 30
		case c >= 0x80: // spread, because words of other alphabets would share few grams
			t[c] = uint8(c%26) + 1
		case c > ' ':
			t[c] = 31
		}
	}
	return t
}()

// add returns the word with that text, which it adds if missing.
func (w *words) add(index map[string]int, text string, exact bool) *word {
	key := "~" + text
	if exact {
		key = "=" + text
	}
	if i, there := index[key]; there {
		return &w.list[i]
	}
	index[key] = len(w.list)
	if len(w.buckets) == 0 {
		w.buckets = []bucket{{}} // index 0 means none
	}
	for _, g := range grams(text) {
		if w.bucket[g] == 0 {
			w.bucket[g] = uint16(len(w.buckets))
			w.buckets = append(w.buckets, bucket{})
			w.begins[g/64] |= 1 << (g % 64)
		}
		to := &w.buckets[w.bucket[g]]
		to.words = append(to.words, int32(len(w.list)))
		if len(text) > 3 {
			to.fourth |= 1 << fold[text[3]]
		} else {
			to.fourth = math.MaxUint32
		}
	}
	w.list = append(w.list, word{text: text, exact: exact})
	return &w.list[len(w.list)-1]
}

// grams returns the possible grams of a text at the start of the word.
func grams(text string) []int {
	all := []int{0}
	for i := range 3 {
		var next []int
		for _, g := range all {
			if i < len(text) {
				next = append(next, g<<gramBits|int(fold[text[i]]))
				continue
			}
			for c := range 1 << gramBits {
				next = append(next, g<<gramBits|c)
			}
		}
		all = next
	}
	return slices.Compact(all)
}

// hit is a word at an offset.
type hit struct{ word, at int32 }

func (w *words) find(hits []hit, text []byte) []hit {
	if len(text) == 0 {
		return hits
	}
	gram := uint(fold[text[0]])
	if len(text) > 1 {
		gram = gram<<gramBits | uint(fold[text[1]])
	} else {
		gram <<= gramBits
	}
	for i := 2; i < len(text); i++ {
		gram = (gram<<gramBits | uint(fold[text[i]])) % gramCount
		if w.begins[gram/64]>>(gram%64)&1 != 0 {
			hits = w.compare(hits, text, i-2, gram)
		}
	}
	// Beyond the text, characters fold to zero.
	for i := max(len(text)-2, 0); i < len(text); i++ {
		gram = gram << gramBits % gramCount
		if w.begins[gram/64]>>(gram%64)&1 != 0 {
			hits = w.compare(hits, text, i, gram)
		}
	}
	return hits
}

func (w *words) compare(hits []hit, text []byte, at int, gram uint) []hit {
	rest, here := text[at:], &w.buckets[w.bucket[gram]]
	next := uint8(0)
	if len(rest) > 3 {
		next = fold[rest[3]]
	}
	if here.fourth>>next&1 == 0 {
		return hits
	}
	for _, i := range here.words {
		entry := &w.list[i]
		n := len(entry.text)
		if len(rest) >= n && (string(rest[:n]) == entry.text || !entry.exact && strings.EqualFold(string(rest[:n]), entry.text)) {
			hits = append(hits, hit{i, int32(at)})
		}
	}
	return hits
}
