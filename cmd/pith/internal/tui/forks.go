package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/format"
)

// A forkList is the messages of the user, of which one is chosen to fork at.
type forkList struct {
	messages []forkMessage
	at       int
}

type forkMessage struct{ id, text string }

type forksReady struct {
	open     *opened
	messages []forkMessage
	err      error
}

// showForks reads the messages of the user, on all branches, in file order.
func (a *App) showForks() tea.Cmd {
	o := a.open
	return func() tea.Msg {
		var list []forkMessage
		for line, err := range o.session().Lines() {
			if err != nil {
				return forksReady{o, nil, err}
			}
			if line.Role != format.RoleUser {
				continue
			}
			if e, err := format.DecodeEntry(line.Raw); err == nil {
				if text := entryline.Copy(e); strings.TrimSpace(text) != "" {
					list = append(list, forkMessage{line.ID, termsafe.Fit(strings.TrimSpace(text), 400)})
				}
			}
		}
		return forksReady{o, list, nil}
	}
}

func (a *App) takeForks(msg forksReady) tea.Cmd {
	switch {
	case msg.open != a.open:
		return nil
	case msg.err != nil:
		return a.sayError(msg.err)
	case len(msg.messages) == 0:
		return a.say(paint.Muted, "no messages to fork from")
	}
	a.fork = &forkList{msg.messages, len(msg.messages) - 1}
	return nil
}

func (a *App) pressFork(p tea.KeyPressMsg) tea.Cmd {
	f, n := a.fork, len(a.fork.messages)
	switch {
	case a.is(p, keys.SelectUp) || p.Text == "k":
		f.at = (f.at + n - 1) % n
	case a.is(p, keys.SelectDown) || p.Text == "j":
		f.at = (f.at + 1) % n
	case a.is(p, keys.SelectPageUp):
		f.at = max(0, f.at-10)
	case a.is(p, keys.SelectPageDown):
		f.at = min(n-1, f.at+10)
	case a.is(p, keys.SelectCancel):
		a.fork = nil
	case a.is(p, keys.SelectConfirm):
		id := f.messages[f.at].id
		a.fork = nil
		return a.forkAt(id)
	}
	return nil
}

func (f *forkList) view(t *paint.Theme, k *keys.Map, width, height int) string {
	lines := []string{
		t.Rule(width),
		t.Line(width, paint.Span{Tone: paint.Strong, Text: "Fork from Message"}),
		t.Line(width, paint.Span{Tone: paint.Muted, Text: "Select a message to create a new session that ends before it"}),
		t.Rule(width), "",
	}
	room := max(1, (height-len(lines)-2)/3)
	top := max(0, min(f.at-room/2, len(f.messages)-room))
	for i := top; i < min(len(f.messages), top+room); i++ {
		place := t.Line(width, paint.Span{Tone: paint.Muted, Text: fmt.Sprintf("  Message %d of %d", i+1, len(f.messages))})
		if i == f.at {
			lines = append(lines, t.Selected(width, paint.Span{Tone: paint.Accent, Text: "› "}, paint.Span{Tone: paint.Strong, Text: f.messages[i].text}), place, "")
			continue
		}
		lines = append(lines, t.Line(width, paint.Span{Text: "  " + f.messages[i].text}), place, "")
	}
	for len(lines) < height-1 {
		lines = append(lines, "")
	}
	hint := k.Label(keys.SelectUp) + "/" + k.Label(keys.SelectDown) + " move · " + k.Label(keys.SelectConfirm) + " fork · " + k.Label(keys.SelectCancel) + " cancel"
	return paint.Block(height, append(lines, t.Line(width, paint.Span{Tone: paint.Dim, Text: hint}))...)
}
