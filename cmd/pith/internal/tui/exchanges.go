package tui

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/inspect"
)

// exchanges is a session as the page reads it.
type exchanges struct {
	mu      sync.Mutex // a reading is for one goroutine at a time
	reading *inspect.Reading
}

// longestText is how much of one text is read for the screen.
const longestText = 256 << 10

func newExchanges(s *pith.Session) (*exchanges, error) {
	r, err := inspect.Open(s, inspect.Scope{})
	if err != nil {
		return nil, err
	}
	return &exchanges{reading: r}, nil
}

func (x *exchanges) len() int { return x.reading.Len() }

// at is the place of an entry; nil when the path does not hold it.
func (x *exchanges) at(id string) *conversation.Place {
	if id == "" {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	i, err := x.reading.Holding(id)
	if err != nil {
		return nil
	}
	return &conversation.Place{Exchange: i, EntryID: id}
}

// Exchange implements [conversation.Source].
func (x *exchanges) Exchange(_ context.Context, i int) (*inspect.Exchange, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.reading.Exchange(i, inspect.Detail{MaxContent: longestText})
}

// Find implements [conversation.Source].
func (x *exchanges) Find(ctx context.Context, search string) ([]conversation.Place, error) {
	x.mu.Lock()
	another := x.reading.Another()
	x.mu.Unlock()
	found, err := another.Choose(ctx, inspect.Choice{Search: search})
	if err != nil {
		return nil, err
	}
	places := make([]conversation.Place, len(found.Indexes))
	for i, at := range found.Indexes {
		places[i] = conversation.Place{Exchange: at}
	}
	return places, nil
}

// refreshed is the session after something was written to it.
type refreshed struct {
	open   *opened
	source *exchanges
	// anew means that another path is shown now.
	anew bool
	err  error
}

// refresh reads where the session stands now, beside the screen.
func (a *App) refresh(anew bool) tea.Cmd {
	o := a.open
	if o == nil {
		return nil
	}
	return func() tea.Msg {
		source, err := newExchanges(o.session())
		return refreshed{o, source, anew, err}
	}
}

func (a *App) takeRefreshed(msg refreshed) tea.Cmd {
	if msg.open != a.open || a.page == nil {
		return nil
	}
	if msg.err != nil {
		return a.sayError(msg.err)
	}
	a.open.source = msg.source
	if msg.anew {
		return a.page.Restart(msg.source, msg.source.len())
	}
	return a.page.SetSource(msg.source, msg.source.len())
}
