package webui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/change"
	"github.com/pith-sessions/pith/cmd/pith/internal/inbox"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/page"
)

// An editor changes sessions for the pages of a server.
type editor struct {
	*Server
	mu sync.Mutex // held while an action changes something
}

// actions are the actions by their names in URLs.
var actions = map[string]func(*editor, context.Context, order) (outcome, error){
	"name": (*editor).rename, "label": (*editor).label, "branch": (*editor).branch, "fork": (*editor).fork, "clone": (*editor).clone,
	"pin": (*editor).pin, "archive": (*editor).hide, "snooze": (*editor).snooze, "tag": (*editor).tag, "trash": (*editor).remove, "restore": (*editor).restore,
}

// fresh returns errChanged unless a page has seen the current state of a session.
func (e *editor) fresh(info *catalog.Info, o order) error {
	now, err := stateOf(info.Path)
	if err == nil && now.String() != o.State {
		err = errChanged
	}
	return err
}

// edit opens the session of an order for do. It closes the session and completes the
// outcome.
func (e *editor) edit(ctx context.Context, o order, do func(*pith.Session, *outcome) error) (outcome, error) {
	info, err := e.archive.find(ctx, o.Session)
	if err != nil {
		return outcome{}, err
	}
	engine := e.c.Engine
	engine.OnConflict = pith.Refuse
	session, err := pith.Open(ctx, info.Path, engine)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{Session: o.Session}
	err = session.Header().CheckWritable()
	if err == nil {
		err = e.fresh(&info, o) // after the session was read: the engine notices later changes
	}
	if err == nil {
		err = do(session, &out)
	}
	out.Name = session.Name()
	if closed := session.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return outcome{}, err
	}
	return e.settle(ctx, out, info), nil
}

// settle completes an outcome with the key and the state of a session after an action.
// If they cannot be read, the action was carried out nevertheless, without undo.
func (e *editor) settle(ctx context.Context, out outcome, info catalog.Info) outcome {
	l, err := e.archive.renew(ctx)
	now, gone := stateOf(info.Path)
	if err := cmp.Or(err, gone); err != nil {
		e.noteOnce("%v", err)
		out.Undo = nil
		return out
	}
	out.Session, out.State = cmp.Or(out.Session, l.keyOf(info.Path)), now.String()
	if out.Undo != nil {
		out.Undo.Order.Session, out.Undo.Order.State = out.Session, out.State
	}
	return out
}

// checkText returns an error if a text is neither empty, which removes a name or a
// label, nor valid as one.
func checkText(text string) error {
	if text == "" {
		return nil
	}
	return change.CheckText(text)
}

func (e *editor) rename(ctx context.Context, o order) (outcome, error) {
	if err := checkText(o.Text); err != nil {
		return outcome{}, err
	}
	out, err := e.edit(ctx, o, func(session *pith.Session, out *outcome) error {
		out.Undo = &undo{"name", order{Text: session.Name()}}
		out.Done = "Name removed"
		if name := format.CleanName(o.Text); name != "" {
			out.Done = `Renamed to "` + page.OneLine(name, mostTitle) + `"`
		}
		_, err := session.SetName(ctx, o.Text)
		return err
	})
	if open := e.open.get(o.Session); open != nil { // it has the old title
		e.open.forget(open)
		e.open.release(open)
	}
	return out, err
}

func (e *editor) label(ctx context.Context, o order) (outcome, error) {
	if err := checkText(o.Text); err != nil {
		return outcome{}, err
	}
	return e.edit(ctx, o, func(session *pith.Session, out *outcome) error {
		if err := hasEntry(session, o.Entry); err != nil {
			return err
		}
		out.Undo = &undo{"label", order{Entry: o.Entry, Text: session.View().Label(o.Entry)}}
		out.Done = "Label removed"
		if out.Label = format.CleanName(o.Text); out.Label != "" {
			out.Done = `Labeled "` + page.OneLine(out.Label, mostTitle) + `"`
		}
		_, err := session.SetLabel(ctx, o.Entry, out.Label)
		return err
	})
}

func (e *editor) branch(ctx context.Context, o order) (outcome, error) {
	return e.edit(ctx, o, func(session *pith.Session, out *outcome) error {
		if err := hasEntry(session, o.Entry); err != nil {
			return err
		}
		from, marker, err := change.Branch(ctx, session, o.Entry)
		out.Entry, out.Done = o.Entry, "The session now continues at this entry"
		if marker == "" {
			out.Done = "The session already continues at this entry"
		} else if from != "" {
			out.Undo = &undo{"branch", order{Entry: from}}
		}
		return err
	})
}

// hasEntry returns an error unless a session has the entry that an order names.
func hasEntry(session *pith.Session, id string) error {
	if id == "" {
		return errNoEntry
	}
	_, err := session.Entry(id)
	return err
}

func (e *editor) fork(ctx context.Context, o order) (outcome, error) {
	return e.copyTo(ctx, o, func(from *pith.Session) (*pith.Session, string, error) { return change.Fork(ctx, from, o.Entry) })
}

func (e *editor) clone(ctx context.Context, o order) (outcome, error) {
	return e.copyTo(ctx, o, func(from *pith.Session) (*pith.Session, string, error) {
		to, err := change.Clone(ctx, from, o.Entry, e.c.Now())
		return to, "", err
	})
}

