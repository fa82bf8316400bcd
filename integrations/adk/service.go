package adksession

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"google.golang.org/adk/v2/platform"
	"google.golang.org/adk/v2/session"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Options configure a service.
type Options struct {
	// Dir is the directory of the sessions. With a Store without files it is
	// the prefix of their names; empty means "/adk".
	Dir string
	// Store stores the sessions. Nil means files. [Service.List] and
	// [Service.Search] need a store that is a store.Lister, [Service.Delete]
	// one that is a store.Remover.
	Store store.Store
	// OnConflict determines what AppendEvent does if others have written to the
	// session since its handle last saw it.
	OnConflict ConflictPolicy
	// Cwd is the working directory in the headers of new sessions, by which
	// pith groups them. Empty means that of the process.
	Cwd string
	// Trash is the directory to which Delete moves files. Empty means the
	// user's trash.
	Trash string
}

// A Service stores ADK sessions in a store. It is a session.Service. It is safe
// for concurrent use, and several processes may share one store.
type Service struct {
	dir, cwd string
	store    store.Store
	files    bool
	policy   ConflictPolicy
	trash    string

	mu      sync.Mutex // guards the fields below
	open    map[string]*conversation
	recent  *list.List // of *conversation, most recently used first
	listed  map[place]*listedInfo
	folders map[string]folderNames
}

var _ session.Service = (*Service)(nil)

// New returns a service. It does no I/O on the store.
func New(o Options) (*Service, error) {
	s := &Service{dir: o.Dir, cwd: o.Cwd, store: o.Store, policy: o.OnConflict, trash: o.Trash,
		open: map[string]*conversation{}, recent: list.New(), listed: map[place]*listedInfo{}, folders: map[string]folderNames{}}
	if s.store == nil {
		s.store = filestore.New(filestore.Options{})
	}
	_, s.files = s.store.(*filestore.Store)
	if s.dir == "" {
		if s.files {
			return nil, errors.New("adksession: Options.Dir is empty")
		}
		s.dir = "/adk"
	}
	var err error
	if s.dir, err = filepath.Abs(s.dir); err != nil {
		return nil, err
	}
	if s.cwd == "" {
		if s.cwd, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Close closes the open logs. The service may be used again afterwards. Close
// must not be called while other methods run.
func (s *Service) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, c := range s.open {
		c.forget()
		delete(s.open, name)
	}
	s.recent.Init()
	return nil
}

// A NotFoundError means that the session does not exist. It matches
// fs.ErrNotExist, and its text is that of ADK's own services.
type NotFoundError struct{ AppName, UserID, SessionID string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("session %s not found", e.SessionID) }

// Unwrap returns fs.ErrNotExist.
func (e *NotFoundError) Unwrap() error { return fs.ErrNotExist }

// check rejects keys that ADK rejects.
func (k key) check() error {
	if k.App == "" || k.User == "" || k.ID == "" {
		return fmt.Errorf("app_name, user_id, session_id are required, got app_name: %q, user_id: %q, session_id: %q", k.App, k.User, k.ID)
	}
	return nil
}

// found converts an error about a missing log into one about the session.
func (k key) found(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &NotFoundError{k.App, k.User, k.ID}
	}
	return err
}

// A founding is the data of the first entry of a session.
type founding struct {
	key
	Created time.Time `json:"created"`
	State   values    `json:"state"`
}

// Create starts a session. The error matches fs.ErrExist if the id exists.
func (s *Service) Create(ctx context.Context, req *session.CreateRequest) (*session.CreateResponse, error) {
	k := key{req.AppName, req.UserID, req.SessionID}
	if k.ID == "" {
		k.ID = platform.NewUUID(ctx)
	}
	if err := k.check(); err != nil {
		return nil, err
	}
	state, err := split(req.State)
	if err != nil {
		return nil, err
	}
	first := founding{k, platform.Now(ctx), state.session}
	if err := s.found(ctx, first, entryID(), "", nil); err != nil {
		return nil, err
	}
	if err := s.share(ctx, k, state); err != nil {
		return nil, err
	}
	h, err := s.get(ctx, k, filter{})
	if err != nil {
		return nil, err
	}
	return &session.CreateResponse{Session: h}, nil
}

