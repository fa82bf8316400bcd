package redact

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
)

// maxDepth is how many layers are removed from a text.
const maxDepth = 6

// engine holds everything to search for.
type engine struct {
	words    words
	index    map[string]int // of words
	suspects bool
}

// match is a secret in a text.
type match struct {
	span
	kind    Kind
	label   string
	rank    int // of overlapping matches, the lower rank gives the name
	value   string
	learned bool // recognized elsewhere
}

// scratch is the working memory of one scan.
type scratch struct {
	texts   [maxDepth + 2][]byte
	hits    []hit
	matches []match
	opaque  []span
	named   span   // the last name
	decoded int    // how many layers of base64 the text is in
	pending []span // for each pattern, the part still to be searched
	waiting []*pattern
	weights map[string]weight // of names seen lately
}

var scratches = sync.Pool{New: func() any {
	return &scratch{weights: map[string]weight{}, pending: make([]span, len(patterns())+1)} // and one for e-mail addresses
}}

func newScratch() *scratch {
	s := scratches.Get().(*scratch)
	s.matches = s.matches[:0]
	return s
}

func (s *scratch) free() {
	clear(s.matches)
	const large = 4 << 20
	for i := range s.texts {
		if cap(s.texts[i]) > large {
			s.texts[i] = nil
		}
	}
	scratches.Put(s)
}

// scan appends the matches in the text to s.matches, on every layer from depth
// on.
func (e *engine) scan(s *scratch, text []byte, depth int) {
	e.scanBelow(s, text, depth, maxReferences)
}

// maxReferences limits how many layers may be references, so that a crafted
// text does not try all orders of layers.
const maxReferences = 2

func (e *engine) scanBelow(s *scratch, text []byte, depth, refs int) {
	own := len(s.matches)
	s.opaque = s.opaque[:0]
	e.scanWords(s, text)
	if e.suspects && s.decoded == 0 {
		s.scanSuspects(text)
	}
	e.encodedRuns(s, text, own, depth)
	if depth == maxDepth {
		return
	}
	e.scanPeeled(s, text, escapes, depth, refs)
	if refs > 0 {
		e.scanPeeled(s, text, references, depth, refs-1)
	}
}

// scanPeeled scans below a layer, if there is one.
func (e *engine) scanPeeled(s *scratch, text []byte, k *skin, depth, refs int) {
	first := k.next(text, 0)
	if first == len(text) {
		return
	}
	inner := len(s.matches)
	var t trail
	s.texts[depth] = k.peel(s.texts[depth][:0], text, first, &t)
	e.scanBelow(s, s.texts[depth], depth+1, refs)
	if len(s.matches) == inner {
		return
	}
	t.on = true
	s.texts[depth] = k.peel(s.texts[depth][:0], text, first, &t)
	for i := range s.matches[inner:] {
		m := &s.matches[inner+i]
		m.span = t.back(m.span)
	}
}

// scanWords scans the text without removing a layer.
func (e *engine) scanWords(s *scratch, text []byte) {
	s.hits = e.words.find(s.hits[:0], text)
	s.named = span{}
	for _, h := range s.hits {
		w := &e.words.list[h.word]
		at := int(h.at)
		if w.known != nil {
			e.knownAt(s, text, w, at)
		}
		for _, p := range w.rules {
			e.wait(s, text, p, at)
		}
		if w.act != 0 {
			e.actAt(s, text, w, at)
		}
	}
	for _, p := range s.waiting {
		s.search(text, p, s.pending[p.index])
		s.pending[p.index] = span{}
	}
	s.waiting = s.waiting[:0]
}

// wait schedules the search for a rule near a keyword. Overlapping parts are
// searched once, so that a text full of keywords takes no longer.
func (e *engine) wait(s *scratch, text []byte, p *pattern, at int) {
	p.prepare()
	part := p.near(text, at)
	last := &s.pending[p.index]
	switch {
	case part.end == 0:
		return
	case last.end > 0 && part.start <= last.end:
		last.end = part.end
		return
	case last.end > 0:
		s.search(text, p, *last)
	default:
		s.waiting = append(s.waiting, p)
	}
	*last = part
}

