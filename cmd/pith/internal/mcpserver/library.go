package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/recall"
)

// idLength is the length of an ID in a reference: of a UUID the time part. An
// ID that is not unique with it is shown in full.
const idLength = 13

// A library is the list of sessions that a call may show. It is immutable.
type library struct {
	infos    []catalog.Info // newest first
	ids      []string       // their IDs, sorted
	families *recall.Families
	guard    *guard
}

// library returns the current library. It makes a new one only if the sessions have
// changed, and lets the guard collect the secrets of their projects.
func (s *server) library(ctx context.Context) (*library, error) {
	infos, err := s.past.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.guard.know(infos); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.last; l != nil && len(l.infos) == len(infos) && (len(infos) == 0 || &l.infos[0] == &infos[0]) {
		return l, nil
	}
	ids := make([]string, len(infos))
	for i := range infos {
		ids[i] = infos[i].ID
	}
	slices.Sort(ids)
	s.last = &library{infos, ids, recall.FamiliesOf(infos), &s.guard}
	return s.last, nil
}

// id returns a session ID for an answer.
func (l *library) id(id string) string {
	begin := cutBytes(id, idLength)
	next, _ := slices.BinarySearch(l.ids, begin)
	if next++; next < len(l.ids) && strings.HasPrefix(l.ids[next], begin) || !plain(begin) {
		return l.guard.id(id)
	}
	return begin
}

// plain reports whether an ID has only letters, digits, '-', '_' and '.'.
func plain(id string) bool {
	return !strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' || r == '.')
	})
}

// ref returns a reference to an entry, or to its session if entry is empty.
func (l *library) ref(session, entry string) string {
	if entry == "" {
		return l.id(session)
	}
	return l.id(session) + "/" + l.guard.id(entry)
}

// find returns the session that a reference names, and the entry if it names one.
func (l *library) find(ref string) (*catalog.Info, string, error) {
	ref = strings.TrimPrefix(ref, "pith://session/")
	name, entry, _ := strings.Cut(ref, "/")
	if rest, ok := strings.CutPrefix(name, "@"); ok {
		n, err := strconv.Atoi(cmp.Or(rest, "1"))
		user := slices.DeleteFunc(slices.Clone(l.infos), func(i catalog.Info) bool { return i.Internal })
		if err != nil || n < 1 || n > len(user) {
			return nil, "", usagef("no session %s; there are %d sessions", short(name, 40), len(user))
		}
		return &user[n-1], entry, nil
	}
	var found []*catalog.Info
	for i := range l.infos {
		info := &l.infos[i]
		if l.guard.names(info.Name, ref) {
			return info, "", nil
		}
		if info.ID == name {
			return info, entry, nil
		}
		if len(name) >= 4 && strings.HasPrefix(info.ID, name) {
			found = append(found, info)
		}
	}
	switch len(found) {
	case 0:
		return nil, "", usagef("no session %q in the %d visible sessions; the sessions tool lists them", short(name, 60), len(l.infos))
	case 1:
		return found[0], entry, nil
	}
	ids := []string{}
	for _, info := range found[:min(len(found), 5)] {
		ids = append(ids, l.guard.id(info.ID))
	}
	return nil, "", usagef("%q matches %d sessions; use more of the ID: %s", short(name, 60), len(found), strings.Join(ids, ", "))
}

// thread is the context key of the session that a request names.
type thread struct{}

// withThread records the session that a request names. Codex sends its thread
// with every tool call, not in an environment variable.
func withThread(ctx context.Context, meta mcp.Meta) context.Context {
	if id, ok := meta["threadId"].(string); ok && id != "" {
		return context.WithValue(ctx, thread{}, id)
	}
	return ctx
}