// copyTo makes a new session from the one of an order, which may have grown: the entries
// before one do not change.
func (e *editor) copyTo(ctx context.Context, o order, do func(*pith.Session) (*pith.Session, string, error)) (outcome, error) {
	info, err := e.archive.find(ctx, o.Session)
	if err != nil {
		return outcome{}, err
	}
	from, err := e.archive.open(ctx, info)
	if err != nil {
		return outcome{}, err
	}
	defer from.Close() // it was only read
	if o.Entry == "" {
		return outcome{}, errNoEntry
	}
	to, text, err := do(from)
	if err != nil {
		return outcome{}, err
	}
	written := to.Written()
	if err := to.Close(); err != nil {
		return outcome{}, err
	}
	if !written {
		return outcome{}, errNothingBefore
	}
	info.Path = to.File()
	return e.settle(ctx, outcome{Done: "New session", Name: to.Name(), Text: text, Undo: &undo{Action: "trash"}}, info), nil
}

func (e *editor) pin(ctx context.Context, o order) (outcome, error) {
	out := outcome{Done: map[bool]string{true: "Pinned", false: "Unpinned"}[o.On], Undo: &undo{"pin", order{On: !o.On}}}
	return e.mark(ctx, o, out, func(m *marks.Marks) { m.Pinned = o.On })
}

func (e *editor) hide(ctx context.Context, o order) (outcome, error) {
	out := outcome{Done: map[bool]string{true: "Archived", false: "Unarchived"}[o.On], Undo: &undo{"archive", order{On: !o.On}}}
	return e.mark(ctx, o, out, func(m *marks.Marks) { m.Archived = o.On })
}

// snooze removes a session from the inbox for a day, or returns it.
func (e *editor) snooze(ctx context.Context, o order) (outcome, error) {
	out := outcome{Done: map[bool]string{true: "Snoozed until tomorrow", false: "No longer snoozed"}[o.On], Undo: &undo{"snooze", order{On: !o.On}}}
	return e.mark(ctx, o, out, func(m *marks.Marks) {
		m.Snoozed = time.Time{}
		if o.On {
			m.Snoozed = inbox.SnoozeUntil(e.c.Now())
		}
	})
}

// errBadTag means that a text is not a list of tags.
var errBadTag = errors.New("invalid tags")

// tag adds and removes the tags that the text of an order has, as in "bug -draft".
func (e *editor) tag(ctx context.Context, o order) (outcome, error) {
	words := strings.Fields(o.Text)
	add, remove, err := change.ParseTags(words)
	if err != nil || len(words) == 0 {
		return outcome{}, fmt.Errorf("%w: %w", errBadTag, cmp.Or(err, change.ErrBlank))
	}
	var back []string
	out, err := e.mark(ctx, o, outcome{Done: "Tags changed"}, func(m *marks.Marks) {
		was := slices.Clone(m.Tags)
		change.Tag(m, add, remove)
		for _, tag := range was {
			if !m.Has(tag) {
				back = append(back, tag)
			}
		}
		for _, tag := range m.Tags {
			if !slices.Contains(was, tag) {
				back = append(back, "-"+tag)
			}
		}
	})
	if err == nil && len(back) > 0 {
		out.Undo = &undo{"tag", order{Session: o.Session, Text: strings.Join(back, " ")}}
	}
	return out, err
}

// mark changes the marks of a session, which are not in its file.
func (e *editor) mark(ctx context.Context, o order, out outcome, do func(*marks.Marks)) (outcome, error) {
	info, err := e.archive.find(ctx, o.Session)
	if err != nil {
		return outcome{}, err
	}
	all, err := e.c.Write.Marks()
	if err != nil {
		return outcome{}, err
	}
	m, err := all.Update(info.ID, info.Path, do)
	if err != nil {
		return outcome{}, err
	}
	marked := view.Marked(m)
	out.Session, out.Name, out.Marks = o.Session, info.Name, &marked
	return e.settle(ctx, out, info), nil
}

func (e *editor) remove(ctx context.Context, o order) (outcome, error) {
	info, err := e.archive.find(ctx, o.Session)
	if err != nil {
		return outcome{}, err
	}
	if err := e.fresh(&info, o); err != nil {
		return outcome{}, err
	}
	where, err := e.c.Write.Trash()
	if err != nil {
		return outcome{}, err
	}
	receipt, err := change.Remove(ctx, info.Ref(), e.c.Engine, where)
	if receipt.ID == "" {
		return outcome{}, err
	}
	if err != nil { // it is in the trash nevertheless
		e.noteOnce("%v", err)
	}
	out := outcome{Done: "Moved to the trash", Session: o.Session, Name: info.Name, Item: receipt.ID, Undo: &undo{"restore", order{Item: receipt.ID}}}
	if receipt.System {
		out.Done, out.Undo = "Moved to the system trash; restore it there", nil
	}
	if _, err := e.archive.renew(ctx); err != nil { // the session is in the trash nevertheless
		e.noteOnce("%v", err)
	}
	return out, nil
}

func (e *editor) restore(ctx context.Context, o order) (outcome, error) {
	where, err := e.c.Write.Trash()
	if err != nil {
		return outcome{}, err
	}
	path, err := trash.Restore(o.Item, where)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{Done: "Restored"}
	l, err := e.archive.renew(ctx)
	if err != nil { // the session is restored nevertheless
		e.noteOnce("%v", err)
		return out, nil
	}
	out.Session = l.keyOf(path)
	return out, nil
}