// found publishes a session that starts with an entry and continues with lines.
func (s *Service) found(ctx context.Context, first founding, id, parent string, lines []byte) error {
	data, err := json.Marshal(first)
	if err != nil {
		return err
	}
	now := format.FormatTime(first.Created)
	text := format.AppendHeader(nil, &format.Header{ID: first.headerID(), Timestamp: now, Cwd: s.cwd, ParentSession: parent})
	text = append(text, '\n')
	text = format.AppendEntry(text, &format.Custom{Base: format.Base{ID: id, Timestamp: now}, CustomType: sessionType, Data: data})
	text = append(text, '\n')
	log, err := s.store.Create(ctx, s.sessionName(first.key), store.Bytes(append(text, lines...)))
	if errors.Is(err, store.ErrExist) {
		return fmt.Errorf("session %s already exists: %w", first.ID, fs.ErrExist)
	}
	if err != nil {
		return err
	}
	return log.Close()
}

// Get returns a session. With NumRecentEvents it reads only the end of the log.
// After a compaction the events start with the summary, as a user message.
func (s *Service) Get(ctx context.Context, req *session.GetRequest) (*session.GetResponse, error) {
	k := key{req.AppName, req.UserID, req.SessionID}
	if err := k.check(); err != nil {
		return nil, err
	}
	h, err := s.get(ctx, k, filter{most: req.NumRecentEvents, after: req.After})
	if err != nil {
		return nil, err
	}
	return &session.GetResponse{Session: h}, nil
}

// A filter selects events, from the last one back.
type filter struct {
	most  int // 0 means all
	after time.Time
	whole bool // include events that compactions left out
}

// get reads the session and its shared state concurrently.
func (s *Service) get(ctx context.Context, k key, f filter) (*handle, error) {
	var state scopes
	var appErr, userErr error
	var both sync.WaitGroup
	both.Go(func() { state.app, appErr = s.shared(ctx, s.appStateName(k.App)) })
	both.Go(func() { state.user, userErr = s.shared(ctx, s.userStateName(k.App, k.User)) })
	h, own, err := s.read(ctx, k, f)
	both.Wait()
	if err := errors.Join(err, appErr, userErr); err != nil {
		return nil, err
	}
	state.session = own
	h.state, err = state.decode()
	return h, err
}

// read returns a handle without its state, and the session's own state.
func (s *Service) read(ctx context.Context, k key, f filter) (*handle, values, error) {
	c, err := s.acquire(ctx, s.sessionName(k))
	if err != nil {
		return nil, nil, err
	}
	defer s.release(c)
	if err := c.refresh(ctx); err != nil {
		return nil, nil, k.found(err)
	}
	h := &handle{key: k, updated: c.updated, leaf: c.leaf}
	h.events, err = c.walk(ctx).events(f)
	return h, c.state, err
}

// events returns the events of the path that the filter selects, the oldest
// first.
func (w *walk) events(f filter) ([]*session.Event, error) {
	out := []*session.Event{}
	var summary *session.Event
	firstKept := ""
	for f.most == 0 || len(out) < f.most {
		e, ok, err := w.step()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if raw := e.event(); raw != nil {
			event := new(session.Event)
			if err := json.Unmarshal(raw, event); err != nil {
				return nil, fmt.Errorf("entry %s: %w", e.id, err)
			}
			if !event.Timestamp.Before(f.after) {
				out = append(out, event)
			}
		}
		if e.kind == format.TypeCompaction && summary == nil && !f.whole {
			summary, firstKept = summaryOf(e)
		}
		if summary != nil && e.id == firstKept {
			if f.most == 0 || len(out) < f.most {
				out = append(out, summary)
			}
			break
		}
	}
	slices.Reverse(out)
	return out, nil
}

// Delete removes a session; a file is moved to the trash. A missing session is
// not an error.
func (s *Service) Delete(ctx context.Context, req *session.DeleteRequest) error {
	k := key{req.AppName, req.UserID, req.SessionID}
	if err := k.check(); err != nil {
		return err
	}
	c, err := s.acquire(ctx, s.sessionName(k))
	if err != nil {
		return err
	}
	defer s.release(c)
	c.forget()
	if s.files {
		err = s.discard(c.name)
	} else if r, ok := s.store.(store.Remover); ok {
		err = r.Remove(ctx, c.name)
	} else {
		err = fmt.Errorf("delete a session from a %T: %w", s.store, errors.ErrUnsupported)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (s *Service) discard(file string) error {
	if _, err := os.Lstat(file); err != nil {
		return err
	}
	o := trash.Options{Dir: s.trash}
	if s.trash == "" {
		var err error
		if o, err = trash.Default(sessiondir.Environment{}); err != nil {
			return err
		}
	}
	_, err := trash.Put(file, o)
	return err
}
