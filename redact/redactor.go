package redact

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Options determine what to redact. The zero value uses the built-in rules.
type Options struct {
	// Secrets are values that the user has: see Collect.
	Secrets []Secret
	// Names are hidden on request.
	Names Names
	// OnlyKnown searches only for Secrets and Names, without rules.
	OnlyKnown bool
	// KeepSuspects leaves values that look random, unless something says that
	// they are secret.
	KeepSuspects bool
}

// A Redactor replaces secrets with placeholders. It numbers them in the order
// in which it finds them and gives the same value the same placeholder, so use
// one Redactor for everything that is shared together: a session, with its
// title and its file name. It redacts a secret from where it recognized it on;
// Learn makes it recognize first and redact then. A Redactor is safe for
// concurrent use.
type Redactor struct {
	learning sync.RWMutex // guards the fields below
	engine   engine
	learned  map[[sha256.Size]byte]*known

	mu      sync.Mutex // guards the fields below
	numbers map[[sha256.Size]byte]numbered
	last    map[string]int // highest number of each label
}

// numbered identifies the placeholder of a value.
type numbered struct {
	label  string
	number int
}

func (n numbered) placeholder() string {
	if n.label == suspectLabel {
		return fmt.Sprintf("[suspect#%d]", n.number)
	}
	return fmt.Sprintf("[redacted:%s#%d]", n.label, n.number)
}

// New returns a Redactor. It returns a *ValueError for a secret or a name that
// is too short.
func New(o Options) (*Redactor, error) {
	r := &Redactor{learned: map[[sha256.Size]byte]*known{}, numbers: map[[sha256.Size]byte]numbered{}, last: map[string]int{}}
	e := &r.engine
	e.index = map[string]int{}
	if !o.OnlyKnown {
		e.suspects = !o.KeepSuspects
		for _, p := range patterns() {
			e.addPattern(p)
		}
	}
	for _, name := range opaqueNames {
		e.words.add(e.index, name, false).act |= actOpaque
	}
	if err := e.addKnown(o.Secrets); err != nil {
		return nil, err
	}
	return r, e.addNames(o.Names)
}

// patterns are the built-in rules, shared by all Redactors.
var patterns = sync.OnceValue(func() (all []*pattern) {
	for i, rule := range Builtin() {
		all = append(all, newPattern(rule, i))
	}
	return all
})

// keyRule and passRule are implemented by shapes. pemRule describes private keys.
const (
	keyRule  = "generic-api-key"
	passRule = "password"
	pemRule  = "private-key"
)

func (e *engine) addPattern(p *pattern) {
	switch p.ID {
	case keyRule, passRule:
		for word := range nameWords {
			e.words.add(e.index, lowerASCII(word), false).act |= actName
		}
	default:
		for _, keyword := range p.Keywords {
			w := e.words.add(e.index, strings.ToLower(keyword), false)
			w.rules = append(w.rules, p)
		}
	}
}

// Line redacts one line of a session, with or without its line end. It changes
// only strings, including names of members, and only the secret part of them,
// so JSON stays JSON. A line that is not JSON is redacted as text. Without a
// finding, the result is line itself and nothing is allocated; line is never
// modified.
func (r *Redactor) Line(line []byte) ([]byte, []Finding) {
	return r.redact(line, jsonl.Valid(line), r.number)
}

// Text redacts text that is not a line of a session: a title, a file name, a
// page.
func (r *Redactor) Text(text string) (string, []Finding) { return r.text(text, r.number) }

func (r *Redactor) text(text string, how numbering) (string, []Finding) {
	out, found := r.redact([]byte(text), false, how)
	if len(found) == 0 {
		return text, nil
	}
	return string(out), found
}

// Find returns the secrets in a finished text or line. Unlike Text and Line, it
// neither learns nor numbers them, and does not scan again next to placeholders.
func (r *Redactor) Find(text []byte) (found []Finding) {
	for _, e := range r.edits(text, isRecord(text), nil) {
		found = append(found, e.finding)
	}
	return found
}