func (s *scratch) search(text []byte, p *pattern, part span) {
	p.each(text, part, func(secret span) {
		s.emitUnless(text, match{span: secret, kind: p.kind, label: p.label, rank: p.rank})
	})
}

// emitUnless adds a match, unless an exception for all rules applies.
func (s *scratch) emitUnless(text []byte, m match) {
	if !excepted(exceptions(), text, m.span, m.span) {
		s.emit(text, m)
	}
}

var exceptions = sync.OnceValue(func() []exception {
	Builtin()
	return compileExceptions([]Allowlist{globalAllow})
})

// weigh is weigh, which takes longer than to look a name up.
func (s *scratch) weigh(name []byte) weight {
	w, there := s.weights[string(name)]
	if !there {
		if len(s.weights) > 1000 {
			clear(s.weights)
		}
		w = weigh(string(name))
		s.weights[string(name)] = w
	}
	return w
}

func (e *engine) actAt(s *scratch, text []byte, w *word, at int) {
	end := at + len(w.text)
	if w.act&actName != 0 {
		if n, ok := nameAround(text, at, end); ok && n.span != s.named && s.weigh(text[n.start:n.end]) != noSecret {
			s.named = n.span
			named(text, n, s.weigh(text[n.start:n.end]), func(secret span, w weight) {
				if w == madeUp {
					s.emitUnless(text, match{span: secret, kind: ByRule, label: passRule, rank: 1<<20 - 1})
				} else {
					s.emitUnless(text, match{span: secret, kind: ByEntropy, label: keyRule, rank: 1 << 20})
				}
			})
		}
	}
	if w.act&actPEM != 0 {
		privateKey(text, at, func(secret span) {
			s.emit(text, match{span: secret, kind: ByRule, label: pemRule, rank: 9})
		})
	}
	if w.act&actOpaque != 0 {
		if value := opaqueValue(text, end); value.end > 0 {
			s.opaque = append(s.opaque, value)
		}
	}
}

// emit adds a match, unless it overlaps a placeholder.
func (s *scratch) emit(text []byte, m match) {
	if !overPlaceholder(text, m.span) {
		if m.value == "" {
			m.value = string(text[m.start:m.end])
		}
		s.matches = append(s.matches, m)
	}
}

// opaqueNames are members whose values only their provider can read. A part of
// one is useless and breaks the session, so they are kept or removed as a
// whole.
var opaqueNames = []string{"encrypted_content", "encryptedcontent", "signature", "redacted_thinking"}

const minOpaque = 40

// opaqueValue returns the span of the value of a member whose name ends at i,
// if it is opaque.
func opaqueValue(text []byte, i int) span {
	i = skip(text, i, 8, inQuoted)
	if i == len(text) || text[i] != ':' {
		return span{}
	}
	i = skip(text, i+1, 16, inQuoted)
	end := skip(text, endOfRun(text, i), 2, inPadding)
	if end-i < minOpaque {
		return span{}
	}
	return span{i, end}
}

var (
	inQuoted  = charset(" \t\"'\\")
	inPadding = charset("=")
)

// encodedRuns scans what base64 and hexadecimal runs encode, and settles matches
// within data. s.matches[own:] are those of the text itself.
func (e *engine) encodedRuns(s *scratch, text []byte, own, depth int) {
	for _, value := range s.opaque {
		s.settle(text, value, own, len(s.matches))
	}
	ownEnd := len(s.matches)
	for run := nextRun(text, 0); run.end > 0; run = nextRun(text, run.end) {
		if slices.ContainsFunc(s.opaque, run.overlaps) {
			continue
		}
		if depth < maxDepth {
			var length int
			if s.texts[depth], length = decodeRun(s.texts[depth][:0], text[run.start:run.end]); length > 0 {
				run.end = run.start + length
				e.scanDecoded(s, run, depth)
				continue
			}
		}
		if own < ownEnd && run.end-run.start >= minBlob && oneAlphabet(text[run.start:run.end]) {
			s.settle(text, run, own, ownEnd)
		}
	}
	gone := func(m match) bool { return m.start == m.end }
	s.matches = s.matches[:own+len(slices.DeleteFunc(s.matches[own:], gone))]
}

