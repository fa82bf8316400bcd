package conversation_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
)

// A turn that is read after its session was closed is not shown in the next
// session.
func TestLateTurnOfAClosedSession(t *testing.T) {
	first := &desk{t: t}
	first.exchanges = append(first.exchanges, exchange(1, ask("question of the first session")))
	closed := conversation.New(first, conversation.Options{Keys: keys.Default(), Len: 1, Agent: facts.AgentOf("pi")})
	late := messages(closed.Init())
	closed.Close()

	d := &desk{t: t}
	d.exchanges = append(d.exchanges, exchange(1, ask("question of the second session")))
	d.m = conversation.New(d, conversation.Options{Keys: keys.Default(), Len: 1, Agent: facts.AgentOf("pi")})
	own := d.m.Init()
	for _, msg := range late {
		d.run(d.m.Update(msg))
	}
	if got, want := d.view(80, 10), " › …\n"; got != want {
		t.Errorf("before its own turn is read, the second session shows:\n%s\nwant:\n%s", got, want)
	}
	d.run(own)
	if got, want := d.view(80, 10), " › ▎ question of the second session\n"; got != want {
		t.Errorf("the second session shows:\n%s\nwant:\n%s", got, want)
	}
}

// messages runs a command and returns its messages.
func messages(cmd tea.Cmd) (out []tea.Msg) {
	msg := cmd()
	list, several := screentest.Commands(msg)
	if !several {
		return []tea.Msg{msg}
	}
	for _, c := range list {
		out = append(out, messages(c)...)
	}
	return out
}
