package tui

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// agentOf returns the agent of a session.
func agentOf(s *pith.Session) *facts.Agent {
	h := s.Header()
	if h.Source != "" {
		return facts.AgentOf(h.Source)
	}
	p, _ := journal.SignatureOf(h).Owner(s.File())
	return facts.AgentOf(map[format.Program]string{format.Atomic: catalog.RootAtomic, format.OhMyPi: catalog.RootOhMyPi}[p])
}

// agents are the programs in which sessions are opened.
type agents struct{ *App }

// command returns the command that continues a session in an agent. The settings may
// name another one for pi.
func (a agents) command(agent *facts.Agent, id, file string) []string {
	if agent.Root == catalog.RootPi && len(a.c.Handover) > 0 {
		return append(a.c.Handover[:len(a.c.Handover):len(a.c.Handover)], file)
	}
	return agent.Resume(id, file)
}

// agentName names the agent in which sessions of a root are opened.
func (a agents) agentName(root string) string {
	agent := facts.AgentOf(root)
	if agent.Root == catalog.RootPi && len(a.c.Handover) > 0 {
		return filepath.Base(a.c.Handover[0])
	}
	return agent.Title
}

func (a agents) ownAgent(s *pith.Session) string { return a.agentName(agentOf(s).Root) }

// openInAgent opens the session in its own agent, with a first message if text is not
// empty. The session is closed meanwhile, which records its leaf in the file, and opened
// again afterwards.
func (a agents) openInAgent(text string) tea.Cmd {
	s := a.chat.open.Current()
	agent := agentOf(s)
	if !s.Written() {
		return a.say(paint.Error, "nothing to open: the session has no messages yet")
	}
	words := a.command(agent, s.ID(), s.File())
	if len(words) == 0 {
		return a.say(paint.Error, "pith does not know how "+agent.Title+" opens a session; O opens a copy in another agent")
	}
	if _, err := findAgent(words); err != nil {
		return a.sayError(err) // before a question about the directory
	}
	return opener(a).inCwd(func() tea.Cmd {
		s := a.chat.open.Current()
		words := a.command(agent, s.ID(), s.File())
		said := false
		if text != "" {
			words, said = agent.Saying(words, text)
		}
		return tea.Batch(a.keepText(said), a.lend(words, s.File(), s.Cwd(), said))
	})
}

// sendToAgent opens the session in its agent with a message: here nothing answers.
func (a agents) sendToAgent(text string) tea.Cmd {
	if !a.chat.open.Current().Written() {
		return a.say(paint.Warning, noModel)
	}
	return a.openInAgent(text)
}

// keepText copies the draft to the clipboard, unless the agent was told it.
func (a agents) keepText(said bool) tea.Cmd {
	if a.chat.editor.blank() || said {
		return nil
	}
	return tea.Batch(tea.SetClipboard(a.chat.editor.value()), a.say(paint.Plain, "the unsent text is in the clipboard"))
}

// lend gives the terminal to an agent, and afterwards opens the session here again. If
// the agent did not start, the draft stays; if it was told the text, the draft ends.
func (a agents) lend(words []string, path, cwd string, said bool) tea.Cmd {
	id := ""
	if a.chat.open != nil {
		id = a.chat.open.Current().ID()
	}
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		cwd = a.c.Cwd
	}
	cmd, err := a.lender.handOver(words, cwd, func(err error) tea.Cmd {
		if a.background.ended() {
			return nil // the app is ending, and has ended the other agent
		}
		if err == nil && said {
			delete(a.chat.drafts, id)
		}
		open := a.openSession(path, found{})
		if err != nil {
			return tea.Batch(a.sayError(err), open)
		}
		return open
	})
	if err != nil {
		return a.sayError(err)
	}
	return tea.Sequence(a.leave(), cmd)
}

// askElsewhere asks in which other agent to open a copy of a session.
func (a agents) askElsewhere(s *pith.Session) tea.Cmd {
	box := &dialog.Box{Keys: a.c.Keys, Title: "Open in another agent, as a copy", Verb: "open"}
	for _, to := range facts.Receivers(agentOf(s).Root) {
		row := dialog.Row{Text: to.Title, Keys: []string{strings.ToLower(to.Root[:1])}, Do: func() tea.Cmd { return opener(a).inCwd(func() tea.Cmd { return a.handOver(to) }) }}
		if to.Root == "codex" {
			row.Keys = []string{"x"}
		}
		if _, err := findAgent(a.command(to, "x", "x")); err != nil {
			row.Why = err.Error()
		}
		box.Rows = append(box.Rows, row)
	}
	for i := range box.Rows {
		if box.Rows[i].Why == "" {
			box.Select(i)
			break
		}
	}
	a.ask(box)
	return nil
}

// handOver writes the session as one of another agent, and opens that.
func (a agents) handOver(to *facts.Agent) tea.Cmd {
	s := a.chat.open.Current()
	at := currentEntry(s)
	if a.chat.branch != "" {
		at = a.chat.branch
	}
	return a.work("copying the session", func(ctx context.Context) done {
		words, path, note, err := a.copyTo(ctx, to, s, at)
		if err != nil {
			return done{err: err}
		}
		return done{note: note, then: func() tea.Cmd { return tea.Batch(a.keepText(false), a.lend(words, path, s.Cwd(), false)) }}
	})
}

// copyTo makes the copy. path is the session to show afterwards.
func (a agents) copyTo(ctx context.Context, to *facts.Agent, s *pith.Session, at string) (words []string, path, note string, err error) {
	if to.Root == catalog.RootPi {
		if !ops.NeedsCopy(s) {
			x, err := s.Clone(ctx, at)
			if err != nil {
				return nil, "", "", err
			}
			return a.command(to, x.ID(), x.File()), x.File(), "copied to open it in " + a.agentName(to.Root), x.Close()
		}
		file, err := ops.ForPi(ctx, a.c.App, s.File())
		return a.command(to, "", file), file, "copied to open it in " + a.agentName(to.Root), err
	}
	h, err := ops.HandOver(ctx, a.c.App, ops.HandOverParams{Session: s, At: at, To: to.Root, Dir: a.c.HandoverDir})
	if err != nil {
		return nil, "", "", err
	}
	note = "copied to " + to.Title
	switch {
	case h.Before:
		note = "it was handed over before: that copy continues"
	case len(h.Lost) > 0:
		note += ", which does not support " + strings.Join(h.Lost, ", ")
	}
	return h.Commands[len(h.Commands)-1], s.File(), note, nil
}

// editOutside opens the text of the editor in the user's own one.
func (a agents) editOutside() tea.Cmd {
	cmd, err := a.lender.edit(a.c.Editor, a.chat.editor.value(), func(text string, err error) tea.Cmd {
		if err != nil {
			return a.sayError(err)
		}
		a.chat.editor.set(text)
		return nil
	})
	if err != nil {
		return a.sayError(err)
	}
	return cmd
}