// scanDecoded scans the decoded text of a run. A match covers the whole run.
func (e *engine) scanDecoded(s *scratch, run span, depth int) {
	saved := s.opaque
	s.opaque = s.opaque[len(s.opaque):]
	from := len(s.matches)
	s.decoded++
	e.scan(s, s.texts[depth], depth+1)
	s.decoded--
	s.opaque = saved
	for i := range s.matches[from:] {
		m := &s.matches[from+i]
		m.span = run
	}
}

// settle decides about the matches [from:to] within data that must be kept or
// removed as a whole. A known secret removes all of it. Other matches are
// coincidence, unless they cover all of it, or are a private key: its first
// line never occurs by chance, and its dashes are base64 digits. Keys on
// separate lines, one below the other, also look like data.
func (s *scratch) settle(text []byte, data span, from, to int) {
	for i := from; i < to; i++ {
		m := &s.matches[i]
		if !m.overlaps(data) || m.covers(data) || m.label == pemRule {
			continue
		}
		if m.kind == Known {
			m.start, m.end = min(m.start, data.start), max(m.end, data.end)
		} else if data.covers(m.span) && !standsAlone(text, m.span) || m.kind == ByName {
			m.end = m.start // dropped
		}
	}
}

// standsAlone reports whether no base64 digit is adjacent to a part.
func standsAlone(text []byte, s span) bool {
	return (s.start == 0 || sixBits[text[s.start-1]] == 0) && (s.end == len(text) || sixBits[text[s.end]] == 0 && text[s.end] != '=')
}

const (
	placeholderStart   = "[redacted:"
	suspectStart       = "[" + suspectLabel
	longestPlaceholder = 96
)

func overPlaceholder(text []byte, s span) bool {
	from := max(s.start-longestPlaceholder, 0)
	for near := text[:min(s.end+longestPlaceholder, len(text))]; ; {
		start, n := nextPlaceholder(near, from)
		if n == 0 || start >= s.end {
			return false
		}
		if s.start < start+n {
			return true
		}
		from = start + n
	}
}

// nextPlaceholder returns the next placeholder from i on; its length is 0 if
// there is none.
func nextPlaceholder(text []byte, i int) (start, n int) {
	for {
		next := bytes.IndexByte(text[i:], '[')
		if next < 0 {
			return len(text), 0
		}
		i += next
		if n = placeholderLen(text[i:]); n > 0 {
			return i, n
		}
		i++
	}
}

// placeholderLen returns the length of the placeholder at the start of b, or 0.
func placeholderLen(b []byte) int {
	var i int
	switch {
	case bytes.HasPrefix(b, []byte(suspectStart)):
		i = len(suspectStart)
	case bytes.HasPrefix(b, []byte(placeholderStart)):
		i = skip(b, len(placeholderStart), longestPlaceholder, inLabel)
	default:
		return 0
	}
	if i == len(b) || i == len(placeholderStart) || b[i] != '#' {
		return 0
	}
	end := skip(b, i+1, longestPlaceholder, inDigits)
	if end == i+1 || end == len(b) || b[end] != ']' {
		return 0
	}
	return end + 1
}

var (
	inLabel  = charset("abcdefghijklmnopqrstuvwxyz0123456789-")
	inDigits = charset("0123456789")
)

// label returns a name as placeholders show it.
func label(name string) string {
	const longest = 48
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r >= 0x80 || !isAlnum(byte(r)) })
	short := strings.Join(words, "-")
	return cmp.Or(strings.TrimRight(short[:min(len(short), longest)], "-"), "secret")
}
