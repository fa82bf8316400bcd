package adksession

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/adk/v2/session"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
)

// listedInfo contains the facts about one version of a log for List.
type listedInfo struct {
	stamp stamp
	key   key
	tip   tip
	state values
}

// stamp identifies a version of a log. A file that replaces another one of the same
// length has a different time.
type stamp struct {
	size     int64
	modified int64
}

// A place is the name of a log in two parts, so that listing a directory builds
// no full names.
type place struct{ folder, name string }

func (p place) String() string { return path.Join(p.folder, p.name) }

// A foundLog is a log as listed by the store.
type foundLog struct {
	place
	stamp
}

// List returns the sessions of an app, or of one of its users, without their
// events. Sessions that did not change since the last call are not read.
func (s *Service) List(ctx context.Context, req *session.ListRequest) (*session.ListResponse, error) {
	found, err := s.list(ctx, req.AppName, req.UserID)
	if err != nil {
		return nil, err
	}
	app, err := s.shared(ctx, s.appStateName(req.AppName))
	if err != nil {
		return nil, err
	}
	users := map[string]scopes{}
	out := &session.ListResponse{Sessions: make([]session.Session, 0, len(found))}
	for _, f := range found {
		state, ok := users[f.key.User]
		if !ok {
			user, err := s.shared(ctx, s.userStateName(f.key.App, f.key.User))
			if err != nil {
				return nil, err
			}
			state = scopes{app: app, user: user}
			if _, err := state.decode(); err != nil {
				return nil, err
			}
			users[f.key.User] = state
		}
		state.session = f.state
		out.Sessions = append(out.Sessions, &handle{key: f.key, updated: f.tip.updated, leaf: f.tip.leaf, encoded: state})
	}
	return out, nil
}

// list returns the sessions of an app, ordered by the names of their logs.
func (s *Service) list(ctx context.Context, app, user string) ([]*listedInfo, error) {
	if app == "" {
		return nil, fmt.Errorf("app_name is required, got app_name: %q", app)
	}
	logs, err := s.logs(ctx, app, user)
	if err != nil {
		return nil, err
	}
	out, errs := make([]*listedInfo, len(logs)), make([]error, len(logs))
	var missing []int
	s.mu.Lock()
	for i, l := range logs {
		if known := s.listed[l.place]; known != nil && known.stamp == l.stamp {
			out[i] = known
		} else {
			missing = append(missing, i)
		}
	}
	s.mu.Unlock()
	var all sync.WaitGroup
	slots := make(chan struct{}, 2*runtime.GOMAXPROCS(0)+4)
	for _, i := range missing {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			out[i], errs[i] = s.look(ctx, logs[i])
		})
	}
	all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range missing {
		switch {
		case errs[i] == nil:
			s.listed[logs[i].place] = out[i]
		case errors.Is(errs[i], fs.ErrNotExist), errors.Is(errs[i], format.ErrNotSession):
			delete(s.listed, logs[i].place) // deleted since, or of another program
		default:
			return nil, errs[i]
		}
	}
	return slices.DeleteFunc(out, func(info *listedInfo) bool {
		return info == nil || info.key.App != app || user != "" && info.key.User != user
	}), nil
}

func (s *Service) look(ctx context.Context, l foundLog) (*listedInfo, error) {
	log, err := s.store.Open(ctx, l.String())
	if err != nil {
		return nil, err
	}
	defer log.Close()
	c := &conversation{log: log, size: l.size}
	w := c.walk(ctx)
	if err := w.stand(); err != nil {
		return nil, err
	}
	info := &listedInfo{stamp: l.stamp}
	info.tip.leaf = w.next
	if info.state, info.tip.since, info.tip.updated, err = w.fold(tip{}, nil); err != nil {
		return nil, err
	}
	if _, err := (scopes{session: info.state}).decode(); err != nil {
		return nil, err
	}
	head := w.text
	for n := int64(8 << 10); w.off > 0 && strings.Count(string(head), "\n") < 2; n *= 4 {
		head = make([]byte, min(n, l.size))
		if err := readAt(ctx, log, head, 0); err != nil {
			return nil, err
		}
		w.off -= min(n, w.off)
	}
	info.key, err = founder(head)
	return info, err
}

// founder returns the key in the first entry of a session.
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

// logs returns the logs that may be sessions of an app, ordered by name.
func (s *Service) logs(ctx context.Context, app, user string) ([]foundLog, error) {
	if s.files {
		return s.sessionFiles(ctx, app, user)
	}
	l, ok := s.store.(store.Lister)
	if !ok {
		return nil, fmt.Errorf("list the sessions of a %T: %w", s.store, errors.ErrUnsupported)
	}
	prefix := path.Join(s.dir, folderStart(app))
	if user != "" {
		prefix = s.folder(app, user) + "/"
	}
	var out []foundLog
	for info, err := range l.List(ctx, prefix) {
		if err != nil {
			return nil, err
		}
		if folder, name := path.Split(info.Name); strings.HasSuffix(name, format.FileSuffix) {
			out = append(out, foundLog{place{folder, name}, stamp{size: info.Size}})
		}
	}
	return out, nil
}

// sessionFiles is like logs for files.
func (s *Service) sessionFiles(ctx context.Context, app, user string) ([]foundLog, error) {
	if user != "" {
		return s.folderFiles(ctx, nil, s.folder(app, user))
	}
	folders, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []foundLog
	for _, d := range folders {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), folderStart(app)) {
			out, err = s.folderFiles(ctx, out, filepath.Join(s.dir, d.Name()))
		}
	}
	return out, err
}

// A folderNames contains the names in a directory when it had the given time.
type folderNames struct {
	modified time.Time
	names    []string
}

// settled is the age from which the time of a directory identifies its names.
// Within one tick of the file system's clock, a directory may change twice.
const settled = 2 * time.Second

// fileNames returns the names in a directory in order. It reads them only if
// the directory has changed.
func (s *Service) fileNames(folder string) ([]string, error) {
	info, err := os.Stat(folder)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	known, ok := s.folders[folder]
	s.mu.Unlock()
	if ok && known.modified.Equal(info.ModTime()) {
		return known.names, nil
	}
	now := time.Now()
	dir, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(info.ModTime()) > settled {
		s.folders[folder] = folderNames{info.ModTime(), names}
	} else {
		delete(s.folders, folder)
	}
	return names, nil
}

func (s *Service) folderFiles(ctx context.Context, out []foundLog, folder string) ([]foundLog, error) {
	names, err := s.fileNames(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	stamps, errs := make([]stamp, len(names)), make([]error, runtime.GOMAXPROCS(0))
	each := max(250, (len(names)+len(errs)-1)/len(errs))
	var all sync.WaitGroup
	for i := range (len(names) + each - 1) / each {
		from, to := i*each, min((i+1)*each, len(names))
		all.Go(func() { errs[i] = stampFiles(ctx, folder, names[from:to], stamps[from:to]) })
	}
	all.Wait()
	out = slices.Grow(out, len(names))
	for i, name := range names {
		if stamps[i] != (stamp{}) {
			out = append(out, foundLog{place{folder, name}, stamps[i]})
		}
	}
	return out, errors.Join(errs...)
}

// stampFiles fills in the stamps of the files that may be sessions. A stat by
// name in the open directory takes half the time of one by path.
func stampFiles(ctx context.Context, folder string, names []string, stamps []stamp) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for i, name := range names {
		if !strings.HasSuffix(name, format.FileSuffix) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() {
			stamps[i] = stamp{info.Size(), info.ModTime().UnixNano()}
		}
	}
	return nil
}
