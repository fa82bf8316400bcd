package adksession

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"google.golang.org/adk/v2/session"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
)

// listedInfo is what List needs to know of a log of a certain length.
type listedInfo struct {
	stamp stamp
	key   key
	tip   tip
	state values
}

// A stamp tells whether a log was changed. Files that are replaced by others of the
// same length have another time.
type stamp struct {
	size     int64
	modified int64
}

// List returns the sessions of an app, or of one of its users, without their events.
// Sessions that did not change since the service last listed them are not read.
func (s *Service) List(ctx context.Context, req *session.ListRequest) (*session.ListResponse, error) {
	found, err := s.list(ctx, req.AppName, req.UserID)
	if err != nil {
		return nil, err
	}
	app, err := s.shared(ctx, s.appStateName(req.AppName))
	if err != nil {
		return nil, err
	}
	users := map[string]values{}
	out := &session.ListResponse{Sessions: make([]session.Session, 0, len(found))}
	for _, f := range found {
		user, ok := users[f.key.User]
		if !ok {
			if user, err = s.shared(ctx, s.userStateName(f.key.App, f.key.User)); err != nil {
				return nil, err
			}
			users[f.key.User] = user
		}
		h := &handle{key: f.key, updated: f.tip.updated, leaf: f.tip.leaf}
		if h.state, err = (scopes{app, user, f.state}).decode(); err != nil {
			return nil, err
		}
		out.Sessions = append(out.Sessions, h)
	}
	return out, nil
}

// list finds the sessions of an app, in the order of their names.
func (s *Service) list(ctx context.Context, app, user string) ([]listedInfo, error) {
	if app == "" {
		return nil, fmt.Errorf("app_name is required, got app_name: %q", app)
	}
	prefix := path.Join(s.dir, folderStart(app))
	if user != "" {
		prefix = s.folder(app, user) + "/"
	}
	var names []string
	var stamps []stamp
	for name, st := range s.logs(ctx, prefix) {
		if st.err != nil {
			return nil, st.err
		}
		if strings.HasSuffix(name, format.FileSuffix) {
			names, stamps = append(names, name), append(stamps, st.stamp)
		}
	}
	out, errs := make([]listedInfo, len(names)), make([]error, len(names))
	var missing []int
	s.mu.Lock()
	for i, name := range names {
		if known, ok := s.listed[name]; ok && known.stamp == stamps[i] {
			out[i] = known
		} else {
			missing = append(missing, i)
		}
	}
	s.mu.Unlock()
	var all sync.WaitGroup
	places := make(chan struct{}, 2*runtime.GOMAXPROCS(0)+4)
	for _, i := range missing {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			out[i], errs[i] = s.look(ctx, names[i], stamps[i])
		})
	}
	all.Wait()
	found := out[:0]
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, info := range out {
		switch {
		case errors.Is(errs[i], fs.ErrNotExist), errors.Is(errs[i], format.ErrNotSession):
			delete(s.listed, names[i]) // deleted meanwhile, or of another program
		case errs[i] != nil:
			return nil, errs[i]
		case info.key.App == app && (user == "" || info.key.User == user):
			s.listed[names[i]] = info
			found = append(found, info)
		}
	}
	return found, nil
}

// look reads the beginning and the end of a log.
func (s *Service) look(ctx context.Context, name string, at stamp) (listedInfo, error) {
	log, err := s.store.Open(ctx, name)
	if err != nil {
		return listedInfo{}, err
	}
	defer log.Close()
	c := &conversation{log: log, size: at.size}
	w := c.walk(ctx)
	if err := w.stand(); err != nil {
		return listedInfo{}, err
	}
	info := listedInfo{stamp: at}
	info.tip.leaf = w.next
	if info.state, info.tip.since, info.tip.updated, err = w.fold(tip{}, nil); err != nil {
		return listedInfo{}, err
	}
	head := w.text
	for n := int64(8 << 10); w.off > 0 && strings.Count(string(head), "\n") < 2; n *= 4 {
		head = make([]byte, min(n, at.size))
		if err := readAt(ctx, log, head, 0); err != nil {
			return listedInfo{}, err
		}
		w.off -= min(n, w.off)
	}
	info.key, err = founder(head)
	return info, err
}

// founder is the key in the first entry of a session.
func founder(head []byte) (key, error) {
	_, rest, _ := strings.Cut(string(head), "\n")
	line, _, whole := strings.Cut(rest, "\n")
	if !whole || !jsonl.Valid([]byte(line)) {
		return key{}, format.ErrNotSession
	}
	e := parse([]byte(line))
	if e.record == nil || e.event() != nil {
		return key{}, format.ErrNotSession
	}
	return key{jsonl.LookupString(e.record, "app"), jsonl.LookupString(e.record, "user"), jsonl.LookupString(e.record, "id")}, nil
}

// A listing is a log that was found, or why no more are.
type listing struct {
	stamp
	err error
}

// logs yields the logs whose names begin with a prefix. An error comes once, last.
func (s *Service) logs(ctx context.Context, prefix string) iter.Seq2[string, listing] {
	return func(yield func(string, listing) bool) {
		if s.files {
			s.walkFiles(ctx, prefix, yield)
			return
		}
		l, ok := s.store.(store.Lister)
		if !ok {
			yield("", listing{err: fmt.Errorf("list the sessions of a %T: %w", s.store, errors.ErrUnsupported)})
			return
		}
		for info, err := range l.List(ctx, prefix) {
			if !yield(info.Name, listing{stamp{size: info.Size}, err}) || err != nil {
				return
			}
		}
	}
}

func (s *Service) walkFiles(ctx context.Context, prefix string, yield func(string, listing) bool) {
	folders, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	for _, d := range folders {
		folder := filepath.Join(s.dir, d.Name())
		if err != nil || !d.IsDir() || !strings.HasPrefix(folder+"/", prefix) {
			continue
		}
		var files []fs.DirEntry
		if files, err = os.ReadDir(folder); err != nil {
			break
		}
		for _, f := range files {
			if err = ctx.Err(); err != nil {
				break
			}
			info, gone := f.Info()
			if gone != nil || !info.Mode().IsRegular() {
				continue
			}
			if !yield(filepath.Join(folder, f.Name()), listing{stamp: stamp{info.Size(), info.ModTime().UnixNano()}}) {
				return
			}
		}
	}
	if err != nil {
		yield("", listing{err: err})
	}
}
