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
	// inRun values are a part of a run of base64, all of which they encode.
	inRun bool
}

// forms returns the possible encodings of a value, as they remain after a scan
// has removed layers: those in base64, at each of the three alignments, and those
// of words, in hexadecimal, for a URL and for HTML.
func forms(value string) (runs, texts []string) {
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
				runs = append(runs, coded[from:to])
			}
		}
	}
	// A scan may also remove layers that belong to the value itself.
	for _, k := range []*skin{escapes, references} {
		for text, depth := []byte(value), 0; depth < maxDepth; depth++ {
			if text = k.peel(nil, text, k.next(text, 0), new(trail)); len(text) < MinSecret {
				break
			}
			texts = append(texts, string(text))
		}
	}
	digits := hex.EncodeToString([]byte(value))
	return runs, append(texts, digits, strings.ToUpper(digits), url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value))
}

// addKnown adds the words of the known secrets.
func (e *engine) addKnown(secrets []Secret) error {
	for _, s := range secrets {
		if len(s.Value) < MinSecret {
			return &ValueError{s.Name, ErrShort}
		}
		e.addValue(&known{kind: Known, label: label(s.Name), value: s.Value, bounded: len(s.Value) < unbounded})
	}
	return nil
}

// addValue adds the words of a value, in all its forms.
func (e *engine) addValue(raw *known) {
	e.word(raw.value, true, raw)
	runs, texts := forms(raw.value)
	for _, text := range texts {
		e.word(text, true, raw)
	}
	coded := *raw
	coded.inRun = true
	for _, run := range runs {
		if run != raw.value {
			e.word(run, true, &coded)
		}
	}
	// Also add each long line of a multiline value, because in a session they
	// may be separate strings.
	if strings.Contains(raw.value, "\n") {
		for line := range strings.Lines(raw.value) {
			if line = strings.TrimSpace(line); len(line) >= 24 && !strings.HasPrefix(line, "-----") {
				e.word(line, true, raw)
			}
		}
	}
}

// word adds a value to search for, unless it exists: the first one determines
// the name.
func (e *engine) word(text string, exact bool, k *known) {
	if w := e.words.add(e.index, text, exact); w.known == nil {
		w.known = k
	}
}

func (e *engine) knownAt(s *scratch, text []byte, w *word, at int) {
	k, end := w.known, at+len(w.text)
	if k.bounded && (at > 0 && isAlnum(text[at-1]) && isAlnum(text[at]) || end < len(text) && isAlnum(text[end]) && isAlnum(text[end-1])) {
		return
	}
	place := span{at, end}
	if k.inRun {
		// The rest of the run is the rest of the encoded data.
		place = runAround(text, place, inBase64)
		place.end = skip(text, place.end, 2, inPadding)
	}
	s.emit(text, match{span: place, kind: k.kind, label: k.label, value: k.value, rank: k.rank, learned: k.learned})
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
