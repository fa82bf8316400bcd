package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops/past"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/recall"
)

type searchParams struct {
	Query   string `json:"query" need:"value" about:"words to find"`
	Session string `json:"session" about:"a SESSION: return all matches in this session instead"`
	Limit   int    `json:"limit" usual:"10" least:"1" about:"maximum number of matches"`
	rest
}

func (s *server) search(ctx context.Context, c *call, p *searchParams) error {
	offset, err := p.offset()
	if err != nil {
		return err
	}
	return s.among(ctx, c, func(l *past.Library) error {
		found, err := s.past.Search(ctx, l, p.Query, p.Session, past.Page{Offset: offset, Limit: p.Limit})
		switch {
		case err != nil:
			return err
		case found.Chosen != nil:
			s.list(c, l, found.Chosen, offset)
		default:
			s.addMemories(c, l, found.Answer, offset)
		}
		return nil
	})
}

// among answers with the sessions that can be seen, or says that there are none.
func (s *server) among(ctx context.Context, c *call, answer func(*past.Library) error) error {
	l, err := s.past.Library(ctx)
	switch {
	case err != nil:
		return err
	case len(l.Infos) > 0:
		return answer(l)
	case s.past.Project() != "":
		c.head("There are no sessions of the project %s, and this server sees no others; one started with pith mcp --all does.", s.guard.Line(s.past.Project(), 200))
	default:
		c.head("There are no sessions.")
	}
	return nil
}

func (s *server) addMemories(c *call, l *past.Library, a recall.Answer, offset int) {
	if len(a.Memories) == 0 {
		c.head("No matches in %s. Try fewer or other words, or prefix*.", humanize.Count(a.Sessions, "session"))
		return
	}
	if a.Loose {
		c.head("No entry matches the whole query; these match a part of it.")
	}
	c.list(offset, len(a.Memories), a.More > 0, func(i int, room int64) string {
		most := 700
		if i > 2 {
			most = 350
		}
		return s.memory(l, &a.Memories[i], min(most, characters(room)))
	})
}

// memory returns the text of one memory: its origin, the question, the match
// and the outcome.
func (s *server) memory(l *past.Library, m *recall.Memory, most int) string {
	var b strings.Builder
	s.origin(&b, l, &m.Session, m.Hit.EntryID, m.Hit.Time)
	fmt.Fprintf(&b, " %s", s.speaker(m.Hit.Role, m.Hit.Tool))
	if n := len(m.Copies); n > 0 {
		fmt.Fprintf(&b, ", also in %s", humanize.Count(n, "copy"))
	}
	b.WriteString("\n")
	s.branch(&b, &m.Turn, most)
	if m.Question != "" && m.Hit.EntryID != m.FirstEntry {
		fmt.Fprintf(&b, "asked: %s\n", s.guard.Line(m.Question, min(160, most)))
	}
	b.WriteString(quoted(s.guard.Found(&m.Hit, most)))
	if m.Hit.Role != "assistant" || m.Hit.Kind != "text" {
		if m.Answer != "" {
			fmt.Fprintf(&b, "answered: %s\n", s.guard.Line(m.Answer, min(300, most)))
		}
	}
	s.outcome(&b, &m.Turn)
	if m.More > 0 {
		fmt.Fprintf(&b, "%s more in this session: search again with session %s\n", humanize.Number(int64(m.More)), l.ID(m.Session.ID))
	}
	return b.String()
}

// origin writes where an entry comes from.
func (s *server) origin(b *strings.Builder, l *past.Library, info *catalog.Info, entry string, at time.Time) {
	fmt.Fprintf(b, "%s %s", l.Ref(info.ID, entry), day(at))
	if title := s.guard.Title(info, 60); title != "" {
		fmt.Fprintf(b, " in %s", title)
	}
	if s.past.Project() == "" && info.Cwd != "" {
		fmt.Fprintf(b, " of %s", s.guard.Line(info.Cwd, 80))
	}
	if program := past.Program(info); program != "" {
		fmt.Fprintf(b, " with %s", program)
	}
}

// branch writes that a branch was abandoned, and why.
func (s *server) branch(b *strings.Builder, x *recall.Turn, most int) {
	switch {
	case x.Left && x.Why != "":
		fmt.Fprintf(b, "abandoned branch; its summary: %s\n", s.guard.Line(x.Why, min(240, most)))
	case x.Left:
		b.WriteString("abandoned branch: the conversation continued from an earlier entry\n")
	}
}

