package picker_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

// item is a session of that name that was used some hours before noon.
func item(name string, hours int, messages int) picker.Item {
	return picker.Item{Info: catalog.Info{
		Path: "/home/ann/.pi/agent/sessions/p/" + name + ".jsonl", ID: "0199-" + name, Cwd: "/home/ann/proj", FirstMessage: name,
		Modified: noon.Add(-time.Duration(hours) * time.Hour), MessageCount: messages, Root: catalog.RootPi,
	}}
}

// desk is a picker over sessions in memory, driven without a program: commands
// run immediately, timers when the test requests it.
type desk struct {
	t       *testing.T
	m       *picker.Model
	items   map[picker.Scope][]picker.Item
	deleted []string
	renamed map[string]string
	fail    error
	looked  []string // sessions whose texts were searched
	marked  map[string]marks.Marks
	bodies  map[string]string
	told    []tea.Msg
	said    []string
	undos   []func(context.Context) (string, error)
	boxes   []*dialog.Box
}

func (d *desk) Load(_ context.Context, scope picker.Scope) <-chan picker.Batch {
	out := make(chan picker.Batch, len(d.items[scope])+1)
	if d.fail != nil {
		out <- picker.Batch{Err: d.fail}
	}
	size := max(1, len(d.items[scope])/100)
	done := 0
	for batch := range slices.Chunk(d.items[scope], size) {
		done += len(batch)
		kept := slices.DeleteFunc(slices.Clone(batch), func(it picker.Item) bool { return slices.Contains(d.deleted, it.Path) })
		out <- picker.Batch{Items: kept, Done: done, Total: len(d.items[scope])}
	}
	close(out)
	return out
}

func (d *desk) Delete(it *picker.Item) (func() error, error) {
	if d.fail != nil {
		return nil, d.fail
	}
	d.deleted = append(d.deleted, it.Path)
	return func() error {
		d.deleted = slices.DeleteFunc(d.deleted, func(p string) bool { return p == it.Path })
		return nil
	}, nil
}

func (d *desk) Rename(it *picker.Item, name string) error {
	if d.renamed == nil {
		d.renamed = map[string]string{}
	}
	d.renamed[it.Path] = name
	return d.fail
}

func (d *desk) Preview(_ context.Context, at picker.Spot, with blocks.Renderer) ([]string, error) {
	if at.EntryID != "" {
		return with.Wrapped(paint.Plain, "found at "+at.EntryID+": "+d.bodies[at.Item.Path]), nil
	}
	return with.Wrapped(paint.Plain, "last words of "+at.Item.Path[strings.LastIndexByte(at.Item.Path, '/')+1:]), nil
}

func (d *desk) Mark(it *picker.Item, p ops.MarkParams) (marks.Marks, error) {
	m := it.Marks
	if p.Pinned != nil {
		m.Pinned = *p.Pinned
	}
	if p.Archived != nil {
		m.Archived = *p.Archived
	}
	if p.Tags != nil {
		m.Tags = *p.Tags
	}
	if d.marked == nil {
		d.marked = map[string]marks.Marks{}
	}
	d.marked[it.ID] = m
	return m, nil
}

func (d *desk) Search(_ context.Context, _ picker.Scope, s ops.SeekParams) <-chan picker.Findings {
	out := make(chan picker.Findings, len(s.In)+1)
	defer close(out)
	if d.fail != nil {
		out <- picker.Findings{Err: d.fail}
		return out
	}
	for i, c := range s.In {
		d.looked = append(d.looked, c.Path)
		f := picker.Findings{Done: i + 1}
		body, fits := d.bodies[c.Path]
		for k, term := range s.Terms {
			fits = fits && (c.Known&(1<<k) != 0 || term.MatchString(body))
		}
		if fits {
			f.Hits = []picker.Hit{{Path: c.Path, EntryID: "e1", Who: "you", Snippet: body}}
		}
		out <- f
	}
	return out
}

