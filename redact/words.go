package redact

import (
	"math"
	"slices"
)

// words finds all of a set of words in a text, most of them in any case.
//
// Every place of the text is looked up by the three characters that begin there,
// folded to five bits each, in a table of 4 KB, and compared only where the table
// says so. That is several times quicker here than an Aho-Corasick automaton,
// whose states for hundreds of words do not stay in the first cache.
type words struct {
	list    []word
	begins  [gramCount / 64]uint64 // bit g: some word begins with gram g
	bucket  [gramCount]uint16      // index into buckets, 0 for none
	buckets []bucket
}

// bucket is the words that begin with a gram.
type bucket struct {
	fourth uint32  // bit c: one of them goes on with a character that folds to c
	words  []int32 // of list
}

const (
	gramBits  = 5
	gramCount = 1 << (3 * gramBits)
)

// word is what to look for and what to do where it stands.
type word struct {
	text  string
	exact bool // else text is in lower case and found in any

	rules []*pattern // rules with this keyword
	known *known     // a value that may not leave
	act   action     // what is done in code
}

type action uint8

const (
	actAssign action = 1 << iota // the name of a secret: see assignment
	actPass                      // the name of a password
	actOpaque                    // the name of a member that stays whole
	actPEM                       // the beginning of a key in PEM
)

// fold maps a byte to its five bits: letters of both cases to one.
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
		case c == '_' || c == '|' || c == '%': // some words are a digit and one of these, and digits are many
			t[c] = 29
		case c == '.':
			t[c] = 30
		case c > ' ':
			t[c] = 31
		}
	}
	return t
}()

// add gives the word with that text, which is new or was added before.
func (w *words) add(index map[string]int, text string, exact bool) *word {
	key := text
	if exact {
		key = "=" + text
	} else {
		key = "~" + text
	}
	if i, there := index[key]; there {
		return &w.list[i]
	}
	index[key] = len(w.list)
	w.list = append(w.list, word{text: text, exact: exact})
	return &w.list[len(w.list)-1]
}

// prepare builds the tables when all words are added.
func (w *words) prepare() {
	w.buckets = []bucket{{}}
	at := map[int]int{}
	for i := range w.list {
		for _, g := range grams(w.list[i].text) {
			b, there := at[g]
			if !there {
				b = len(w.buckets)
				at[g] = b
				w.buckets = append(w.buckets, bucket{})
				w.begins[g/64] |= 1 << (g % 64)
				w.bucket[g] = uint16(b)
			}
			to := &w.buckets[b]
			to.words = append(to.words, int32(i))
			if text := w.list[i].text; len(text) > 3 {
				to.fourth |= 1 << fold[text[3]]
			} else {
				to.fourth = math.MaxUint32
			}
		}
	}
}

// grams lists those that a text can have where the word begins.
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

// hit is a word at a place.
type hit struct{ word, at int32 }

// find appends where words stand in text.
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
	// Behind the text are no characters, which fold to zero.
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
		if len(rest) < n {
			continue
		}
		if entry.exact {
			if string(rest[:n]) == entry.text {
				hits = append(hits, hit{i, int32(at)})
			}
		} else if sameFolded(rest[:n], entry.text) {
			hits = append(hits, hit{i, int32(at)})
		}
	}
	return hits
}

// sameFolded compares b with a text in lower case.
func sameFolded(b []byte, lower string) bool {
	for i := range lower {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
