package pgteam

import (
	"context"
	"io/fs"
	"iter"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
)

var _ replica.Preparer = (*Store)(nil)

// prepared are answers that the store already has. Each is given once.
type prepared struct {
	mu      sync.Mutex // guards all below
	prefix  string     // of list; "" if it was given
	list    []store.Info
	logs    map[string]*pgstore.Found // nil for a log that does not exist
	covered map[string]int64
}

// log returns and forgets what is known of a log.
func (p *prepared) log(name string) (f *pgstore.Found, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, ok = p.logs[name]
	delete(p.logs, name)
	return f, ok
}

// coverage returns and forgets how much of a log its facts cover.
func (p *prepared) coverage(name string) (covered int64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	covered, ok = p.covered[name]
	delete(p.covered, name)
	return covered, ok
}

// Prepare implements replica.Preparer. The prefix ends with a slash.
func (s *Store) Prepare(ctx context.Context, prefix string, names ...string) (forget func(), err error) {
	p := &s.prepared
	forget = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.prefix, p.list, p.logs, p.covered = "", nil, nil, nil
	}
	forget()
	if s.factless {
		return forget, nil
	}
	asked := make([][]byte, len(names))
	for i, name := range names {
		asked[i] = []byte(name)
	}
	var f pgstore.Found
	var name []byte
	var covered *int64
	next := prepared{logs: map[string]*pgstore.Found{}, covered: map[string]int64{}}
	err = s.rows(ctx, "open", `SELECT name, id, gen, len, merged, covered, start FROM `+s.function("prepare")+`($1, $2, $3)`,
		[]any{asked, []byte(prefix), []byte(strings.TrimSuffix(prefix, "/") + "0")}, func() {
			next.list = nil
			clear(next.logs)
			clear(next.covered)
			for _, name := range names {
				next.logs[name] = nil
			}
		}, []any{&name, &f.ID, &f.Gen, &f.Size, &f.Merged, &covered, &f.Start}, func() error {
			log := f
			log.Name = string(name)
			next.logs[log.Name] = &log
			if strings.HasPrefix(log.Name, prefix) {
				next.list = append(next.list, store.Info{Name: log.Name, Size: log.Size})
				next.covered[log.Name] = 0
				if covered != nil {
					next.covered[log.Name] = *covered
				}
			}
			return nil
		})
	if err != nil {
		return forget, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prefix, p.list, p.logs, p.covered = prefix, next.list, next.logs, next.covered
	return forget, nil
}

// Open opens the log of that name.
func (s *Store) Open(ctx context.Context, name string) (store.Log, error) {
	f, ok := s.prepared.log(name)
	switch {
	case !ok:
		return s.Store.Open(ctx, name)
	case f == nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return s.OpenFound(*f), nil
}

// List yields the logs whose names have the prefix: see [pgstore.Store.List].
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	s.prepared.mu.Lock()
	defer s.prepared.mu.Unlock()
	if prefix == "" || prefix != s.prepared.prefix {
		return s.Store.List(ctx, prefix)
	}
	list := s.prepared.list
	s.prepared.prefix = ""
	return func(yield func(store.Info, error) bool) {
		for _, info := range list {
			if !yield(info, nil) {
				return
			}
		}
	}
}
