package redact

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Options say what must not leave. The zero value looks for what the built-in
// rules describe.
type Options struct {
	// Secrets are values that the user has: see Collect.
	Secrets []Secret
	// Names are hidden by choice.
	Names Names
	// Rules add to the built-in ones: see ReadRules.
	Rules []*RuleSet
	// OnlyKnown looks for Secrets and Names alone, by no rule.
	OnlyKnown bool
}

// A Redactor replaces secrets by placeholders. It numbers them in the order in
// which it meets them and gives the same value the same placeholder, so one
// Redactor serves for one thing that leaves: a session, with its title and its
// file name. Goroutines may share it.
type Redactor struct {
	engine engine

	mu      sync.Mutex // guards what follows
	numbers map[[sha256.Size]byte]numbered
	last    map[string]int // the highest number of each label
}

// numbered is what stands for a value.
type numbered struct {
	label  string
	number int
}

// New returns a Redactor. It fails with a *RuleError for bad rules and with a
// *ValueError for a secret or a name that is too short.
func New(o Options) (*Redactor, error) {
	r := &Redactor{numbers: map[[sha256.Size]byte]numbered{}, last: map[string]int{}}
	rules, allow := merge(slices.Concat(builtin(), o.Rules))
	for _, set := range o.Rules {
		for i := range set.Rules {
			if _, err := compile(&set.Rules[i]); err != nil {
				return nil, &RuleError{File: set.File, Line: set.Rules[i].line, Rule: set.Rules[i].ID, Err: err}
			}
		}
		if _, err := compileAllow(set.Allow); err != nil {
			return nil, &RuleError{File: set.File, Err: err}
		}
	}
	e := &r.engine
	e.allow, _ = compileAllow(allow)
	index := map[string]int{}
	if o.OnlyKnown {
		rules = nil
	}
	for _, rule := range rules {
		e.addRule(rule, index)
	}
	for _, name := range opaqueNames {
		e.words.add(index, name, false).act |= actOpaque
	}
	if err := e.addKnown(o, index); err != nil {
		return nil, err
	}
	e.words.prepare()
	return r, nil
}

// patterns are the built-in rules, which all Redactors share.
var patterns = sync.OnceValue(func() map[string]*pattern {
	all := map[string]*pattern{}
	for i, rule := range Builtin() {
		p := newPattern(rule)
		p.index = i
		all[rule.ID] = p
	}
	return all
})

// written are the rules that are matched by code.
var written = map[string]action{assignRule: actAssign, passRule: actPass, pemRule: actPEM}

func (e *engine) addRule(rule Rule, index map[string]int) {
	p, shared := patterns()[rule.ID]
	if !shared || p.Regex != rule.Regex || p.line != rule.line || p.index != len(e.patterns) {
		shared = false
		p = newPattern(rule)
		p.index = len(e.patterns)
	}
	e.patterns = append(e.patterns, p)
	// Some rules are written out in code. One of the user's own with the same ID is
	// an expression like others.
	var act action
	if own, there := patterns()[rule.ID]; there && own.Regex == rule.Regex {
		act = written[rule.ID]
	}
	switch act {
	case actAssign:
		e.assign = p
		p.prepare()
	case actPEM:
		e.words.add(index, pemWord, false).act |= actPEM
		return
	}
	if len(rule.Keywords) == 0 {
		e.always = append(e.always, p)
	}
	for _, keyword := range rule.Keywords {
		w := e.words.add(index, strings.ToLower(keyword), false)
		w.act |= act
		if act == 0 {
			w.rules = append(w.rules, p)
		}
	}
}

// Line redacts one line of a session, with or without its line end. Only strings
// change, names of members included, and of these only the part that may not
// leave, so a line that was JSON stays JSON. A line that is none is redacted as
// text. Without a finding the result is line itself and nothing is allocated;
// line is never changed.
func (r *Redactor) Line(line []byte) ([]byte, []Finding) {
	return r.redact(line, jsonl.Valid(line), numberAll)
}

// Text redacts text that is not a line of a session: a title, a file name, a page.
func (r *Redactor) Text(text string) (string, []Finding) {
	out, found := r.redact([]byte(text), false, numberAll)
	if len(found) == 0 {
		return text, nil
	}
	return string(out), found
}

// Find is what Text replaces, without replacing it: for whoever only asks whether there
// is something. What stands beside a placeholder is not looked at again.
func (r *Redactor) Find(text []byte) (found []Finding) {
	for _, e := range r.edits(text, false, numberAll) {
		e.finding.Offset = e.start
		found = append(found, e.finding)
	}
	return found
}

// edit replaces a part of a text.
type edit struct {
	span
	with    string
	finding Finding
}

// maxRounds is how often the result is looked at again. A placeholder makes an end
// where there was none, so what stands beside it can become something that a rule
// describes.
const maxRounds = 4

// A numbering says whether findings get numbers of their own.
type numbering int

const (
	numberAll  numbering = iota
	numberNone           // all have 0, and nothing of them is kept
)

