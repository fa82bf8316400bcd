package picker_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
)

// fed is a picker whose lists come from channels.
type fed struct {
	*desk
	lists map[picker.Scope]chan picker.Batch
}

func (f *fed) Load(_ context.Context, scope picker.Scope) <-chan picker.Batch { return f.lists[scope] }

func feed(t *testing.T) *fed {
	f := &fed{&desk{t: t}, map[picker.Scope]chan picker.Batch{picker.Current: make(chan picker.Batch, 9), picker.All: make(chan picker.Batch, 9)}}
	f.m = picker.New(f, picker.Options{Keys: keys.Default(), Home: "/home/ann", Pause: -1, Now: func() time.Time { return noon },
		Ask: func(b *dialog.Box) { f.boxes = append(f.boxes, b) }})
	f.m.Update(tea.WindowSizeMsg{Width: 80, Height: 30})
	return f
}

// The sessions known early are shown until the list is read, which corrects
// them. The selection stays, and so does what was done meanwhile.
func TestEarlySessions(t *testing.T) {
	f := feed(t)
	next := f.m.Init()
	send := func(b picker.Batch) { // without a preview, the only command is to wait for the next batch
		f.lists[picker.Current] <- b
		next = f.m.Update(next())
	}
	send(picker.Batch{Early: true, Items: []picker.Item{item("one", 1, 1), item("two", 2, 1), item("gone", 3, 1), item("four", 4, 1), item("five", 5, 1)}})
	f.wantRows("› one", "  two", "  gone", "  four", "  five")
	f.press("down ctrl+d y") // deletes two
	f.wantRows("  one", "› gone", "  four", "  five")
	f.press("down down")
	f.press("space m p")
	f.wantRows("› five", "  one", "  gone", "  four")
	grown := item("one", 1, 9)
	grown.Name = "named meanwhile"
	send(picker.Batch{Items: []picker.Item{item("new", 0, 1), grown, item("two", 2, 1)}, Done: 3, Total: 5})
	f.wantRows("› five", "  new", "  named meanwhile", "  gone", "  four")
	send(picker.Batch{Items: []picker.Item{item("four", 4, 1), item("five", 5, 1)}, Done: 5, Total: 5})
	close(f.lists[picker.Current])
	f.m.Update(next())
	f.wantRows("› five", "  new", "  named meanwhile", "  four")
	if !slices.Equal(f.deleted, []string{item("two", 2, 1).Path}) {
		t.Errorf("deleted %v", f.deleted)
	}
}

// All sessions are shown at once if the project probably has none, and those of
// the project if it has some after all.
func TestProbablyNoSessions(t *testing.T) {
	f := feed(t)
	elsewhere, here := item("elsewhere", 1, 1), item("here", 2, 1)
	f.lists[picker.Current] <- picker.Batch{Early: true}
	f.lists[picker.All] <- picker.Batch{Early: true, Items: []picker.Item{elsewhere}}
	both := f.m.Update(f.m.Init()())().(tea.BatchMsg)
	f.m.Update(both[1]())
	if got := f.rows(); len(got) != 1 || !strings.HasPrefix(got[0], "› elsewhere") {
		t.Errorf("rows: %q", got)
	}
	f.lists[picker.Current] <- picker.Batch{Items: []picker.Item{here}, Done: 1, Total: 1}
	close(f.lists[picker.Current])
	f.run(both[0])
	f.wantRows("› here")
}
