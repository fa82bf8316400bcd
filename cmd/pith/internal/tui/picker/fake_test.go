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
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
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
	bodies  map[string]string
	told    []tea.Msg
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

func (d *desk) Delete(path string) (string, func() error, error) {
	if d.fail != nil {
		return "", nil, d.fail
	}
	d.deleted = append(d.deleted, path)
	return "moved to the trash", func() error {
		d.deleted = slices.DeleteFunc(d.deleted, func(p string) bool { return p == path })
		return nil
	}, nil
}

func (d *desk) Rename(path, name string) error {
	if d.renamed == nil {
		d.renamed = map[string]string{}
	}
	d.renamed[path] = name
	return d.fail
}

func (d *desk) Preview(_ context.Context, at picker.Spot, _ int) ([][]paint.Span, error) {
	if at.EntryID != "" {
		return [][]paint.Span{{{Text: "found at " + at.EntryID + ": " + d.bodies[at.Path]}}}, nil
	}
	return [][]paint.Span{{{Tone: paint.User, Text: "last words of " + at.Path[strings.LastIndexByte(at.Path, '/')+1:]}}}, nil
}

func (d *desk) Search(_ context.Context, s picker.Search) <-chan picker.Findings {
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
			f.Hits = []picker.Hit{{Path: c.Path, EntryID: "e1", Snippet: body}}
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
	o.Home, o.Pause = "/home/ann", -1
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
		case picker.Open, picker.Closed, picker.HandOver, picker.Picked:
			d.told = append(d.told, msg)
		default:
			todo = append(todo, d.m.Update(msg))
		}
	}
}

// press presses keys, named and separated by spaces.
func (d *desk) press(names string) {
	d.t.Helper()
	for _, name := range strings.Fields(names) {
		d.run(d.m.Update(screentest.Key(name)))
	}
}

// rightPart is the count of messages and the age at the end of a row.
var rightPart = regexp.MustCompile(` +(~\S* )? *\d+ +(\d+(m|h|d|w|mo|y)|now) *$`)

// rows are the lines of the list, without what is on their right.
func (d *desk) rows() []string {
	var out []string
	lines := strings.Split(d.m.View(paint.New(true, false), 80, 30), "\n")
	for _, line := range lines[6:] {
		plain := paint.Bare(line)
		if strings.TrimSpace(plain) == "" || strings.HasPrefix(plain, "─") {
			break
		}
		out = append(out, rightPart.ReplaceAllString(plain, ""))
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
