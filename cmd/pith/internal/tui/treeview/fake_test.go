package treeview_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
	"github.com/pith-sessions/pith/format"
)

// desk is the screen over a tree in memory, driven without a program.
type desk struct {
	t     testing.TB
	m     *treeview.Model
	nodes []*pith.Node
	said  []string // by position
	told  []tea.Msg
	reads int // entries that were asked for by their rows
}

// tree builds a session. Each line is an entry: its indentation by two spaces is
// its depth, "•" marks the active path, "[x]" a label; the rest is what it says.
func tree(text string) (roots []*pith.Node, nodes []*pith.Node, said []string) {
	var path []*pith.Node
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		body := strings.TrimLeft(line, " ")
		depth := (len(line) - len(body)) / 2
		n := &pith.Node{ID: fmt.Sprintf("e%02d", len(nodes)), Pos: len(nodes), Type: format.TypeMessage, Depth: depth}
		if rest, on := strings.CutPrefix(body, "• "); on {
			n.OnPath, body = true, rest
		}
		if strings.HasPrefix(body, "[") && !strings.HasPrefix(body, "[tool") && !strings.HasPrefix(body, "[model") {
			label, rest, _ := strings.Cut(body[1:], "] ")
			n.Label, n.LabelTime, body = label, "2026-02-03T09:05:00.000Z", rest
		}
		switch role, _, _ := strings.Cut(body, ":"); role {
		case "user", "assistant":
			n.Role = format.Role(role)
		case "[tool":
			n.Role = format.RoleToolResult
		case "[model":
			n.Type = format.TypeModelChange
		}
		nodes, said = append(nodes, n), append(said, body)
		if depth == 0 {
			roots = append(roots, n)
		} else {
			path[depth-1].Children = append(path[depth-1].Children, n)
		}
		path = append(path[:depth], n)
	}
	return roots, nodes, said
}

// A fakeTree is a treeview.Tree of nodes.
type fakeTree struct {
	nodes  []*pith.Node // by position
	chains []outline.Chain
	leaf   int
}

// plant returns the tree of nodes. Where there are several, those on the active
// path come first.
func plant(roots, nodes []*pith.Node) *fakeTree {
	f := &fakeTree{nodes: nodes, leaf: -1}
	type step struct {
		node  *pith.Node
		above int
	}
	var todo []step
	push := func(siblings []*pith.Node, above int) {
		for _, onPath := range []bool{false, true} {
			for _, n := range slices.Backward(siblings) {
				if n.OnPath == onPath {
					todo = append(todo, step{n, above})
				}
			}
		}
	}
	push(roots, -1)
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.node.OnPath {
			f.leaf = s.node.Pos
		}
		f.chains = append(f.chains, outline.Chain{Pos: int32(s.node.Pos), Len: 1, Parent: int32(s.above)})
		push(s.node.Children, len(f.chains)-1)
	}
	return f
}

func (f *fakeTree) DepthFirst() []outline.Chain { return f.chains }
func (f *fakeTree) Len() int                    { return len(f.nodes) }
func (f *fakeTree) Leaf() int                   { return f.leaf }

func (f *fakeTree) At(pos int) pith.Envelope {
	n := f.nodes[pos]
	return pith.Envelope{Pos: pos, ID: n.ID, Type: n.Type, Role: n.Role, Label: n.Label, LabelTime: n.LabelTime}
}

func (f *fakeTree) Kind(pos int) (format.Type, format.Role) {
	return f.nodes[pos].Type, f.nodes[pos].Role
}

func (d *desk) note(pos int) treeview.Note {
	head, text, ok := strings.Cut(d.said[pos], ": ")
	if !ok {
		return treeview.Note{Text: d.said[pos], TextTone: paint.Muted, Search: d.said[pos]}
	}
	return treeview.Note{Head: head + ": ", HeadTone: paint.Accent, Text: text, Search: strings.ToLower(d.said[pos]), Silent: text == "(silent)"}
}

func (d *desk) Notes(_ context.Context, entries []*treeview.Entry) ([]treeview.Note, error) {
	d.reads += len(entries)
	var out []treeview.Note
	for _, e := range entries {
		out = append(out, d.note(e.Pos))
	}
	return out, nil
}

func (d *desk) AllNotes(_ context.Context, first int) <-chan treeview.Piece {
	out := make(chan treeview.Piece, 1)
	p := treeview.Piece{}
	for i := range d.said {
		n := d.note(i)
		if i >= first {
			n = treeview.Note{Search: n.Search, Silent: n.Silent}
		}
		p.Notes = append(p.Notes, n)
	}
	out <- p
	close(out)
	return out
}

func (d *desk) Text(_ context.Context, n *treeview.Entry) (string, error) {
	_, text, _ := strings.Cut(d.said[n.Pos], ": ")
	return text, nil
}

func (d *desk) Preview(_ context.Context, n *treeview.Entry, _ int) ([][]paint.Span, error) {
	return [][]paint.Span{{{Text: "in full: " + d.said[n.Pos]}}}, nil
}

func start(t testing.TB, text string, width, height int, change func(*treeview.Options)) *desk {
	d := &desk{t: t}
	roots, nodes, said := tree(text)
	d.nodes, d.said = nodes, said
	d.open(roots, width, height, change)
	return d
}

func (d *desk) open(roots []*pith.Node, width, height int, change func(*treeview.Options)) {
	o := treeview.Options{Keys: keys.Default(), Tree: plant(roots, d.nodes), Now: func() time.Time { return time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC) }}
	for _, n := range d.nodes {
		if n.OnPath {
			o.LeafID = n.ID // the last one on the path
		}
	}
	if change != nil {
		change(&o)
	}
	d.m = treeview.New(d, o)
	d.run(d.m.Update(tea.WindowSizeMsg{Width: width, Height: height}))
	d.run(d.m.Init())
}

// run runs a command and what follows from it, in order.
func (d *desk) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if msg, ok := screentest.Answer(d.t, cmd, 60*time.Millisecond); ok {
		d.take(msg)
	}
}

func (d *desk) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil:
	case treeview.Navigate, treeview.Closed, treeview.AlreadyThere, treeview.SetLabel, treeview.Fork, treeview.Clone, treeview.Export, treeview.Compare:
		d.told = append(d.told, msg)
	default:
		if list, ok := screentest.Commands(msg); ok {
			for _, c := range list {
				d.run(c)
			}
			return
		}
		d.run(d.m.Update(msg))
	}
}

func (d *desk) press(names string) {
	for _, name := range strings.Fields(names) {
		d.run(d.m.Update(screentest.Key(name)))
	}
}

// rows are the lines of the tree and the status line.
func (d *desk) rows(width, height int) string {
	view := paint.Bare(d.m.View(paint.New(true, false), width, height))
	before, body, ok := strings.Cut(view, "/ to search")
	if !ok {
		_, body, _ = strings.Cut(before, "Search: ")
	}
	_, body, _ = strings.Cut(body, "─\n\n")
	out := ""
	for line := range strings.SplitSeq(body, "\n") {
		line = strings.TrimRight(line, " ")
		if line != "" && !strings.HasPrefix(line, "──") {
			out += line + "\n"
		}
	}
	return out
}

func (d *desk) want(want string) {
	d.t.Helper()
	if got := d.rows(100, 40); got != strings.TrimLeft(want, "\n") {
		d.t.Errorf("rows:\n%s\nwant:%s", got, want)
	}
}

func labeled(o *treeview.Options) { o.Filter = outline.LabeledOnly }
