package redact

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"html"
	"net/url"
	"strings"
)

// A Secret is a value that must not leave, whatever it looks like.
type Secret struct {
	// Name is what the placeholder says: the variable, the provider. It is "secret"
	// when empty.
	Name  string
	Value string
}

// MinSecret is the length below which New refuses a known secret: a value so short
// stands in many words.
const MinSecret = 6

// unbounded is the length from which a known secret is found inside of words too.
const unbounded = 8

// ErrShort is a known secret, or a name to hide, that is too short to look for.
var ErrShort = errors.New("too short to look for")

// A ValueError says which value New refused, by its name.
type ValueError struct {
	Name string
	Err  error
}

func (e *ValueError) Error() string { return e.Name + ": " + e.Err.Error() }
func (e *ValueError) Unwrap() error { return e.Err }

// known is a value to look for.
type known struct {
	kind  Kind
	label string
	value string
	rank  int
	// bounded values are found only where no letter or digit touches them.
	bounded bool
	coded   Encoding
}

// form is a way to write a value.
type form struct {
	text  string
	coded Encoding
}

// forms lists how a value can be written, also where the layers that a scan takes
// off leave it: inside of base64, at each of the three places where it can begin
// there, in hexadecimal, for a URL and for HTML.
func forms(value string) []form {
	var all []form
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			// Of what stands around the value no bit may be left.
			coded := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
			from := []int{0, 2, 3}[shift]
			to := len(coded)
			if (shift+len(value))%3 != 0 {
				to--
			}
			if to-from >= MinSecret {
				all = append(all, form{coded[from:to], Base64})
			}
		}
	}
	// A layer is also taken off where it is the value's own.
	for _, k := range []*skin{escapes, references} {
		for text, depth := []byte(value), 0; depth < maxDepth; depth++ {
			if text = k.peel(nil, text, k.next(text, 0), new(trail)); len(text) < MinSecret {
				break
			}
			all = append(all, form{string(text), 0}, form{strings.ReplaceAll(string(text), "+", " "), 0})
		}
	}
	digits := hex.EncodeToString([]byte(value))
	return append(all, form{digits, Escaped}, form{strings.ToUpper(digits), Escaped},
		form{url.QueryEscape(value), Escaped}, form{url.PathEscape(value), Escaped}, form{html.EscapeString(value), Escaped})
}

// addKnown adds the words of the known secrets and of the names.
func (e *engine) addKnown(o Options, index map[string]int) error {
	for _, s := range o.Secrets {
		name := label(s.Name)
		if len(s.Value) < MinSecret {
			return &ValueError{s.Name, ErrShort}
		}
		raw := &known{kind: Known, label: name, value: s.Value, bounded: len(s.Value) < unbounded}
		e.word(index, s.Value, true, raw)
		for _, form := range forms(s.Value) {
			if form.text != s.Value {
				k := *raw
				k.coded = form.coded
				e.word(index, form.text, true, &k)
			}
		}
		// A value over several lines is also each of its long lines: in a session
		// they may stand in strings of their own.
		if strings.Contains(s.Value, "\n") {
			for line := range strings.Lines(s.Value) {
				if line = strings.TrimSpace(line); len(line) >= 24 && !strings.HasPrefix(line, "-----") {
					e.word(index, line, true, raw)
				}
			}
		}
	}
	return e.addNames(o.Names, index)
}

// word adds a value to look for, unless it is there: the first one gives the name.
func (e *engine) word(index map[string]int, text string, exact bool, k *known) {
	if w := e.words.add(index, text, exact); w.known == nil {
		w.known = k
	}
}

func (e *engine) knownAt(s *scratch, text []byte, w *word, at int) {
	k, end := w.known, at+len(w.text)
	if k.bounded && (at > 0 && isAlnum(text[at-1]) && isAlnum(text[at]) || end < len(text) && isAlnum(text[end]) && isAlnum(text[end-1])) {
		return
	}
	place := span{at, end}
	if k.coded == Base64 {
		// The rest of the run says the rest of what was encoded.
		for place.start > 0 && sixBits[text[place.start-1]] != 0 {
			place.start--
		}
		place.end = endOfRun(text, place.end)
		for place.end < len(text) && text[place.end] == '=' {
			place.end++
		}
	}
	s.emit(text, match{span: place, kind: k.kind, label: k.label, value: k.value, rank: k.rank, coded: k.coded})
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
