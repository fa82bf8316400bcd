package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/recall"
	"github.com/pith-sessions/pith/internal/sources/all"
)

func (s *server) search(ctx context.Context, c *call) error {
	text, one := c.need("query", "words to find"), c.text("session")
	limit, offset := c.number("limit", 10, 1), c.offset()
	if c.bad != nil {
		return c.bad
	}
	q, err := query.Parse(text, s.queryEnv())
	if err == nil && q.IsZero() {
		err = query.ErrEmpty
	}
	if err != nil {
		return err
	}
	l, err := s.library(ctx)
	if err != nil || s.empty(c, l) {
		return err
	}
	if !q.Finds() && one == "" {
		return s.list(ctx, c, l, q, limit, offset)
	}
	o := s.recalling(ctx, l)
	o.Offset, o.Limit = offset, limit
	if one != "" {
		info, _, err := l.find(one)
		if err != nil {
			return err
		}
		o.Entries, o.Search.Paths = true, []string{info.Path}
		o.Except = nil
	}
	a, err := recall.Ask(ctx, q, o)
	for more := true; err == nil && more; { // decide on text without the secrets of what was found
		if more, err = s.learn(ctx, pathsOf(a.Memories)); err == nil && more {
			a, err = recall.Ask(ctx, q, o)
		}
	}
	if err != nil {
		return err
	}
	if a.Unindexed > 0 {
		s.fill()
	}
	s.addMemories(c, l, a, offset)
	return nil
}

func pathsOf(memories []recall.Memory) (paths []string) {
	for i := range memories {
		paths = append(paths, memories[i].Session.Path)
	}
	return paths
}

func touchedIn(list []recall.Touch) (paths []string) {
	for i := range list {
		paths = append(paths, list[i].Session.Path)
	}
	return paths
}

// empty reports whether there are no sessions to read, and adds why to the
// answer.
func (s *server) empty(c *call, l *library) bool {
	switch {
	case len(l.infos) > 0:
		return false
	case s.opt.Project != "":
		c.head("There are no sessions of the project %s, and this server sees no others; one started with pith mcp --all does.", s.guard.line(s.opt.Project, 200))
	default:
		c.head("There are no sessions.")
	}
	return true
}

func (s *server) addMemories(c *call, l *library, a recall.Answer, offset int) {
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
func (s *server) memory(l *library, m *recall.Memory, most int) string {
	var b strings.Builder
	s.origin(&b, l, &m.Session, m.Hit.EntryID, m.Hit.Time)
	fmt.Fprintf(&b, " %s", s.speaker(m.Hit.Role, m.Hit.Tool))
	if n := len(m.Copies); n > 0 {
		fmt.Fprintf(&b, ", also in %s", humanize.Count(n, "copy"))
	}
	b.WriteString("\n")
	s.branch(&b, &m.Turn, most)
	if m.Question != "" && m.Hit.EntryID != m.FirstEntry {
		fmt.Fprintf(&b, "asked: %s\n", s.guard.line(m.Question, min(160, most)))
	}
	b.WriteString(quoted(s.found(m, most)))
	if m.Hit.Role != "assistant" || m.Hit.Kind != "text" {
		if m.Answer != "" {
			fmt.Fprintf(&b, "answered: %s\n", s.guard.line(m.Answer, min(300, most)))
		}
	}
	s.outcome(&b, &m.Turn)
	if m.More > 0 {
		fmt.Fprintf(&b, "%s more in this session: search again with session %s\n", humanize.Number(int64(m.More)), l.id(m.Session.ID))
	}
	return b.String()
}

// found returns the text around a match. It is redacted as a whole before it is
// cut.
func (s *server) found(m *recall.Memory, most int) string {
	if text, at := m.Hit.Text(s.guard.shown()); text != "" {
		return s.guard.around(text, at, most)
	}
	return s.guard.beginning(m.Hit.Snippet.Text, most)
}

// origin writes where an entry comes from.
func (s *server) origin(b *strings.Builder, l *library, info *catalog.Info, entry string, at time.Time) {
	fmt.Fprintf(b, "%s %s", l.ref(info.ID, entry), day(at))
	if title := s.guard.title(info, 60); title != "" {
		fmt.Fprintf(b, " in %s", title)
	}
	if s.opt.Project == "" && info.Cwd != "" {
		fmt.Fprintf(b, " of %s", s.guard.line(info.Cwd, 80))
	}
	if p, foreign := all.Find(info.Root); foreign {
		fmt.Fprintf(b, " with %s", p.Title())
	}
}

// branch writes that a branch was abandoned, and why.
func (s *server) branch(b *strings.Builder, x *recall.Turn, most int) {
	switch {
	case x.Left && x.Why != "":
		fmt.Fprintf(b, "abandoned branch; its summary: %s\n", s.guard.line(x.Why, min(240, most)))
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
			text += " " + s.guard.line(path, 80)
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
		parts = append(parts, fmt.Sprintf("%s×%d", cmp.Or(s.guard.word(string(u.Name)), "?"), u.Calls))
	}
	return strings.Join(parts, " ")
}

// speaker returns the role and the tool of an entry.
func (s *server) speaker(role, tool string) string {
	return strings.TrimSpace(role + " " + s.guard.word(tool))
}

func day(t time.Time) string {
	if t.IsZero() {
		return "undated"
	}
	return t.UTC().Format("2006-01-02")
}

func (s *server) sessions(ctx context.Context, c *call) error {
	text, limit, offset := c.text("query"), c.number("limit", 20, 1), c.offset()
	if c.bad != nil {
		return c.bad
	}
	q, err := query.Parse(text, s.queryEnv())
	if err != nil {
		return err
	}
	l, err := s.library(ctx)
	if err != nil || s.empty(c, l) {
		return err
	}
	return s.list(ctx, c, l, q, limit, offset)
}

// list answers with the sessions that a query chooses, without the calling one.
func (s *server) list(ctx context.Context, c *call, l *library, q query.Query, limit, offset int) error {
	left := s.asking(ctx, l)
	var list, page []catalog.Info
	for more := true; more; {
		var err error
		if list, err = search.Sessions(ctx, q, s.recalling(ctx, l).Search); err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(i catalog.Info) bool { return slices.Contains(left, i.ID) })
		page = list[min(offset, len(list)):]
		page = page[:min(limit, len(page))]
		if _, more = q.OfEntries(); more { // decide on text without the secrets of what was found
			if more, err = s.learn(ctx, filesOf(page)); err != nil {
				return err
			}
		}
	}
	c.head("%s", humanize.Count(len(list), "session"))
	c.list(offset, len(page), len(list) > offset+len(page), func(i int, _ int64) string { return s.sessionLine(l, &page[i]) })
	return nil
}