// asking returns the IDs of the calling session: the one that the request or
// else the environment names, or one that is being written and waits for a
// tool.
func (s *server) asking(ctx context.Context, l *library) []string {
	named, _ := ctx.Value(thread{}).(string)
	if named = cmp.Or(named, s.opt.Asking); named != "" {
		for i := range l.infos {
			if l.infos[i].ID == named || l.infos[i].Path == named {
				return []string{l.infos[i].ID}
			}
		}
		return []string{named}
	}
	var last *catalog.Info
	for i := range l.infos {
		if last == nil || l.infos[i].FileTime.After(last.FileTime) {
			last = &l.infos[i]
		}
	}
	if last == nil || last.FileTime.Before(s.started.Add(-justNow)) || s.opt.Now().Sub(last.FileTime) > justNow {
		return nil
	}
	if last.Status != catalog.StatusInterrupted && last.Status != catalog.StatusPending {
		return nil
	}
	return []string{last.ID}
}

// justNow is the maximum age of the last write of an active session.
const justNow = 2 * time.Minute

// openAt opens the session that an argument names. The returned entry is a full
// ID, or "".
func (s *server) openAt(ctx context.Context, l *library, ref, entry string) (*catalog.Info, *pith.Session, string, error) {
	info, named, err := l.find(ref)
	if err != nil {
		return nil, nil, "", err
	}
	session, err := pith.Open(ctx, info.Path, pith.Options{ReadOnly: true, Now: s.opt.Now})
	if err != nil {
		return nil, nil, "", err
	}
	if _, err := s.guard.learn(ctx, session); err != nil {
		_ = session.Close()
		return nil, nil, "", err
	}
	if entry = cmp.Or(entry, named); entry != "" && !strings.Contains(entry, "..") {
		if entry, err = s.guard.entry(session, entry); err != nil {
			_ = session.Close()
			return nil, nil, "", fmt.Errorf("session %s: %w", l.id(info.ID), err)
		}
	}
	return info, session, entry, nil
}

// learn learns the secrets of sessions, and reports whether there may be new
// ones.
func (s *server) learn(ctx context.Context, paths []string) (more bool, err error) {
	for _, path := range paths {
		session, err := pith.Open(ctx, path, pith.Options{ReadOnly: true, Now: s.opt.Now})
		if err != nil {
			return more, err
		}
		read, err := s.guard.learn(ctx, session)
		if err = errors.Join(err, session.Close()); err != nil {
			return more, err
		}
		more = more || read
	}
	return more, nil
}

// entry returns the ID of the entry that a reference names. A label with a
// secret names none: see names.
func (g *guard) entry(session *pith.Session, ref string) (string, error) {
	if g.masked(ref) != ref {
		if _, err := session.View().Find(ref); err != nil {
			return "", &catalog.NoEntryError{Ref: ref}
		}
	}
	return catalog.ResolveEntry(session, ref)
}

// recalling returns the options that all queries share.
func (s *server) recalling(ctx context.Context, l *library) recall.Options {
	return recall.Options{
		Search:   search.Options{Catalog: s.opt.Catalog, Cwd: s.opt.Project, Sessions: l.infos, Session: s.session(), Index: s.words(), Veil: s.guard.veil()},
		Families: l.families, Except: s.asking(ctx, l),
	}
}

// session returns a function that makes a session, with the user's marks, what
// filters look at.
func (s *server) session() func(*catalog.Info) query.Session {
	of := func(string) marks.Marks { return marks.Marks{} }
	if s.opt.Marks != nil {
		of = s.opt.Marks()
	}
	return func(i *catalog.Info) query.Session {
		seen, m := *i, of(i.ID)
		seen.FirstMessage = s.guard.firstMessage(i)
		return query.Session{Info: &seen, Tags: m.Tags, Archived: m.Archived}
	}
}

// projectOf returns the longest working directory of a session that contains
// path and has no secret in it; "" if there is none.
func (l *library) projectOf(path string) (dir string) {
	for i := range l.infos {
		if cwd := l.infos[i].Cwd; len(cwd) > len(dir) && strings.HasPrefix(path, strings.TrimRight(cwd, `/\`)) && l.guard.masked(cwd) == cwd {
			dir = cwd
		}
	}
	return dir
}
