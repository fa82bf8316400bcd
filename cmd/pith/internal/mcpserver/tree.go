package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// tree implements the tool tree: user messages and summaries, indented by
// branch.
func (s *server) tree(ctx context.Context, r *opened) error {
	rows := outline.New(r.view.DepthFirst(), r.view.Leaf()).Rows(func(pos int) bool {
		kind, role := r.view.Kind(pos)
		return role == format.RoleUser || kind == format.TypeBranchSummary || kind == format.TypeCompaction || r.view.At(pos).Label != ""
	}, nil)
	offset, err := r.offset()
	if err != nil {
		return err
	}
	r.Entry = ""
	r.about(fmt.Sprintf(", %s; * marks the current branch, - abandoned ones", humanize.Count(r.Info.Branches, "branch")))
	why := r.summaries()
	r.list(offset, max(0, rows.Len()-offset), false, func(i int, _ int64) string {
		if ctx.Err() != nil {
			return ""
		}
		return s.treeRow(r, rows.At(offset+i), why)
	})
	return ctx.Err()
}

// summaries returns the summaries of abandoned branches, by the position of
// each entry on them.
func (r *opened) summaries() map[int]string {
	out := map[int]string{}
	for i := range r.view.Len() {
		if r.view.At(i).Type != format.TypeBranchSummary {
			continue
		}
		entry, err := r.view.Entry(i)
		summary, ok := entry.(*format.BranchSummary)
		if err != nil || !ok || summary.LeftAt() == "" {
			continue
		}
		path, err := r.view.Path(summary.LeftAt())
		if err != nil {
			continue
		}
		for _, pos := range path {
			if !r.active[pos] && out[pos] == "" {
				out[pos] = summary.Summary
			}
		}
	}
	return out
}

func (s *server) treeRow(r *opened, row outline.Row, why map[int]string) string {
	pos := row.Pos
	id := r.view.At(pos).ID
	mark := "-"
	if row.OnPath {
		mark = "*"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s %s", strings.Repeat(" ", min(row.Level, 20)), mark, s.guard.ID(id))
	entry, err := r.view.Entry(pos)
	switch e := entry.(type) {
	case *format.BranchSummary:
		b.WriteString(" summary of an abandoned branch")
		if at := e.LeftAt(); at != "" {
			b.WriteString(" that ended at " + s.guard.Line(at, 60))
		}
		fmt.Fprintf(&b, ": %s", s.guard.Line(e.Summary, 200))
	case *format.Compaction:
		b.WriteString(" compaction")
	case *format.MessageEntry:
		fmt.Fprintf(&b, " %s", s.guard.Line(firstText(inspect.Items(e)), 120))
	default:
		if err != nil {
			b.WriteString(" unreadable")
		}
	}
	if label := r.view.At(pos).Label; label != "" {
		fmt.Fprintf(&b, ", label %s", s.guard.Line(label, 60))
	}
	if summary := why[pos]; summary != "" && row.Branch && !row.OnPath {
		fmt.Fprintf(&b, "; abandoned, summary: %s", s.guard.Line(summary, 200))
	}
	return b.String() + "\n"
}

func firstText(items []inspect.Item) string {
	for i := range items {
		if items[i].Text != "" {
			return string(items[i].Text)
		}
		if items[i].Image != nil {
			return "[" + items[i].Image.String() + "]"
		}
	}
	return ""
}

// context implements the tool context: the messages that the model saw.
func (s *server) context(ctx context.Context, r *opened) error {
	offset, err := r.offset()
	if err != nil {
		return err
	}
	seen, err := r.view.Context(r.Entry)
	if err != nil {
		return err
	}
	model := ""
	if seen.Model != nil {
		model = ", model " + s.guard.Line(format.ModelName(seen.Model.Provider, seen.Model.ModelID), 80)
	}
	r.about(fmt.Sprintf(", context of the model: at most %s%s", humanize.Count(seen.Entries, "message"), model))
	most, n := maxText(r.budget), 0
	var failed error
	rest := r.fill(func(yield func(string, string) bool) {
		for m, err := range seen.Messages() {
			if failed = cmp.Or(err, ctx.Err()); failed != nil {
				return
			}
			if n++; n > offset && !yield(fmt.Sprint(n-1), s.contextMessage(m, most)) {
				return
			}
		}
	})
	if rest != "" {
		r.next(rest, "the context continues")
	}
	return failed
}

func (s *server) contextMessage(m pith.ContextMessage, most int) string {
	message, err := format.DecodeMessage(m.Raw)
	if err != nil {
		return s.guard.ID(m.EntryID) + " unreadable\n"
	}
	var b strings.Builder
	list := s.pieces(inspect.Items(&format.MessageEntry{Base: format.Base{ID: m.EntryID}, Message: message}))
	for i := range list {
		list[i].entry = m.EntryID
		b.WriteString(s.pieceText(&list[i], most))
	}
	return b.String()
}
