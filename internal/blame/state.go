package blame

import (
	"slices"
	"strings"

	"github.com/pith-sessions/pith/internal/edits"
)

// A state is a file as the records tell it at one time.
type state struct {
	known bool // text is the content, unless somebody changed it unrecorded
	text  string
	by    []int32 // by line, the index of the edit that brought it, or none
	last  int     // session of the last event
	shown bool    // the last event showed the content to that session
	gone  bool    // the file does not exist

	fragments []fragment
	// torn says that an edit did not fit since the content was last known whole.
	torn bool
}

// A fragment is the outcome of an edit that did not fit the replayed content.
type fragment struct {
	lines []string
	fresh []bool // lines that the edit added
	by    int32
	// partial says that the first and the last line may be parts of lines.
	partial bool
}

// normal is a text as states hold it: without a byte order mark, with lines that end
// in LF.
func normal(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
}

// lines returns the lines of the content, none if it is not known.
func (s *state) lines() []string {
	if !s.known {
		return nil
	}
	return split(s.text)
}

// sync replaces the content by one that is known whole and that no known edit made.
func (s *state) sync(text string) {
	if s.known && s.text == text && len(s.fragments) == 0 {
		s.torn = false
		return
	}
	lines := split(text)
	by := make([]int32, len(lines))
	m := match(s.lines(), lines, distinctive)
	for j, i := range m.from {
		by[j] = none
		if i >= 0 {
			by[j] = s.by[i]
		}
	}
	if len(s.fragments) > 0 {
		s.place(lines, by)
	}
	s.known, s.gone, s.text, s.by, s.fragments, s.torn = true, false, text, by, nil, false
}

// place finds the fragments in a text.
func (s *state) place(lines []string, by []int32) {
	for _, f := range s.fragments {
		p, ok := onlyPlace(lines, &f)
		if !ok {
			continue
		}
		for k, fresh := range f.fresh {
			if fresh {
				by[p+k] = f.by
			}
		}
	}
}

// onlyPlace finds the one place of a fragment. It must be next to a line that was there
// before the edit: what an edit added could be a copy of lines elsewhere.
func onlyPlace(lines []string, f *fragment) (at int, ok bool) {
	key := -1
	for k, line := range f.lines {
		if !f.fresh[k] && weighs(line, distinctive) && !(f.partial && (k == 0 || k == len(f.lines)-1)) {
			key = k
			break
		}
	}
	if key < 0 {
		return 0, false
	}
	for j, line := range lines {
		if line != f.lines[key] || j < key || j-key+len(f.lines) > len(lines) || !f.fits(lines[j-key:j-key+len(f.lines)]) {
			continue
		}
		if ok {
			return 0, false
		}
		at, ok = j-key, true
	}
	return at, ok
}

// fits reports whether lines are those of the fragment.
func (f *fragment) fits(lines []string) bool {
	if !f.partial {
		return slices.Equal(lines, f.lines)
	}
	last := len(lines) - 1
	return strings.HasSuffix(lines[0], f.lines[0]) && strings.HasPrefix(lines[last], f.lines[last]) && slices.Equal(lines[1:last], f.lines[1:last])
}

// write gives the file a new content by an edit of a session. proven decides which of the
// lines that the content before does not have are the edit's own; nil means all, because
// the content before is recorded.
func (s *state) write(text string, by int32, session int, proven func(lines []string, m *matching)) {
	was, lines := s.lines(), split(text)
	var m matching
	if proven == nil {
		m = recorded(was, lines)
	} else if m = match(was, lines, distinctive); s.last == session && s.shown {
		m.closeIn(was, lines)
	}
	if proven != nil {
		proven(lines, &m)
		for _, f := range s.fragments { // lines that an earlier edit may have brought
			for j, line := range lines {
				m.fresh[j] = m.fresh[j] && !isTrivial(line) && !slices.Contains(f.lines, line)
			}
		}
	}
	now := s.carried(lines, m, 0, by)
	if proven != nil && len(s.fragments) > 0 {
		s.place(lines, now)
	}
	s.by = now
	s.known, s.gone, s.text, s.fragments, s.torn = true, false, text, nil, false
}

// carried returns the authors of lines that an edit made of those from an index on.
func (s *state) carried(lines []string, m matching, from int, by int32) []int32 {
	out := make([]int32, len(lines))
	for j := range out {
		switch {
		case m.from[j] >= 0:
			out[j] = s.by[from+m.from[j]]
		case m.fresh[j]:
			out[j] = by
		default:
			out[j] = none
		}
	}
	return out
}

