package webui

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/change"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/store"
)

// Write is what pages need to change sessions.
type Write struct {
	Marks func() (*marks.Collection, error)
	Trash func() (trash.Options, error)
}

const (
	actionPath = "/do/"
	mostOrder  = 16 << 10 // bytes of an order
)

// An order asks for an action. Each action uses some of the fields.
type order struct {
	Session string `json:"session,omitempty"` // the key of the session
	State   string `json:"state,omitempty"`   // the state of its file that the page shows
	Entry   string `json:"entry,omitempty"`   // an ID, not a reference
	Text    string `json:"text,omitempty"`
	On      bool   `json:"on,omitempty"`
	Item    string `json:"item,omitempty"` // in the trash
}

// An outcome is the answer to an order that was carried out.
type outcome struct {
	Done    string `json:"done"`            // for people
	Undo    *undo  `json:"undo,omitempty"`  // nil if there is nothing to undo
	Session string `json:"session"`         // the key of the session, or of a new one
	State   string `json:"state"`           // the new state of its file
	Name    string `json:"name"`            // "" if it has none
	Entry   string `json:"entry,omitempty"` // the current one after a branch
	Label   string `json:"label,omitempty"`
	Text    string `json:"text,omitempty"` // of the message that a fork asks again
	Item    string `json:"item,omitempty"`
	*view.Marks
}

// undo is the action that reverses another one.
type undo struct {
	Action string `json:"action"`
	Order  order  `json:"order"`
}

// actions are the actions by their names in URLs.
var actions = map[string]func(*Server, context.Context, order) (outcome, error){
	"name": (*Server).rename, "label": (*Server).label, "branch": (*Server).branch, "fork": (*Server).fork, "clone": (*Server).clone,
	"pin": (*Server).pin, "archive": (*Server).hide, "tag": (*Server).tag, "trash": (*Server).remove, "restore": (*Server).restore,
}

var (
	// errChanged means that the file of a session is not the one that a page shows.
	errChanged = errors.New("this session has changed since the page was loaded; look at it again, then try again")
	errOrder   = errors.New("the action is not valid")
	errNoEntry = fmt.Errorf("%w: it names no entry", errOrder)
	// errNothingBefore means that a fork would be empty.
	errNothingBefore = errors.New("there is nothing before this message to copy")
)

// A teamError means that a session is in a team database.
type teamError struct{ who, id string }

func (e *teamError) Error() string {
	return fmt.Sprintf("session %s of %s is in the team database and read-only here; download it with pith pull first", e.id, e.who)
}

// act carries out an action, one at a time.
func (s *Server) act(w http.ResponseWriter, r *http.Request) error {
	do := actions[r.PathValue("action")]
	if do == nil {
		return errNothing
	}
	var o order
	in := json.NewDecoder(r.Body)
	in.DisallowUnknownFields()
	if err := in.Decode(&o); err != nil || in.More() {
		return s.refuseAction(w, errOrder)
	}
	s.acting.Lock()
	defer s.acting.Unlock()
	if err := s.checkTeam(r.Context(), o); err != nil {
		return s.refuseAction(w, err)
	}
	out, err := do(s, r.Context(), o)
	if err != nil {
		return s.refuseAction(w, err)
	}
	return reply(w, out)
}

// checkTeam refuses to change sessions of a team database: the server shows copies of
// them.
func (s *Server) checkTeam(ctx context.Context, o order) error {
	if s.c.Who == nil {
		return nil
	}
	info, err := s.archive.find(ctx, o.Session)
	if err != nil {
		return err
	}
	return &teamError{s.c.Who(info.Path), info.ID}
}