func (r *Redactor) redact(text []byte, isJSON bool, how numbering) ([]byte, []Finding) {
	edits := r.edits(text, isJSON, how)
	if len(edits) == 0 {
		return text, nil
	}
	out := text
	var found []Finding
	var at []int // where the placeholders of found stand in out
	var history [][]edit
	for len(edits) > 0 && len(history) < maxRounds {
		for i := range at {
			at[i] = moved(edits, at[i])
		}
		shift := 0
		for _, e := range edits {
			f := e.finding
			f.Offset = e.start
			for _, earlier := range slices.Backward(history) {
				f.Offset = unmoved(earlier, f.Offset)
			}
			found = append(found, f)
			at = append(at, e.start+shift)
			shift += len(e.with) - (e.end - e.start)
		}
		out = apply(out, edits)
		history = append(history, edits)
		edits = r.edits(out, isJSON, how)
	}
	if isJSON {
		locate(out, found, at)
	}
	return out, found
}

// edits is what to replace in a text, in order.
func (r *Redactor) edits(text []byte, isJSON bool, how numbering) []edit {
	e := &r.engine
	s := e.scratch()
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
	edits := make([]edit, 0, len(all))
	for _, m := range all {
		n := numbered{label: m.label}
		if how == numberAll {
			n = r.number(m.label, m.value)
		}
		edits = append(edits, edit{m.span, placeholder(n), Finding{Rule: n.label, Kind: m.kind, Number: n.number, Encoding: m.coded}})
	}
	return edits
}

// scanJSON scans a line of JSON as its strings mean it. The line is scanned as one
// text, so that a secret is seen beside the name of its member.
func (e *engine) scanJSON(s *scratch, line []byte) {
	e.scanStrings(s, line)
	if first := bytes.Index(line, []byte(block)); first >= 0 && bytes.Contains(line[first+1:], []byte(block)) {
		e.scanJoined(s, line)
	}
}

func (e *engine) scanStrings(s *scratch, line []byte) {
	own := len(s.matches)
	var t trail
	if bytes.IndexByte(line, '\\') < 0 {
		e.scan(s, line, 1)
		return
	}
	s.texts[0] = unescapeJSON(s.texts[0][:0], line, &t)
	e.scan(s, s.texts[0], 1)
	if len(s.matches) == own {
		return
	}
	t.on = true
	s.texts[0] = unescapeJSON(s.texts[0][:0], line, &t)
	for i := range s.matches[own:] {
		m := &s.matches[own+i]
		m.span = t.back(m.span)
	}
}

// block begins a block of text, as pi writes them. Readers put the texts of a message
// together. In JSON these characters stand nowhere else: in a string a quote has a
// backslash.
const block = `"text":"`

// borderText is how much of two blocks is looked at on each side of their border.
const borderText = 1024

// scanJoined takes what is found over the border of two blocks of text, whatever
// stands between them. Randomness is no proof there: the first may end with a name
// and the second begin with anything.
func (e *engine) scanJoined(s *scratch, line []byte) {
	own := len(s.matches)
	s.joined, s.blocks = s.joined[:0], s.blocks[:0]
	take := func(part span) {
		s.blocks = append(s.blocks, piece{out: len(s.joined), in: part.start})
		s.joined = append(s.joined, line[part.start:part.end]...)
	}
	for in := 0; ; {
		next := bytes.Index(line[in:], []byte(block))
		if next < 0 {
			break
		}
		text := span{in + next + len(block), stringEnd(line, in+next+len(block)-1) - 1}
		if in = text.end; text.end-text.start <= 2*borderText {
			take(text)
			continue
		}
		take(span{text.start, text.start + borderText})
		s.joined = append(s.joined, gap) // what is left out
		take(span{text.end - borderText, text.end})
	}
	e.scanStrings(s, s.joined)
	found := slices.Clone(s.matches[own:])
	s.matches = s.matches[:own]
	t := trail{pieces: s.blocks}
	for _, m := range found {
		first, last := t.at(m.start), t.at(m.end-1)
		if first == last || m.kind == ByEntropy {
			continue
		}
		whole := m.span
		for i := first; i <= last; i++ {
			m.span = whole
			if i > first {
				m.start = s.blocks[i].out
			}
			if i < last {
				m.end = s.blocks[i+1].out
			}
			if m.start < m.end { // a block may be empty
				m.span = t.back(m.span)
				s.matches = append(s.matches, m)
			}
		}
	}
}

// merged is the matches in order, with one for each group that overlaps. It covers
// all of the group and has the name of the best.
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

// better reports whether a says more about a place than b: what is known, then
// what a rule describes, and of these the one that was found with fewer layers off,
// the longer one and the one that comes first in the rules.
func better(a, b match) bool {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.rank, b.rank), cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.coded, b.coded)) < 0
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

func placeholder(n numbered) string {
	return placeholderStart + n.label + "#" + strconv.Itoa(n.number) + "]"
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

// moved is where a place of a text is after the edits.
func moved(edits []edit, at int) int {
	shift := 0
	for _, e := range edits {
		if e.start >= at {
			break
		}
		shift += len(e.with) - (e.end - e.start)
	}
	return at + shift
}

// unmoved is where a place of the edited text was before the edits.
func unmoved(edits []edit, at int) int {
	shift := 0
	for _, e := range edits {
		if e.start+shift >= at {
			break
		}
		shift += len(e.with) - (e.end - e.start)
	}
	return at - shift
}