// replace applies the replacements of an edit. Those that do not fit are kept as
// fragments, and false is returned.
func (s *state) replace(c *edits.Change, by int32) bool {
	if s.known && s.swap(c, by) {
		return true
	}
	fits := true
	shift, lines := 0, s.lines()
	for _, h := range c.Hunks {
		at, ok := -1, false
		if s.known {
			at, ok = placeOf(lines, &h, shift)
		}
		if !ok {
			s.keep(h, by)
			fits = false
			continue
		}
		s.hunk(lines, at, &h, by)
		lines = slices.Concat(lines[:at], h.New, lines[at+len(h.Old):])
		shift += len(h.New) - len(h.Old)
	}
	if len(c.Hunks) == 0 {
		for _, swap := range c.Swaps {
			s.keepSwap(swap, by)
		}
		fits = false
	}
	s.torn = s.torn || !fits
	return fits
}

// swap applies the swaps of an edit if all of them fit.
func (s *state) swap(c *edits.Change, by int32) bool {
	if len(c.Swaps) == 0 {
		return false
	}
	type piece struct {
		start, end int
		text       string
	}
	if c.InSequence {
		was, authors := s.text, s.by
		for _, w := range c.Swaps {
			one := edits.Change{Swaps: []edits.Swap{w}}
			if !s.swap(&one, by) {
				s.text, s.by = was, authors
				return false
			}
		}
		return true
	}
	var pieces []piece
	for _, w := range c.Swaps {
		from, to := normal(w.Old), normal(w.New)
		if from == "" {
			return false
		}
		n := strings.Count(s.text, from)
		if n == 0 || n > 1 && !w.All {
			return false
		}
		for at := 0; ; {
			k := strings.Index(s.text[at:], from)
			if k < 0 {
				break
			}
			pieces = append(pieces, piece{at + k, at + k + len(from), to})
			at += k + len(from)
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int { return a.start - b.start })
	for i := 1; i < len(pieces); i++ {
		if pieces[i].start < pieces[i-1].end {
			return false
		}
	}
	for _, p := range slices.Backward(pieces) {
		s.splice(p.start, p.end, p.text, by)
	}
	return true
}

func (s *state) splice(start, end int, text string, by int32) {
	first := strings.LastIndexByte(s.text[:start], '\n') + 1
	last := len(s.text)
	if end > first && s.text[end-1] == '\n' && (strings.HasSuffix(text, "\n") || text == "" && start == first) {
		last = end
	} else if k := strings.IndexByte(s.text[end:], '\n'); k >= 0 {
		last = end + k + 1
	}
	was := split(s.text[first:last])
	region := s.text[first:start] + text + s.text[end:last]
	lines := split(region)
	at := strings.Count(s.text[:first], "\n")
	now := s.carried(lines, recorded(was, lines), at, by)
	s.by = slices.Concat(s.by[:at], now, s.by[at+len(was):])
	s.text = s.text[:first] + region + s.text[last:]
}

// placeOf finds where a hunk applies: at its line, or at the only place that fits.
func placeOf(lines []string, h *edits.Hunk, shift int) (at int, ok bool) {
	fits := func(at int) bool {
		return at >= 0 && at+len(h.Old) <= len(lines) && slices.Equal(lines[at:at+len(h.Old)], h.Old)
	}
	if len(h.Old) == 0 {
		return 0, len(lines) == 0
	}
	if at = h.Line - 1 + shift; h.Line > 0 && fits(at) {
		return at, true
	}
	for k := range lines {
		if lines[k] != h.Old[0] || !fits(k) {
			continue
		}
		if ok {
			return 0, false
		}
		at, ok = k, true
	}
	return at, ok
}

// hunk applies a hunk at a line.
func (s *state) hunk(lines []string, at int, h *edits.Hunk, by int32) {
	now := s.carried(h.New, recorded(h.Old, h.New), at, by)
	s.by = slices.Concat(s.by[:at], now, s.by[at+len(h.Old):])
	text := strings.Join(slices.Concat(lines[:at], h.New, lines[at+len(h.Old):]), "\n")
	if text != "" && (strings.HasSuffix(s.text, "\n") || s.text == "") {
		text += "\n"
	}
	s.text = text
}

// keep keeps a hunk that did not fit.
func (s *state) keep(h edits.Hunk, by int32) {
	m := recorded(h.Old, h.New)
	s.fragments = append(s.fragments, fragment{lines: h.New, fresh: m.fresh, by: by})
}

// keepSwap keeps a swap that did not fit.
func (s *state) keepSwap(w edits.Swap, by int32) {
	old, now := split(normal(w.Old)), split(normal(w.New))
	if len(now) < 3 {
		return
	}
	m := recorded(old, now)
	m.fresh[0], m.fresh[len(now)-1] = false, false // they may be parts of lines
	s.fragments = append(s.fragments, fragment{now, m.fresh, by, true})
}
