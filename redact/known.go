package redact

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"html"
	"net/url"
	"strings"
)

// A Secret is a value to redact, whatever it looks like.
type Secret struct {
	// Name is the name in the placeholder: the variable, the provider. Empty
	// means "secret".
	Name  string
	Value string
}

// MinSecret is the minimum length of a known secret; New refuses shorter ones,
// which occur in many words.
const MinSecret = 6

// unbounded is the length from which a known secret is also found within words.
const unbounded = 8

// ErrShort means that a known secret, or a name to hide, is too short.
var ErrShort = errors.New("too short to look for")

// A ValueError names the value that New refused.
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
	// bounded values are found only if no letter or digit is adjacent.
	bounded bool
	// learned values were recognized elsewhere: see Redactor.Learn.
	learned bool
	coded   Encoding
}

// form is an encoding of a value.
type form struct {
	text  string
	coded Encoding
}

// forms returns the possible encodings of a value, as they remain after a scan
// has removed layers: in base64, at each of the three alignments, in
// hexadecimal, for a URL and for HTML.
func forms(value string) []form {
	var all []form
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			// Omit digits that share bits with the surrounding bytes.
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
	// A scan may also remove layers that belong to the value itself.
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
		e.addValue(index, &known{kind: Known, label: name, value: s.Value, bounded: len(s.Value) < unbounded})
	}
	return e.addNames(o.Names, index)
}

// addValue adds the words of a value, in all its forms.
func (e *engine) addValue(index map[string]int, raw *known) {
	e.word(index, raw.value, true, raw)
	for _, form := range forms(raw.value) {
		if form.text != raw.value {
			k := *raw
			k.coded = form.coded
			e.word(index, form.text, true, &k)
		}
	}
	// Also add each long line of a multiline value, because in a session they
	// may be separate strings.
	if strings.Contains(raw.value, "\n") {
		for line := range strings.Lines(raw.value) {
			if line = strings.TrimSpace(line); len(line) >= 24 && !strings.HasPrefix(line, "-----") {
				e.word(index, line, true, raw)
			}
		}
	}
}

// word adds a value to search for, unless it exists: the first one determines
// the name.
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
		// The rest of the run is the rest of the encoded data.
		for place.start > 0 && sixBits[text[place.start-1]] != 0 {
			place.start--
		}
		place.end = endOfRun(text, place.end)
		for place.end < len(text) && text[place.end] == '=' {
			place.end++
		}
	}
	s.emit(text, match{span: place, kind: k.kind, label: k.label, value: k.value, rank: k.rank, coded: k.coded, learned: k.learned})
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
