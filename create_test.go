package pith_test

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

// ownHome sets an empty directory as the user's home.
func ownHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, name := range []string{"PITH_SESSION_DIR", "PI_CODING_AGENT_SESSION_DIR", "PI_SESSIONS_DIR", "PI_CODING_AGENT_DIR"} {
		t.Setenv(name, "")
	}
	return home
}

// Without a directory from the caller a session goes where pi would put it, and
// is found there again, also under the other name of a linked directory
// (pitfall 175).
func TestCreateWherePiWould(t *testing.T) {
	home := ownHome(t)
	real := filepath.Join(home, "real")
	link := filepath.Join(home, "link")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		if runtime.GOOS != "windows" { // where a user may not be allowed to make one
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if r, err := filepath.EvalSymlinks(real); err == nil {
		real = r
	}
	s, err := pith.Create(pith.Options{Cwd: real})
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, "one")
	s.Close()
	if want := filepath.Join(home, ".pi", "agent", "sessions", format.ProjectDir(real)); filepath.Dir(s.File()) != want {
		t.Errorf("the file is %s, want it in %s", s.File(), want)
	}
	for _, cwd := range []string{real, link} {
		again, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: cwd})
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if again.File() != s.File() || again.Cwd() != cwd || again.Dir() != filepath.Dir(s.File()) {
			t.Errorf("in %s it goes on in %s of %s; want %s", cwd, again.File(), again.Cwd(), s.File())
		}
	}
	gone, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: filepath.Join(home, "gone")})
	if err != nil {
		t.Fatal(err)
	}
	defer gone.Close()
	if gone.Written() || gone.ID() == s.ID() {
		t.Errorf("a directory that is not there goes on in %s", gone.File())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pith.ContinueRecent(ctx, pith.Options{Cwd: real}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled ContinueRecent = %v", err)
	}
	if _, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: real, Store: memstore.New()}); !errors.Is(err, pith.ErrFilesOnly) || !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("ContinueRecent in a store without files = %v, want ErrFilesOnly", err)
	}
}

// Where the process's own directory is gone a relative name means nothing.
func TestNoWorkingDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory in use cannot be removed there")
	}
	source := write(t, head+line("a", "", "user", "one"))
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PWD", "")
	for name, call := range map[string]func() (*pith.Session, error){
		"Create":         func() (*pith.Session, error) { return pith.Create(pith.Options{Cwd: "x"}) },
		"ContinueRecent": func() (*pith.Session, error) { return pith.ContinueRecent(t.Context(), pith.Options{Cwd: "x"}) },
		"ForkFrom":       func() (*pith.Session, error) { return pith.ForkFrom(t.Context(), source, pith.Options{Cwd: "x"}) },
	} {
		if _, err := call(); !errors.Is(err, pith.ErrNoDir) || !errors.Is(err, pith.ErrInvalid) {
			t.Errorf("%s = %v, want ErrNoDir", name, err)
		}
	}
	kept := filepath.Join(t.TempDir(), "s.jsonl")
	s, err := pith.OpenOrCreate(t.Context(), kept, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	say(t, s, "one")
	if said(t, open(t, kept, pith.Options{})) != "one" {
		t.Errorf("the file is\n%s", read(t, kept))
	}
}

// OpenOrCreate uses exactly that file, in the directory of its forks.
func TestOpenOrCreate(t *testing.T) {
	path, dir := filepath.Join(t.TempDir(), "deep", "s.jsonl"), t.TempDir()
	o := pith.Options{Dir: dir, Cwd: "/q", ID: "mine"}
	s, err := pith.OpenOrCreate(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.File() != path || s.Dir() != dir || s.Cwd() != "/q" || s.ID() != "mine" || s.Written() {
		t.Errorf("file %s, folder %s, directory %s, id %s", s.File(), s.Dir(), s.Cwd(), s.ID())
	}
	first := say(t, s, "one")
	again, err := pith.OpenOrCreate(t.Context(), path, pith.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.LeafID() != first || again.Dir() != dir || again.Cwd() != "/q" {
		t.Errorf("again: leaf %s, folder %s, directory %s", again.LeafID(), again.Dir(), again.Cwd())
	}
	if _, err := pith.OpenOrCreate(t.Context(), filepath.Join(t.TempDir(), "x.jsonl"), pith.Options{ID: "a/b"}); !errors.Is(err, pith.ErrSessionID) || !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("with a bad id = %v, want ErrSessionID", err)
	}
	if _, err := pith.OpenOrCreate(t.Context(), t.TempDir(), pith.Options{}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a folder = %v, want an error", err)
	}
}

// A listing store records its logs.
type listing struct {
	store.Store
	infos []store.Info
	err   error
}

func (l *listing) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		for _, info := range l.infos {
			if strings.HasPrefix(info.Name, prefix) && !yield(info, nil) {
				return
			}
		}
		if l.err != nil {
			yield(store.Info{}, l.err)
		}
	}
}