// outcome writes the results of a turn: files, tools, failures.
func (s *server) outcome(b *strings.Builder, x *recall.Turn) {
	var parts []string
	if len(x.Modified) > 0 {
		shown := x.Modified[:min(3, len(x.Modified))]
		text := "changed"
		for _, path := range shown {
			text += " " + s.guard.Line(path, 80)
		}
		if n := len(x.Modified) - len(shown); n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		parts = append(parts, text)
	}
	if text := s.toolUses(x.Tools, 4); text != "" {
		parts = append(parts, "tools "+text)
	}
	if x.Errors > 0 {
		parts = append(parts, humanize.Count(x.Errors, "failed call"))
	}
	if len(parts) > 0 {
		b.WriteString(strings.Join(parts, "; ") + "\n")
	}
}

func (s *server) toolUses(uses []inspect.ToolUses, most int) string {
	var parts []string
	for _, u := range uses[:min(most, len(uses))] {
		parts = append(parts, fmt.Sprintf("%s×%d", cmp.Or(s.guard.Word(string(u.Name)), "?"), u.Calls))
	}
	return strings.Join(parts, " ")
}

// speaker returns the role and the tool of an entry.
func (s *server) speaker(role, tool string) string {
	return strings.TrimSpace(role + " " + s.guard.Word(tool))
}

func day(t time.Time) string {
	if t.IsZero() {
		return "undated"
	}
	return t.UTC().Format("2006-01-02")
}

type sessionsParams struct {
	Query string `json:"query" about:"words of the name or first message, and the filters of search"`
	Limit int    `json:"limit" usual:"20" least:"1" about:"maximum number of sessions"`
	rest
}

func (s *server) sessions(ctx context.Context, c *call, p *sessionsParams) error {
	offset, err := p.offset()
	if err != nil {
		return err
	}
	return s.among(ctx, c, func(l *past.Library) error {
		chosen, err := s.past.Sessions(ctx, l, p.Query, past.Page{Offset: offset, Limit: p.Limit})
		if err == nil {
			s.list(c, l, chosen, offset)
		}
		return err
	})
}

// list answers with sessions.
func (s *server) list(c *call, l *past.Library, chosen *past.Chosen, offset int) {
	page := chosen.Sessions
	c.head("%s", humanize.Count(chosen.Total, "session"))
	c.list(offset, len(page), chosen.Total > offset+len(page), func(i int, _ int64) string { return s.sessionLine(l, &page[i]) })
}

func (s *server) sessionLine(l *past.Library, info *catalog.Info) string {
	var b strings.Builder
	s.origin(&b, l, info, "", info.Modified)
	fmt.Fprintf(&b, ", %s, %s", humanize.Count(info.MessageCount, "message"), info.Status)
	if info.Branches > 1 {
		fmt.Fprintf(&b, ", %s", humanize.Count(info.Branches, "branch"))
	}
	if info.ParentSession != "" {
		b.WriteString(", forked from another session")
	}
	return b.String() + "\n"
}

type filesParams struct {
	Path  string `json:"path" need:"value" about:"a file path, or the end of one"`
	Limit int    `json:"limit" usual:"10" least:"1" about:"maximum number of turns"`
	rest
}

func (s *server) files(ctx context.Context, c *call, p *filesParams) error {
	offset, err := p.offset()
	if err != nil {
		return err
	}
	return s.among(ctx, c, func(l *past.Library) error {
		t, err := s.past.Files(ctx, l, p.Path, past.Page{Offset: offset, Limit: p.Limit})
		if err != nil {
			return err
		}
		if len(t.List) == 0 {
			c.head("No tool call has this path in %s. Shell commands are not included: search for the file name instead.", humanize.Count(t.Sessions, "session"))
			return nil
		}
		c.list(offset, len(t.List), t.More, func(i int, room int64) string { return s.touch(l, &t.List[i], characters(room)) })
		return nil
	})
}

func (s *server) touch(l *past.Library, t *recall.Touch, room int) string {
	var b strings.Builder
	s.origin(&b, l, &t.Session, t.EntryID, t.Time)
	fmt.Fprintf(&b, " %s %s", did(t), s.guard.Line(t.File, 100))
	if n := len(t.Copies); n > 0 {
		fmt.Fprintf(&b, ", also in %s", humanize.Count(n, "copy"))
	}
	b.WriteString("\n")
	s.branch(&b, &t.Turn, room)
	if t.Question != "" {
		fmt.Fprintf(&b, "asked: %s\n", s.guard.Line(t.Question, min(200, room)))
	}
	if t.Answer != "" {
		fmt.Fprintf(&b, "answered: %s\n", s.guard.Line(t.Answer, min(300, room)))
	}
	return b.String()
}

// did describes the uses of a file.
func did(t *recall.Touch) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{t.Changed, "changed"}, {t.Read, "read"}, {t.Failed, "failed on"}} {
		switch {
		case p.n == 1:
			parts = append(parts, p.word)
		case p.n > 1:
			parts = append(parts, fmt.Sprintf("%s×%d", p.word, p.n))
		}
	}
	return strings.Join(parts, ", ")
}
