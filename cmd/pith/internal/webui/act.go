package webui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
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

// offersActions reports whether pages have buttons for actions.
func (s *Server) offersActions() bool { return s.c.Write != nil && s.c.Who == nil }

// act carries out an action, one at a time.
func (e *editor) act(w http.ResponseWriter, r *http.Request) error {
	do := actions[r.PathValue("action")]
	if do == nil {
		return errNothing
	}
	var o order
	in := json.NewDecoder(r.Body)
	in.DisallowUnknownFields()
	if err := in.Decode(&o); err != nil || in.More() {
		return e.refuseAction(w, errOrder)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.checkTeam(r.Context(), o); err != nil {
		return e.refuseAction(w, err)
	}
	out, err := do(e, r.Context(), o)
	if err != nil {
		return e.refuseAction(w, err)
	}
	return reply(w, out)
}

// checkTeam refuses to change sessions of a team database: the server shows copies of
// them.
func (e *editor) checkTeam(ctx context.Context, o order) error {
	if e.c.Who == nil {
		return nil
	}
	info, err := e.archive.find(ctx, o.Session)
	if err != nil {
		return err
	}
	return &teamError{e.c.Who(info.Path), info.ID}
}

// refuseAction answers with the words of the command that does the same.
func (e *editor) refuseAction(w http.ResponseWriter, err error) error {
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
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	return json.NewEncoder(w).Encode(map[string]string{"error": page.OneLine(view.Refusal(err, e.c.Command), 500)})
}