// isRecord reports whether a line is a JSON object or array.
func isRecord(line []byte) bool {
	start := bytes.TrimLeft(line, " \t")
	return len(start) > 0 && (start[0] == '{' || start[0] == '[') && jsonl.Valid(line)
}

type edit struct {
	span
	with    string
	finding Finding
}

// maxRounds is how often the result is scanned again. A placeholder creates a
// boundary, so the text next to it can match a rule that it did not match
// before.
const maxRounds = 4

// A numbering returns the placeholder of a value. With none, all numbers are 0, and
// nothing is recorded.
type numbering func(label, value string) numbered

func (r *Redactor) redact(text []byte, isJSON bool, how numbering) (out []byte, found []Finding) {
	out = text
	for range maxRounds {
		edits := r.edits(out, isJSON, how)
		if len(edits) == 0 {
			break
		}
		for _, e := range edits {
			found = append(found, e.finding)
		}
		out = apply(out, edits)
	}
	return out, found
}

// edits returns the replacements in a text, in order. It learns the secrets
// that it finds: see Learn.
func (r *Redactor) edits(text []byte, isJSON bool, how numbering) []edit {
	all := r.matches(text, isJSON)
	for how != nil && r.learn(all) { // the text may have them elsewhere too
		all = r.matches(text, isJSON)
	}
	edits := make([]edit, len(all))
	for i, m := range all {
		n := numbered{label: m.label}
		if how != nil {
			n = how(m.label, m.value)
		}
		edits[i] = edit{m.span, n.placeholder(), Finding{Rule: n.label, Kind: m.kind, Number: n.number}}
	}
	if isJSON && how != nil {
		locate(text, edits)
		for i := range edits { // a path of the unredacted line may contain a secret
			edits[i].finding.Path, _ = r.Text(edits[i].finding.Path)
		}
	}
	return edits
}

// matches returns the matches in a text, in order.
func (r *Redactor) matches(text []byte, isJSON bool) []match {
	r.learning.RLock()
	defer r.learning.RUnlock()
	e := &r.engine
	s := newScratch()
	defer s.free()
	if isJSON {
		e.scanJSON(s, text)
	} else {
		e.scan(s, text, 1)
	}
	if len(s.matches) == 0 {
		return nil
	}
	all := merged(s.matches)
	if isJSON {
		all = withinStrings(text, all)
	}
	return all
}

// scanJSON scans a line of JSON with its strings decoded. The line is scanned
// as one text, so that a secret is seen with the name of its member.
func (e *engine) scanJSON(s *scratch, line []byte) {
	first := bytes.IndexByte(line, '\\')
	if first < 0 {
		e.scan(s, line, 1)
		return
	}
	e.scanLayer(s, 0, maxReferences, func(dst []byte, t *trail) []byte { return backslashes.peelAll(dst, line, first, t) })
}

// merged returns the matches in order, with one for each group that overlaps.
// It covers the whole group and has the name of the best match.
func merged(matches []match) []match {
	all := slices.Clone(matches)
	slices.SortFunc(all, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.rank, b.rank))
	})
	out := all[:1]
	for _, m := range all[1:] {
		last := &out[len(out)-1]
		if m.start >= last.end {
			out = append(out, m)
			continue
		}
		union := span{last.start, max(last.end, m.end)}
		if better(m, *last) {
			*last = m
		}
		last.span = union
	}
	return out
}

// better reports whether a is more informative than b: known values before rule
// matches, of these the one that comes first in the rules, and the longer one.
func better(a, b match) bool {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.rank, b.rank), cmp.Compare(len(b.value), len(a.value))) < 0
}

func (r *Redactor) number(label, value string) numbered {
	key := sha256.Sum256([]byte(value))
	r.mu.Lock()
	defer r.mu.Unlock()
	n, there := r.numbers[key]
	if !there {
		r.last[label]++
		n = numbered{label, r.last[label]}
		r.numbers[key] = n
	}
	return n
}

func apply(text []byte, edits []edit) []byte {
	size := len(text)
	for _, e := range edits {
		size += len(e.with) - (e.end - e.start)
	}
	out := make([]byte, 0, size)
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.start]...)
		out = append(out, e.with...)
		at = e.end
	}
	return append(out, text[at:]...)
}
