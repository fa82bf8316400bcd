package live

import (
	"context"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// Tree is the session as the tree reads it.
type Tree struct {
	l    *Session
	path func(string) string // shortens the path of a file
}

// Tree returns the current session for the tree. path shortens the path of a file.
func (l *Session) Tree(path func(string) string) *Tree { return &Tree{l, path} }

// turnsAtOnce is the number of turns whose rows are sent at a time.
const turnsAtOnce = 40

// longestCall is the maximum length of a text that is read for a row: the size of a
// change is counted in it.
const longestCall = 64 << 10

// Rows implements [treeview.Source].
func (x *Tree) Rows(ctx context.Context, end, after string) <-chan treeview.Piece {
	out := make(chan treeview.Piece)
	x.l.o.Go(func() {
		defer close(out)
		send := func(p treeview.Piece) bool {
			select {
			case out <- p:
				return true
			case <-ctx.Done():
				return false
			}
		}
		if err := x.rows(ctx, end, after, send); err != nil {
			send(treeview.Piece{Err: err})
		}
	})
	return out
}

func (x *Tree) rows(ctx context.Context, end, after string, send func(treeview.Piece) bool) error {
	r, err := inspect.Open(x.l.Current(), inspect.Scope{Leaf: end})
	if err != nil {
		return err
	}
	forks, err := x.l.Forks(ctx, end)
	if err != nil {
		return err
	}
	first := 0
	if after != "" {
		if first, err = r.Holding(after); err != nil {
			return err
		}
	}
	var rows []treeview.Row
	count := 0
	for i := r.Len() - 1; i >= first; i-- {
		if ctx.Err() != nil {
			return nil
		}
		t, err := r.Turn(i, inspect.Detail{MaxContent: longestCall, Brief: true})
		if err != nil {
			return err
		}
		if i == first && after != "" {
			cutAfter(t, after)
		}
		rows = append(x.rowsOf(t, forks), rows...)
		if count++; count == turnsAtOnce {
			if !send(treeview.Piece{Rows: rows}) {
				return nil
			}
			rows, count = nil, 0
		}
	}
	if root := forks[""]; root != nil && after == "" && len(rows) > 0 {
		rows = append([]treeview.Row{{Kind: blocks.Remark, Text: "start", Fork: root}}, rows...)
	}
	send(treeview.Piece{Rows: rows})
	return nil
}

// cutAfter removes the items up to an entry.
func cutAfter(t *inspect.Turn, after string) {
	last := slices.IndexFunc(t.Items, func(it inspect.Item) bool {
		return string(it.EntryID) == after || it.Tool != nil && it.Tool.Result != nil && string(it.Tool.Result.EntryID) == after
	})
	for last >= 0 && last+1 < len(t.Items) && t.Items[last+1].EntryID == t.Items[last].EntryID {
		last++
	}
	t.Items = t.Items[last+1:]
}

// longestRow is the maximum length of the text of a row, in cells.
const longestRow = 240

// rowsOf returns the rows of a turn. A fork belongs to the row before it.
func (x *Tree) rowsOf(t *inspect.Turn, forks blocks.Forks) (rows []treeview.Row) {
	list := blocks.Of(t, forks)
	for i := range list {
		b := &list[i]
		it := b.Item
		row := treeview.Row{Kind: b.Kind, Failed: b.Failed()}
		if it != nil {
			row.Entry, row.Last, row.Label = string(it.EntryID), b.Entry(), string(it.Label)
			if row.Label == "" && it.Tool != nil && it.Tool.Result != nil {
				row.Label = string(it.Tool.Result.Label)
			}
			if !it.Time.IsZero() {
				row.Clock = it.Time.Local().Format("15:04")
			}
			row.Text = oneLine(string(it.Text))
		}
		switch b.Kind {
		case blocks.Model, blocks.Run, blocks.Thinking:
			continue
		case blocks.Branches:
			if n := len(rows); n > 0 {
				rows[n-1].Fork = b.Branch
				continue
			}
			row.Kind, row.Text, row.Fork = blocks.Remark, "branches", b.Branch
		case blocks.Call:
			added, removed := blocks.Changed(it)
			row.Tool, row.Text, row.Right, row.Edit = string(it.Name), blocks.Head(it, x.path), blocks.Outcome(it), added+removed > 0
		case blocks.Summary:
			row.Text = "summary: " + row.Text
			if it.Kind == inspect.Compaction {
				row.Text = "compacted " + humanize.Short(it.TokensBefore) + " tokens: " + strings.TrimPrefix(row.Text, "summary: ")
			}
		case blocks.Shell:
			if it.Bash != nil {
				row.Text = "$ " + oneLine(string(it.Bash.Command))
			}
		case blocks.Failure:
			row.Text = "✗ response stopped: " + strings.TrimSpace(string(it.Name)+" "+row.Text)
		case blocks.Custom, blocks.Remark:
			row.Text = strings.TrimSpace("[" + string(it.Name) + "] " + row.Text)
		case blocks.Prompt, blocks.Text:
			if it.Image != nil && row.Text == "" {
				row.Text = it.Image.String()
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func oneLine(text string) string {
	return termsafe.Fit(strings.Join(strings.Fields(text[:min(len(text), 4*longestRow)]), " "), longestRow)
}

// Find implements [treeview.Source]. A call is found by its result too.
func (x *Tree) Find(ctx context.Context, words []string) (map[string]bool, error) {
	found := map[string]bool{}
	v := x.l.Current().View()
	lines := entryline.NewDescriber(func(path string) string { return path })
	for line, err := range v.Reader().Lines() {
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e, err := format.DecodeEntry(line.Raw)
		if err != nil {
			continue
		}
		text := strings.ToLower(lines.Describe(e).String() + " " + entryline.Copy(e) + " " + v.Label(line.ID))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			found[line.ID] = true
		}
	}
	return found, nil
}

// entry decodes an entry.
func (x *Tree) entry(id string) (format.Entry, error) {
	v := x.l.Current().View()
	pos, err := v.Find(id)
	if err != nil {
		return nil, err
	}
	return v.Entry(pos)
}

// Text implements [treeview.Source].
func (x *Tree) Text(_ context.Context, id string) (string, error) {
	e, err := x.entry(id)
	if err != nil {
		return "", err
	}
	return entryline.Copy(e), nil
}

// longestPreview is the maximum length of a text next to the tree.
const longestPreview = 8 << 10

// Preview implements [treeview.Source]: a prompt with the facts and the last response of
// its turn, anything else in full.
func (x *Tree) Preview(_ context.Context, row treeview.Row, with blocks.Renderer) ([]string, error) {
	s := x.l.Current()
	r, i, err := Holding(s, row.Last)
	if err != nil || i < 0 {
		return nil, err
	}
	t, err := r.Turn(i, inspect.Detail{MaxContent: longestPreview})
	if err != nil {
		return nil, err
	}
	return PreviewOf(t, row.Last, with), nil
}

// Holding returns the turns of the path that holds an entry, also on an abandoned branch,
// and the index of the turn; those to the leaf and the last turn if id is empty.
func Holding(s *pith.Session, id string) (*inspect.Reading, int, error) {
	r, err := inspect.Open(s, inspect.Scope{})
	if err != nil {
		return nil, 0, err
	}
	if id == "" {
		return r, r.Len() - 1, nil
	}
	if i, err := r.Holding(id); err == nil {
		return r, i, nil
	}
	if r, err = inspect.Open(s, inspect.Scope{Leaf: id}); err != nil {
		return nil, 0, err
	}
	return r, r.Len() - 1, nil
}

// PreviewOf draws an entry of a turn: a prompt with the facts and the last response of
// its turn, anything else in full.
func PreviewOf(t *inspect.Turn, entry string, with blocks.Renderer) (lines []string) {
	list := blocks.Of(t, nil)
	var tally blocks.Tally
	dim := func(text string) string { return with.Theme.Line(with.Width, paint.Faint(text)) }
	for i := range list {
		b := &list[i]
		if b.Kind == blocks.Call {
			tally.Add(b.Item)
		}
		if b.Kind == blocks.Prompt || b.Kind == blocks.Run || b.Kind == blocks.Model || !b.Holds(entry) {
			continue
		}
		if !b.Item.Time.IsZero() {
			lines = append(lines, dim(b.Item.Time.Local().Format("Jan 2, 15:04")), "")
		}
		return append(lines, with.Draw(b, true)...)
	}
	if t.Time.Time.IsZero() {
		lines = append(lines, dim("prompt"), "")
	} else {
		lines = append(lines, dim("prompt · "+t.Time.Local().Format("Jan 2, 15:04")), "")
	}
	for i := range list {
		if b := &list[i]; b.Kind == blocks.Prompt || b.Kind == blocks.Model {
			lines = append(lines, with.Draw(b, false)...)
			lines = append(lines, "")
		}
	}
	if n := len(lines); n > 0 && tally.Calls > 0 {
		lines[n-1] = with.Theme.Line(with.Width, append([]paint.Span{{Tone: paint.Dim, Text: facts.Join(humanize.Count(tally.Calls, "call"), "")}}, spaced(tally.Spans())...)...)
		lines = append(lines, "")
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Kind == blocks.Text {
			return append(lines, with.Draw(&list[i], false)...)
		}
	}
	return lines
}

func spaced(spans []paint.Span) []paint.Span {
	if len(spans) == 0 {
		return nil
	}
	return append([]paint.Span{{Tone: paint.Dim, Text: " · "}}, spans...)
}