func filesOf(infos []catalog.Info) (paths []string) {
	for i := range infos {
		paths = append(paths, infos[i].Path)
	}
	return paths
}

// queryEnv returns what the values of filters refer to.
func (s *server) queryEnv() query.Env {
	return query.Env{Now: s.opt.Now(), Cwd: s.opt.Project, Catalog: s.opt.Catalog}
}

func (s *server) sessionLine(l *library, info *catalog.Info) string {
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

func (s *server) files(ctx context.Context, c *call) error {
	path, limit, offset := c.need("path", "a path, or the end of one"), c.number("limit", 10, 1), c.offset()
	if c.bad != nil {
		return c.bad
	}
	l, err := s.library(ctx)
	if err != nil || s.empty(c, l) {
		return err
	}
	o := s.recalling(ctx, l)
	o.Offset, o.Limit = offset, limit
	t, err := recall.Touched(ctx, path, l.projectOf(path), o)
	for more := true; err == nil && more; {
		if more, err = s.learn(ctx, touchedIn(t.List)); err == nil && more {
			t, err = recall.Touched(ctx, path, l.projectOf(path), o)
		}
	}
	if err != nil {
		return err
	}
	if t.Unindexed > 0 {
		s.fill()
	}
	if len(t.List) == 0 {
		c.head("No tool call has this path in %s. Shell commands are not included: search for the file name instead.", humanize.Count(t.Sessions, "session"))
		return nil
	}
	c.list(offset, len(t.List), t.More, func(i int, room int64) string {
		return s.touch(l, &t.List[i], characters(room))
	})
	return nil
}

func (s *server) touch(l *library, t *recall.Touch, room int) string {
	var b strings.Builder
	s.origin(&b, l, &t.Session, t.EntryID, t.Time)
	fmt.Fprintf(&b, " %s %s", did(t), s.guard.line(t.Path, 100))
	if n := len(t.Copies); n > 0 {
		fmt.Fprintf(&b, ", also in %s", humanize.Count(n, "copy"))
	}
	b.WriteString("\n")
	s.branch(&b, &t.Turn, room)
	if t.Question != "" {
		fmt.Fprintf(&b, "asked: %s\n", s.guard.line(t.Question, min(200, room)))
	}
	if t.Answer != "" {
		fmt.Fprintf(&b, "answered: %s\n", s.guard.line(t.Answer, min(300, room)))
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