func start(t *testing.T, o picker.Options, width, height int, items ...picker.Item) *desk {
	t.Helper()
	d := &desk{t: t, items: map[picker.Scope][]picker.Item{picker.Current: items, picker.All: items}}
	d.open(o, width, height)
	return d
}

func (d *desk) open(o picker.Options, width, height int) {
	if o.Keys == nil {
		o.Keys = keys.Default()
	}
	o.Home, o.Pause, o.Project = "/home/ann", -1, "proj"
	o.Ask = func(b *dialog.Box) { d.boxes = append(d.boxes, b) }
	o.Now = func() time.Time { return noon }
	d.m = picker.New(d, o)
	d.show(width, height)
}

func (d *desk) show(width, height int) {
	d.run(d.m.Update(tea.WindowSizeMsg{Width: width, Height: height}))
	d.run(d.m.Init())
}

// run runs a command and all that follows from it. Timers are left out, which all
// are about what goes away by itself.
func (d *desk) run(cmd tea.Cmd) {
	todo := []tea.Cmd{cmd}
	for len(todo) > 0 {
		c := todo[0]
		todo = todo[1:]
		if c == nil {
			continue
		}
		msg, ok := screentest.Answer(d.t, c, 250*time.Millisecond)
		if !ok {
			continue
		}
		switch msg := msg.(type) {
		case tea.BatchMsg:
			todo = append(todo, msg...)
		case picker.Open, picker.Closed, picker.Wish, picker.Picked:
			d.told = append(d.told, msg)
		case transient.News:
			d.said = append(d.said, msg.Text)
			if msg.Undo != nil {
				d.undos = append(d.undos, msg.Undo)
			}
		default:
			todo = append(todo, d.m.Update(msg))
		}
	}
}

// press presses keys, named and separated by spaces. ctrl+z undoes, as in the app.
func (d *desk) press(names string) {
	d.t.Helper()
	for _, name := range strings.Fields(names) {
		switch n := len(d.boxes); {
		case n > 0:
			cmd, open := d.boxes[n-1].Press(screentest.Key(name))
			if !open {
				d.boxes = slices.Delete(d.boxes, n-1, n)
			}
			d.run(cmd)
		case name == "ctrl+z" && len(d.undos) > 0:
			last := len(d.undos) - 1
			if _, err := d.undos[last](d.t.Context()); err != nil {
				d.t.Error(err)
			}
			d.undos = d.undos[:last]
			d.run(d.m.Reload())
		default:
			d.run(d.m.Update(screentest.Key(name)))
		}
	}
}

// lines are the lines of the screen.
func (d *desk) lines(width, height int) []string {
	theme := paint.New(true, paint.Monochrome)
	return theme.Frame(d.m.Frame(theme, width, height), width, height)
}

func (d *desk) screen(width int) string { return paint.Bare(strings.Join(d.lines(width, 30), "\n")) }

// plain is a row without its cost and age: its cursor and its text.
var plain = regexp.MustCompile(`^(..)[πCXGOA] (.*?) *$`)

// rows are the rows of the list, and below them what was found; without headings.
func (d *desk) rows() []string {
	var out []string
	lines := d.lines(80, 30)
	for _, line := range lines[2 : len(lines)-2] {
		line = paint.Bare(line)
		text := []rune(line)
		switch at := plain.FindStringSubmatch(string(text[:max(0, len(text)-13)])); {
		case at != nil:
			out = append(out, at[1]+at[2])
		case strings.HasPrefix(line, "      "):
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
	}
	return out
}

func (d *desk) wantRows(want ...string) {
	d.t.Helper()
	if got := d.rows(); !slices.Equal(got, want) {
		d.t.Errorf("rows:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var errDisk = errors.New("disk on fire")

func many(n int) []picker.Item {
	out := make([]picker.Item, n)
	for i := range out {
		out[i] = item(fmt.Sprintf("session %d about the parser", i), i, i%90)
		if i%7 == 3 {
			out[i].ParentSession = out[i-1].Path
		}
	}
	return out
}
