package search

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/catalog/query"
)

// A Veil hides parts of entries from a search. Matches, filters, scores and
// snippets then depend only on the parts that stay visible: two stores that
// differ only in hidden text give the same results. In the order Best there is
// an exception for frequent words: see visibleHits and mostRuns. The functions
// must be safe for concurrent use.
type Veil struct {
	// Line returns a line of a session with placeholders for hidden parts. It
	// must keep the JSON valid and change only strings.
	Line func(line []byte) []byte
	// Text does the same for a text.
	Text func(text string) string
	// Visible yields the parts of a text between placeholders, with their
	// offsets. No match spans a placeholder: the text of a placeholder must not
	// match, because an index of the plain text would not find it.
	Visible func(text string) iter.Seq2[int, string]
}

// parts yields the visible parts of a text, with their offsets in the covered
// text. A word that a placeholder cuts off is left out, because its end is
// hidden.
func (v *Veil) parts(covered string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at, part := range v.Visible(covered) {
			start, end := 0, len(part)
			for at > 0 && start < end {
				r, n := utf8.DecodeRuneInString(part[start:])
				if kindOf(r) != within {
					break
				}
				start += n
			}
			for at+len(part) < len(covered) && end > start {
				r, n := utf8.DecodeLastRuneInString(part[:end])
				if kindOf(r) != within {
					break
				}
				end -= n
			}
			if start < end && !yield(at+start, part[start:end]) {
				return
			}
		}
	}
}

// Shows reports whether part is visible in a path, without regard to letter
// case and to the direction of slashes. An empty part always is, and a nil Veil
// hides nothing.
func (v *Veil) Shows(path, part string) bool {
	if part == "" || v == nil {
		return namesFile(path, part)
	}
	if !namesFile(path, part) {
		return false // checking the plain text is cheaper
	}
	for _, p := range v.parts(v.Text(path)) {
		if namesFile(p, part) {
			return true
		}
	}
	return false
}

// session returns the visible parts of a session's texts. Nothing matches across
// two parts.
func (v *Veil) session(s query.Session) query.Session {
	info := *s.Info
	for _, text := range []*string{&info.Name, &info.FirstMessage, &info.Cwd} {
		var parts []string
		for _, part := range v.parts(v.Text(*text)) {
			parts = append(parts, part)
		}
		*text = strings.Join(parts, "\x00")
	}
	s.Info = &info
	return s
}

// cover replaces the fields of an entry, read from line, by their visible
// parts. Each part becomes a field of its own.
func (v *Veil) cover(e *entry, line []byte) {
	if covered := v.Line(line); len(covered) == 0 || &covered[0] != &line[0] {
		id, typ, role, time, result, calls := e.id, e.typ, e.role, e.time, e.result, slices.Clone(e.calls)
		e.read(covered)
		e.id, e.typ, e.role, e.time, e.result = id, typ, role, time, result
		for i := range e.calls {
			if len(e.calls) == len(calls) {
				e.calls[i].id = calls[i].id
			}
		}
	}
	var fields []field
	for _, f := range e.fields {
		n := len(fields)
		for _, part := range v.parts(v.Text(f.text)) {
			fields = append(fields, field{f.kind, f.tool, part})
		}
		if len(fields) == n { // a filter may still match it
			fields = append(fields, field{f.kind, f.tool, ""})
		}
	}
	var calls []fileCall
	for _, c := range e.calls {
		for _, part := range v.parts(v.Text(c.file)) {
			calls = append(calls, fileCall{c.id, part})
		}
	}
	e.fields, e.calls = fields, calls
}

// text returns the text that contains part number n of an entry, and the offset
// of that part.
func (v *Veil) text(e *entry, line []byte, n int) (string, int) {
	e.read(v.Line(line))
	for _, f := range e.fields {
		covered, before := v.Text(f.text), n
		for at := range v.parts(covered) {
			if n == 0 {
				return covered, at
			}
			n--
		}
		if n == before { // it counts as one empty part
			if n == 0 {
				return covered, 0
			}
			n--
		}
	}
	return "", 0
}

// A judge decides whether a line matches a query. It is used by one goroutine.
type judge struct {
	veil    *Veil
	rough   *matcher // rejects, by the plain text, lines that cannot match with the veil
	matcher *matcher
}

func newJudge(q *Query, weighs bool, v *Veil) *judge {
	j := &judge{veil: v, matcher: newMatcher(q, weighs)}
	hasRegexp := slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Regexp != nil })
	if v != nil && !hasRegexp { // an expression may match at the end of a part but not in the plain text
		plain := *q
		plain.Not = nil // an excluded word may be hidden
		j.rough = newMatcher(&plain, false)
	}
	return j
}

// match reads an entry from its line and reports whether it matches, and where.
func (j *judge) match(e *entry, line []byte) (_ found, ok bool) {
	if !e.read(line) {
		return found{}, false
	}
	e.length = len(line)
	if j.rough != nil {
		if _, ok := j.rough.match(e); !ok {
			return found{}, false
		}
	}
	if j.veil != nil {
		j.veil.cover(e, line)
	}
	return j.matcher.match(e)
}
