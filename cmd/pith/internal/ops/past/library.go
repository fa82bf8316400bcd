package past

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/recall"
	"github.com/pith-sessions/pith/internal/sources/all"
)

// idLength is the length of an ID in a reference: of a UUID the time part. An
// ID that is not unique with it is shown in full.
const idLength = 13

// A Library is the list of sessions that an answer may show. It is immutable.
type Library struct {
	Infos    []catalog.Info // newest first
	ids      []string       // their IDs, sorted
	families *recall.Families
	guard    *Guard
}

// Library returns the current library. It makes a new one only if the sessions have
// changed, and lets the guard collect the secrets of their projects.
func (p *Past) Library(ctx context.Context) (*Library, error) {
	infos, err := p.list.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.guard.know(infos); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.last; l != nil && len(l.Infos) == len(infos) && (len(infos) == 0 || &l.Infos[0] == &infos[0]) {
		return l, nil
	}
	ids := make([]string, len(infos))
	for i := range infos {
		ids[i] = infos[i].ID
	}
	slices.Sort(ids)
	p.last = &Library{infos, ids, recall.FamiliesOf(infos), &p.guard}
	return p.last, nil
}

// ID returns a session ID for an answer.
func (l *Library) ID(id string) string {
	begin := Cut(id, idLength)
	next, _ := slices.BinarySearch(l.ids, begin)
	if next++; next < len(l.ids) && strings.HasPrefix(l.ids[next], begin) || !plain(begin) {
		return l.guard.ID(id)
	}
	return begin
}

// plain reports whether an ID has only letters, digits, '-', '_' and '.'.
func plain(id string) bool {
	return !strings.ContainsFunc(id, func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' || r == '.')
	})
}

// Ref returns a reference to an entry, or to its session if entry is empty.
func (l *Library) Ref(session, entry string) string {
	if entry == "" {
		return l.ID(session)
	}
	return l.ID(session) + "/" + l.guard.ID(entry)
}

// Program returns the name of the agent that wrote a session; "" for pi.
func Program(info *catalog.Info) string {
	if p, foreign := all.Find(info.Root); foreign {
		return p.Title()
	}
	return ""
}

// find returns the session that a reference names, and the entry if it names one.
func (l *Library) find(ref string) (*catalog.Info, string, error) {
	ref = strings.TrimPrefix(ref, "pith://session/")
	name, entry, _ := strings.Cut(ref, "/")
	if rest, ok := strings.CutPrefix(name, "@"); ok {
		n, err := strconv.Atoi(cmp.Or(rest, "1"))
		user := slices.DeleteFunc(slices.Clone(l.Infos), func(i catalog.Info) bool { return i.Internal })
		if err != nil || n < 1 || n > len(user) {
			return nil, "", Usagef("no session %s; there are %d sessions", Short(name, 40), len(user))
		}
		return &user[n-1], entry, nil
	}
	var found []*catalog.Info
	for i := range l.Infos {
		info := &l.Infos[i]
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
		return nil, "", Usagef("no session %q in the %d visible sessions; the sessions tool lists them", Short(name, 60), len(l.Infos))
	case 1:
		return found[0], entry, nil
	}
	ids := []string{}
	for _, info := range found[:min(len(found), 5)] {
		ids = append(ids, l.guard.ID(info.ID))
	}
	return nil, "", Usagef("%q matches %d sessions; use more of the ID: %s", Short(name, 60), len(found), strings.Join(ids, ", "))
}

// caller is the context key of the session that a question names.
type caller struct{}

// From returns a context for the questions of a session, by its ID or file. It takes the
// place of Options.Asking.
func From(ctx context.Context, session string) context.Context {
	return context.WithValue(ctx, caller{}, session)
}

// asking returns the IDs of the calling session: the one that the request or
// else the environment names, or one that is being written and waits for a
// tool.
func (p *Past) asking(ctx context.Context, l *Library) []string {
	named, _ := ctx.Value(caller{}).(string)
	if named = cmp.Or(named, p.opt.Asking); named != "" {
		for i := range l.Infos {
			if l.Infos[i].ID == named || l.Infos[i].Path == named {
				return []string{l.Infos[i].ID}
			}
		}
		return []string{named}
	}
	var last *catalog.Info
	for i := range l.Infos {
		if last == nil || l.Infos[i].FileTime.After(last.FileTime) {
			last = &l.Infos[i]
		}
	}
	if last == nil || last.FileTime.Before(p.started.Add(-justNow)) || p.app.Now().Sub(last.FileTime) > justNow {
		return nil
	}
	if last.Status != catalog.StatusInterrupted && last.Status != catalog.StatusPending {
		return nil
	}
	return []string{last.ID}
}

// justNow is the maximum age of the last write of an active session.
const justNow = 2 * time.Minute

// A Session is a session of the library, opened for reading.
type Session struct {
	*pith.Session
	Info  *catalog.Info
	Entry string // the full ID of the entry that was named, a range, or ""
}

// Session opens the session that a reference names. entry is a reference to an entry, a
// range with "..", or "" for the entry that the reference names.
func (p *Past) Session(ctx context.Context, l *Library, ref, entry string) (*Session, error) {
	info, named, err := l.find(ref)
	if err != nil {
		return nil, err
	}
	opened, err := p.open(ctx, info.Path)
	if err != nil {
		return nil, err
	}
	s := &Session{opened, info, cmp.Or(entry, named)}
	if _, err = p.guard.learn(ctx, opened); err == nil && s.Entry != "" && !strings.Contains(s.Entry, "..") {
		if s.Entry, err = p.guard.Entry(opened, s.Entry); err != nil {
			err = fmt.Errorf("session %s: %w", l.ID(info.ID), err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (p *Past) open(ctx context.Context, path string) (*pith.Session, error) {
	return pith.Open(ctx, path, pith.Options{ReadOnly: true, Now: p.app.Now})
}

// learn learns the secrets of sessions, and reports whether there may be new
// ones.
func (p *Past) learn(ctx context.Context, paths []string) (more bool, err error) {
	for _, path := range paths {
		session, err := p.open(ctx, path)
		if err != nil {
			return more, err
		}
		read, err := p.guard.learn(ctx, session)
		if err = errors.Join(err, session.Close()); err != nil {
			return more, err
		}
		more = more || read
	}
	return more, nil
}

// Entry returns the ID of the entry that a reference names. A label with a
// secret names none: see names.
func (g *Guard) Entry(session *pith.Session, ref string) (string, error) {
	if g.masked(ref) != ref {
		if _, err := session.View().Find(ref); err != nil {
			return "", &catalog.NoEntryError{Ref: ref}
		}
	}
	return catalog.ResolveEntry(session, ref)
}

// projectOf returns the longest working directory of a session that contains
// path and has no secret in it; "" if there is none.
func (l *Library) projectOf(path string) (dir string) {
	for i := range l.Infos {
		if cwd := l.Infos[i].Cwd; len(cwd) > len(dir) && strings.HasPrefix(path, strings.TrimRight(cwd, `/\`)) && l.guard.masked(cwd) == cwd {
			dir = cwd
		}
	}
	return dir
}

// A UsageError explains to a model what is wrong with a question.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

// Usagef returns a UsageError.
func Usagef(format string, a ...any) error { return &UsageError{fmt.Sprintf(format, a...)} }
