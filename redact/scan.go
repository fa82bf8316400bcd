package redact

import (
	"cmp"
	"regexp"
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
	trails  [maxDepth + 2]trail // of texts
	hits    []hit
	matches []match
	opaque  []span
	named   span   // the last name
	run     span   // the last run of base64 with a word
	isData  bool   // whether that is data
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
	if first := k.next(text, 0); first < len(text) {
		e.scanLayer(s, depth, refs, func(dst []byte, t *trail) []byte { return k.peel(dst, text, first, t) })
	}
}

// scanLayer scans what peel returns. If anything is found, it calls peel once more,
// to map the matches to the text below.
func (e *engine) scanLayer(s *scratch, depth, refs int, peel func(dst []byte, t *trail) []byte) {
	inner, t := len(s.matches), &s.trails[depth]
	t.on, t.pieces = false, t.pieces[:0]
	s.texts[depth] = peel(s.texts[depth][:0], t)
	e.scanBelow(s, s.texts[depth], depth+1, refs)
	if len(s.matches) == inner {
		return
	}
	t.on = true
	s.texts[depth] = peel(s.texts[depth][:0], t)
	for i := range s.matches[inner:] {
		m := &s.matches[inner+i]
		m.span = t.back(m.span)
	}
}

// scanWords scans the text without removing a layer.
func (e *engine) scanWords(s *scratch, text []byte) {
	s.hits = e.words.find(s.hits[:0], text)
	s.named, s.run, s.isData = span{}, span{}, false
	for _, h := range s.hits {
		w := &e.words.list[h.word]
		at := int(h.at)
		if w.known != nil {
			e.knownAt(s, text, w, at)
		}
		for _, p := range w.rules {
			if !s.isInData(text, at) {
				e.wait(s, text, p, at)
			}
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

// isInData reports whether a word is in data, in which words occur by chance: of what
// is found there, settle keeps only known values. Offsets must ascend.
func (s *scratch) isInData(text []byte, at int) bool {
	if at >= s.run.end {
		s.run = runAround(text, span{at, at}, inBase64)
		run := text[s.run.start:s.run.end]
		s.isData = len(run) >= minBlob && oneAlphabet(run)
		if s.isData {
			_, length := decodeRun(nil, run)
			s.isData = length == 0
		}
	}
	return s.isData
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

// emitUnless adds a match, unless an exception for all rules applies. Long values
// contain the words of exceptions by chance.
func (s *scratch) emitUnless(text []byte, m match) {
	const long = 512
	if m.end-m.start > long || !excepted(exceptions(), text, m.span, m.span) {
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
				m := match{span: secret, kind: ByEntropy, label: keyRule, rank: 1 << 20}
				if w == madeUp {
					m.kind, m.label, m.rank = ByRule, passRule, m.rank-1
				}
				s.emitUnless(text, m)
			})
		}
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
	end := skip(text, skip(text, i, len(text), inBase64), 2, inPadding)
	if end-i < minOpaque {
		return span{}
	}
	return span{i, end}
}

var inQuoted = charset(" \t\"'\\")

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
	return (s.start == 0 || !inBase64[text[s.start-1]]) && (s.end == len(text) || !inBase64[text[s.end]] && !inPadding[text[s.end]])
}

// placeholder matches what stands for a secret.
var placeholder = regexp.MustCompile(`\[(?:redacted:[a-z0-9-]{1,96}|suspect)#[0-9]{1,96}\]`)

func overPlaceholder(text []byte, s span) bool {
	const longest = 96
	from := max(s.start-longest, 0)
	near := text[from:min(s.end+longest, len(text))]
	return slices.ContainsFunc(placeholder.FindAllIndex(near, -1), func(at []int) bool {
		return s.overlaps(span{from + at[0], from + at[1]})
	})
}

// label returns a name as placeholders show it.
func label(name string) string {
	const longest = 48
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r >= 0x80 || !isAlnum(byte(r)) })
	short := strings.Join(words, "-")
	return cmp.Or(strings.TrimRight(short[:min(len(short), longest)], "-"), "secret")
}