// refuseAction answers with the words of the command that does the same.
func (s *Server) refuseAction(w http.ResponseWriter, err error) error {
	code := http.StatusInternalServerError
	is := func(targets ...error) bool {
		return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
	}
	switch {
	case is(errOrder):
		code = http.StatusBadRequest
	case errors.As(err, new(*pith.HeldError)), errors.As(err, new(*pith.StaleError)), is(errChanged, store.ErrConflict, store.ErrLocked, store.ErrGone, fs.ErrExist):
		code = http.StatusConflict
	case errors.As(err, new(*format.ForeignError)), errors.As(err, new(*teamError)), errors.As(err, new(*change.InDatabaseError)),
		is(pith.ErrTooNew, pith.ErrReadOnly, store.ErrReadOnly, fs.ErrPermission, syscall.EROFS):
		code = http.StatusForbidden
	case is(fs.ErrNotExist, catalog.ErrNotFound, pith.ErrNoEntry, trash.ErrNotFound):
		code = http.StatusNotFound
	case errors.As(err, new(*change.NotUserMessageError)), is(pith.ErrInvalid, change.ErrBlank, errBadTag, errNothingBefore):
		code = http.StatusUnprocessableEntity
	}
	command := s.c.Command
	if command == nil {
		command = func(words ...string) string { return "pith " + strings.Join(words, " ") }
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	return json.NewEncoder(w).Encode(map[string]string{"error": page.OneLine(view.Refusal(err, command), 500)})
}

// fresh returns errChanged unless a page has seen the current state of a session.
func (s *Server) fresh(info *catalog.Info, o order) error {
	now, err := s.archive.stateOf(*info)
	if err == nil && now.String() != o.State {
		err = errChanged
	}
	return err
}

// edit opens the session of an order for do. It closes the session and completes the
// outcome.
func (s *Server) edit(ctx context.Context, o order, do func(*pith.Session, *outcome) error) (outcome, error) {
	info, err := s.archive.find(ctx, o.Session)
	if err != nil {
		return outcome{}, err
	}
	engine := s.c.Engine
	engine.OnConflict = pith.Refuse
	session, err := pith.Open(ctx, info.Path, engine)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{Session: o.Session}
	err = session.Header().CheckWritable()
	if err == nil {
		err = s.fresh(&info, o) // after the session was read: the engine notices later changes
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
	return s.settle(ctx, out, info)
}

// settle completes an outcome with the key and the state of a session after an action.
func (s *Server) settle(ctx context.Context, out outcome, info catalog.Info) (outcome, error) {
	l, err := s.archive.renew(ctx)
	if err != nil {
		return out, err
	}
	now, err := s.archive.stateOf(info)
	if err != nil {
		return out, err
	}
	out.Session, out.State = cmp.Or(out.Session, l.keyOf(info.Path)), now.String()
	if out.Undo != nil {
		out.Undo.Order.Session, out.Undo.Order.State = out.Session, out.State
	}
	return out, nil
}

// checkText returns an error if a text is neither empty, which removes a name or a
// label, nor valid as one.
func checkText(text string) error {
	if text == "" {
		return nil
	}
	return change.CheckText(text)
}

func (s *Server) rename(ctx context.Context, o order) (outcome, error) {
	if err := checkText(o.Text); err != nil {
		return outcome{}, err
	}
	out, err := s.edit(ctx, o, func(session *pith.Session, out *outcome) error {
		out.Undo = &undo{"name", order{Text: session.Name()}}
		out.Done = "Name removed"
		if name := format.CleanName(o.Text); name != "" {
			out.Done = `Renamed to "` + page.OneLine(name, mostTitle) + `"`
		}
		_, err := session.SetName(ctx, o.Text)
		return err
	})
	if open := s.open.get(o.Session); open != nil { // it has the old title
		s.open.forget(open)
		s.open.release(open)
	}
	return out, err
}

func (s *Server) label(ctx context.Context, o order) (outcome, error) {
	if err := checkText(o.Text); err != nil {
		return outcome{}, err
	}
	return s.edit(ctx, o, func(session *pith.Session, out *outcome) error {
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

func (s *Server) branch(ctx context.Context, o order) (outcome, error) {
	return s.edit(ctx, o, func(session *pith.Session, out *outcome) error {
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

func (s *Server) fork(ctx context.Context, o order) (outcome, error) {
	return s.copyTo(ctx, o, func(from *pith.Session) (*pith.Session, string, error) { return change.Fork(ctx, from, o.Entry) })
}

func (s *Server) clone(ctx context.Context, o order) (outcome, error) {
	return s.copyTo(ctx, o, func(from *pith.Session) (*pith.Session, string, error) {
		to, err := change.Clone(ctx, from, o.Entry, s.now())
		return to, "", err
	})
}

// copyTo makes a new session from the one of an order, which may have grown: the entries
// before one do not change.
func (s *Server) copyTo(ctx context.Context, o order, do func(*pith.Session) (*pith.Session, string, error)) (outcome, error) {
	info, err := s.archive.find(ctx, o.Session)
	if err != nil {
		return outcome{}, err
	}
	from, err := s.archive.open(ctx, info)
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
	return s.settle(ctx, outcome{Done: "New session", Name: to.Name(), Text: text, Undo: &undo{Action: "trash"}}, info)
}

func (s *Server) pin(ctx context.Context, o order) (outcome, error) {
	out := outcome{Done: map[bool]string{true: "Pinned", false: "Unpinned"}[o.On], Undo: &undo{"pin", order{On: !o.On}}}
	return s.mark(ctx, o, out, func(m *marks.Marks) { m.Pinned = o.On })
}

func (s *Server) hide(ctx context.Context, o order) (outcome, error) {
	out := outcome{Done: map[bool]string{true: "Archived", false: "Unarchived"}[o.On], Undo: &undo{"archive", order{On: !o.On}}}
	return s.mark(ctx, o, out, func(m *marks.Marks) { m.Archived = o.On })
}

// errBadTag means that a text is not a list of tags.
var errBadTag = errors.New("invalid tags")

// tag adds and removes the tags that the text of an order has, as in "bug -draft".
func (s *Server) tag(ctx context.Context, o order) (outcome, error) {
	words := strings.Fields(o.Text)
	add, remove, err := change.ParseTags(words)
	if err != nil || len(words) == 0 {
		return outcome{}, fmt.Errorf("%w: %w", errBadTag, cmp.Or(err, change.ErrBlank))
	}
	var back []string
	out, err := s.mark(ctx, o, outcome{Done: "Tags changed"}, func(m *marks.Marks) {
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
func (s *Server) mark(ctx context.Context, o order, out outcome, do func(*marks.Marks)) (outcome, error) {
	info, err := s.archive.find(ctx, o.Session)
	if err != nil {
		return outcome{}, err
	}
	all, err := s.c.Write.Marks()
	if err != nil {
		return outcome{}, err
	}
	m, err := all.Update(info.ID, info.Path, do)
	if err != nil {
		return outcome{}, err
	}
	marked := view.Marked(m)
	out.Session, out.Name, out.Marks = o.Session, info.Name, &marked
	return s.settle(ctx, out, info)
}

func (s *Server) remove(ctx context.Context, o order) (outcome, error) {
	info, err := s.archive.find(ctx, o.Session)
	if err != nil {
		return outcome{}, err
	}
	if err := change.CheckRemovable(ctx, info.Ref(), s.c.Engine); err != nil {
		return outcome{}, err
	}
	if err := s.fresh(&info, o); err != nil {
		return outcome{}, err
	}
	where, err := s.c.Write.Trash()
	if err != nil {
		return outcome{}, err
	}
	path := info.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // as the command does
	}
	receipt, err := trash.Put(path, where)
	if receipt.ID == "" {
		return outcome{}, err
	}
	if err != nil { // it is in the trash nevertheless
		s.tell("%v", err)
	}
	out := outcome{Done: "Moved to the trash", Session: o.Session, Name: info.Name, Item: receipt.ID, Undo: &undo{"restore", order{Item: receipt.ID}}}
	if receipt.System {
		out.Done, out.Undo = "Moved to the system trash; restore it there", nil
	}
	_, err = s.archive.renew(ctx)
	return out, err
}

func (s *Server) restore(ctx context.Context, o order) (outcome, error) {
	where, err := s.c.Write.Trash()
	if err != nil {
		return outcome{}, err
	}
	path, err := trash.Restore(o.Item, where)
	if err != nil {
		return outcome{}, err
	}
	l, err := s.archive.renew(ctx)
	if err != nil {
		return outcome{}, err
	}
	return outcome{Done: "Restored", Session: l.keyOf(path)}, nil
}
