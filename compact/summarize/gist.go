package summarize

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// valid is text as UTF-8: halves of surrogate pairs, which sessions can hold and
// models do not take, become U+FFFD.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// oneLine is text on one line, at most limit characters of it. A cut falls
// between words where there are words, and is marked.
func oneLine(s string, limit int) string {
	if len(s) > 8*limit { // enough of it, whatever the script and the spaces
		s = s[:8*limit]
	}
	return clip(strings.Join(strings.Fields(valid(s)), " "), limit)
}

// clip is text of at most limit characters.
func clip(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	end, space, n := 0, 0, 0
	for i, r := range s {
		if n == limit-1 {
			end = i
			break
		}
		if unicode.IsSpace(r) && n > limit*2/3 {
			space = i
		}
		n++
	}
	if space > 0 {
		end = space
	}
	return strings.TrimRightFunc(s[:end], unicode.IsSpace) + "…"
}

// edges is the beginning and the end of a long text. What lies between is mostly
// pasted.
func edges(s string, head, tail int) string {
	if len(s) <= head+tail {
		return s
	}
	return strings.ToValidUTF8(s[:head], "") + "\n" + strings.ToValidUTF8(s[len(s)-tail:], "")
}

// sameness is what two texts that say the same have in common: letters and
// digits, in lower case.
func sameness(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// A bounded list keeps the first and the last of many texts, each once.
type bounded struct {
	first, last int // how many of each
	head, tail  []string
	seen        map[string]bool
}

func (b *bounded) add(s string) {
	key := sameness(s)
	if key == "" || b.seen[key] {
		return
	}
	if b.seen == nil {
		b.seen = map[string]bool{}
	}
	b.seen[key] = true
	if len(b.head) < b.first && len(b.tail) == 0 {
		b.head = append(b.head, s)
		return
	}
	b.tail = append(b.tail, s)
	if len(b.tail) > b.last {
		delete(b.seen, sameness(b.tail[0]))
		b.tail = append(b.tail[:0], b.tail[1:]...)
	}
}

// drop takes out the texts for which f holds.
func (b *bounded) drop(f func(string) bool) {
	for _, list := range []*[]string{&b.head, &b.tail} {
		*list = slices.DeleteFunc(*list, func(s string) bool {
			gone := f(s)
			if gone {
				delete(b.seen, sameness(s))
			}
			return gone
		})
	}
}

func (b *bounded) all() []string { return append(b.head[:len(b.head):len(b.head)], b.tail...) }
