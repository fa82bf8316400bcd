package webui

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/page"
)

// An archive lists sessions, finds one by its key, opens it, and detects
// changes. No other type knows where sessions are. Listing many sessions takes
// longer than a page may, so it keeps the last list; look makes a new one.
type archive struct {
	c       Config
	list    func(context.Context) ([]catalog.Info, error)
	looking sync.Mutex              // held while listing
	last    atomic.Pointer[listing] // nil before the first list
}

// A listing is the list of sessions at one time, the most recently used first.
type listing struct {
	infos   []catalog.Info
	tags    [][]string // with pins and the archive
	keys    []string   // the keys in URLs
	byKey   map[string]int
	byPath  map[string]int
	pinned  map[string]bool // by path
	version string
	began   time.Time
	filled  time.Time
	from    []catalog.Info // shared with the live list
}

// kept returns the last list. It waits for the first one.
func (a *archive) kept(ctx context.Context) (*listing, error) {
	if last := a.last.Load(); last != nil {
		return last, nil
	}
	return a.look(ctx)
}

// look returns a current list. Concurrent callers share a listing that started
// after their calls.
func (a *archive) look(ctx context.Context) (*listing, error) {
	asked := time.Now()
	a.looking.Lock()
	defer a.looking.Unlock()
	last := a.last.Load()
	if last != nil && last.began.After(asked) {
		return last, nil
	}
	began := time.Now()
	infos, err := a.list(ctx)
	if err != nil {
		return nil, err
	}
	l := &listing{began: began, filled: began, from: infos}
	if last != nil && same(infos, last.from) && began.Sub(last.filled) < marksAge {
		*l = *last
		l.began = began
	} else {
		l.fill(slices.Clone(infos), a.c)
	}
	a.last.Store(l)
	return l, nil
}

// marksAge is how long pins and tags are kept if no session changes.
const marksAge = 5 * time.Second

// same reports whether two lists are the same slice.
func same(a, b []catalog.Info) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// mostTitle is the number of characters kept of a first message.
const mostTitle = 160

func (l *listing) fill(infos []catalog.Info, c Config) {
	of, _ := c.App.MarksOf() // without marks there are no tags
	l.infos, l.byKey, l.byPath = infos, make(map[string]int, len(infos)), make(map[string]int, len(infos))
	l.pinned = map[string]bool{}
	facts := sha256.New()
	for i := range infos {
		info := &infos[i]
		info.FirstMessage, info.Text = page.OneLine(info.FirstMessage, mostTitle), ""
		key := info.ID
		if _, taken := l.byKey[key]; taken || key == "" || key == "." || key == ".." {
			sum := sha256.Sum256([]byte(info.Path)) // a copy, or a file without an ID
			key = "file-" + hex.EncodeToString(sum[:8])
		}
		l.keys = append(l.keys, key)
		l.byKey[key], l.byPath[info.Path] = i, i
		m := of(info.ID)
		tags := []string{}
		for _, tag := range m.Tags {
			tags = append(tags, page.OneLine(tag, 40))
		}
		if m.Pinned {
			tags, l.pinned[info.Path] = append(tags, "pinned"), true
		}
		if m.Archived || info.Archived {
			tags = append(tags, "archived")
		}
		l.tags = append(l.tags, tags)
		fmt.Fprint(facts, info.Path, info.Size, info.FileTime.UnixNano(), info.Name, info.Findings, tags)
	}
	l.version = hex.EncodeToString(facts.Sum(nil)[:8])
}

// keyOf returns the key of the session in a file; "" if the list does not have
// it.
func (l *listing) keyOf(path string) string {
	if i, ok := l.byPath[path]; ok {
		return l.keys[i]
	}
	return ""
}

func (a *archive) find(ctx context.Context, key string) (catalog.Info, error) {
	for _, list := range []func(context.Context) (*listing, error){a.kept, a.look} {
		l, err := list(ctx)
		if err != nil {
			return catalog.Info{}, err
		}
		if i, ok := l.byKey[key]; ok {
			return l.infos[i], nil
		}
	}
	return catalog.Info{}, fmt.Errorf("session %q: %w", key, catalog.ErrNotFound)
}

// A state is the size and time of a session's file, which change with the
// session.
type state struct {
	size int64
	at   time.Time
}

// stateOf returns the state of a session's file without reading it.
func stateOf(path string) (state, error) {
	if f := foreign.Find(path); f != nil {
		path = f.Original
	}
	at, err := os.Stat(path)
	if err != nil {
		return state{}, err
	}
	return state{at.Size(), at.ModTime()}, nil
}
