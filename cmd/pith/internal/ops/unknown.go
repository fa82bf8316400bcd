package ops

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources/all"
)

// UnknownNote says that a session of another agent has records of a kind that
// pith does not know, and names some of the kinds; "" if it has none.
func UnknownNote(s *pith.Session) string {
	h := s.Header()
	if h == nil || h.Source == "" {
		return ""
	}
	const most = 3
	var kinds []string
	v := s.View()
	for i := 0; i < v.Len() && len(kinds) < most; i++ {
		if kind, _ := v.Kind(i); kind != "" {
			continue
		}
		line, err := v.Line(i)
		if err != nil || jsonl.LookupString(line.Raw, "type") != string(format.TypeForeignRecord) {
			continue
		}
		kind := jsonl.LookupString(line.Raw, "kind")
		kind = strconv.QuoteToASCII(kind[:min(len(kind), 40)]) // it is text of a file, which may be anything
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return ""
	}
	title := h.Source
	if p, ok := all.Find(h.Source); ok {
		title = p.Title()
	}
	return "unknown " + title + " records are not shown: " + strings.Join(kinds, ", ") + "; a newer pith may know them"
}