// An id that was asked for is free unless the project has it, in any store that
// lists its logs (pitfalls 67, 68).
func TestChosenIDInAStore(t *testing.T) {
	header := func(cwd string) string {
		return `{"type":"session","version":3,"id":"mine","timestamp":"2026-02-03T22:52:06.410Z","cwd":"` + cwd + `"}` + "\n"
	}
	const name = "2026-02-03T22-52-06-410Z_mine.jsonl"
	dir := t.TempDir()
	tests := map[string]struct {
		file, text string
		err        error
		taken      bool
	}{
		"nothing":              {},
		"the same project":     {file: filepath.Join(dir, name), text: header("/p"), taken: true},
		"another project":      {file: filepath.Join(dir, name), text: header("/q")},
		"no project":           {file: filepath.Join(dir, name), text: header(""), taken: true},
		"what nobody can read": {file: filepath.Join(dir, name), text: "damaged\n", taken: true},
		"another ID":           {file: filepath.Join(dir, strings.Replace(name, "mine", "his", 1)), text: header("/p")},
		"a folder below":       {file: filepath.Join(dir, "below", name), text: header("/p")},
		"a folder beside":      {file: filepath.Join(dir+"2", name), text: header("/p")},
		"deleted meanwhile":    {file: filepath.Join(dir, name)},
		"no list":              {err: errFault},
	}
	for what, tt := range tests {
		t.Run(what, func(t *testing.T) {
			l := &listing{Store: memstore.New(), err: tt.err}
			if tt.file != "" {
				l.infos = []store.Info{{Name: tt.file}}
			}
			if tt.text != "" {
				if _, err := l.Create(t.Context(), tt.file, store.Bytes([]byte(tt.text))); err != nil {
					t.Fatal(err)
				}
			}
			s := create(t, pith.Options{Dir: dir, ID: "mine", Store: l})
			_, err := s.AppendMessage(t.Context(), message(t, "user", "one"))
			switch {
			case tt.err != nil && !errors.Is(err, tt.err):
				t.Errorf("AppendMessage = %v, want %v", err, tt.err)
			case tt.taken && (!errors.Is(err, pith.ErrExists) || s.Written()):
				t.Errorf("AppendMessage = %v, want ErrExists", err)
			case tt.err == nil && !tt.taken && (err != nil || said(t, s) != "one"):
				t.Errorf("AppendMessage = %v, want that the id is free", err)
			}
		})
	}
	f := &faulty{Store: &listing{Store: memstore.New()}}
	if s := create(t, pith.Options{Dir: dir, ID: "mine", Store: f}); say(t, s, "one") == "" {
		t.Error("a store that lists nothing refuses an id")
	}
}

// A parent that is a copy in the cache is named by its ID, because the cache
// may be deleted. Other parents keep the name that the caller gives.
func TestParentInTheCache(t *testing.T) {
	dir := t.TempDir()
	file := func(name, header string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(header+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own := file("own.jsonl", `{"type":"session","version":3,"id":"own","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}`)
	tests := map[string]string{
		file("copy.jsonl", `{"type":"session","version":3,"id":"foreign","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p","source":"claude","original":"/x.jsonl"}`):     "foreign",
		file("cache/mirror/home/.openclaw/agents/main/sessions/row.jsonl", `{"type":"session","version":4,"id":"row","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}`): "row",
		own:         own,
		"up.jsonl":  "up.jsonl",
		"/dev/null": "/dev/null",
		"some-id":   "some-id",
		"":          "",
	}
	for parent, want := range tests {
		for name, start := range map[string]func(pith.Options) (*pith.Session, error){
			"Create": pith.Create, "InMemory": pith.InMemory,
			"OpenOrCreate": func(o pith.Options) (*pith.Session, error) {
				return pith.OpenOrCreate(t.Context(), filepath.Join(t.TempDir(), "new.jsonl"), o)
			},
		} {
			s, err := start(pith.Options{Cwd: "/p", Dir: t.TempDir(), ParentSession: parent})
			if err != nil {
				t.Errorf("%s with the parent %q: %v", name, parent, err)
				continue
			}
			if got := s.Header().ParentSession; got != want {
				t.Errorf("%s with the parent %q: parentSession = %q; want %q", name, parent, got, want)
			}
			s.Close()
		}
	}
}
