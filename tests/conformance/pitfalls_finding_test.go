package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

// ownHome gives the test a home directory without sessions, and an environment
// that names no other place for them. It returns the directory of pi's
// sessions.
func ownHome(t *testing.T) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for _, name := range []string{"PITH_SESSION_DIR", "PI_CODING_AGENT_SESSION_DIR", "PI_SESSIONS_DIR", "PI_CODING_AGENT_DIR"} {
		t.Setenv(name, "")
	}
	return filepath.Join(home, ".pi", "agent", "sessions")
}

// putSession writes a session of a project whose last message is that old, and
// which was written last at another time.
func putSession(t *testing.T, path, id, cwd string, said, written time.Time, more ...string) {
	t.Helper()
	text := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T00:00:00.000Z","cwd":%q%s}`+"\n", id, cwd, strings.Join(more, ""))
	text += fmt.Sprintf(`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":%q,"message":{"role":"user","content":"x","timestamp":%d}}`+"\n",
		format.FormatTime(said), said.UnixMilli())
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, written, written)); err != nil {
		t.Fatal(err)
	}
}

var spring = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func day(n int) time.Time { return spring.AddDate(0, 0, n) }

// Continuing opens the session that a list shows first, whatever was renamed,
// copied or noted since, and never an internal one (pitfalls 14, 53, 54).
func TestContinuingAgreesWithTheList(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 54))
	for round := range 30 {
		dir := t.TempDir()
		files, own := 1+random.IntN(8), 0
		for i := range files {
			said := day(random.IntN(20))
			path := filepath.Join(dir, fmt.Sprint(i, ".jsonl"))
			more := ""
			switch random.IntN(6) {
			case 0: // an internal session
				more = `,"internal":true,"workflow":{"runId":"r","stageId":"s","stageName":"n"}`
				own++
			case 1:
				more = `,"extra":"` + strings.Repeat("x", 2<<20) + `"`
			}
			// No program writes a message before it was said.
			putSession(t, path, fmt.Sprint("s", i), "/home/u/p", said, said.AddDate(0, 0, random.IntN(10)), more)
			if random.IntN(3) == 0 { // many entries at the end that are not messages
				appendText(t, path, `{"type":"custom","customType":"state",`+inVersion3("cccc0001", "aaaa0001")+`,"data":"`+strings.Repeat("message ", 1+random.IntN(70_000))+`"}`+"\n")
			}
		}
		o := catalog.Options{Dir: dir}
		infos, err := catalog.Sorted(catalog.List(t.Context(), "/home/u/p", o))
		if err != nil || len(infos) != files-own {
			t.Fatalf("round %d: listed %d sessions, %v; want %d", round, len(infos), err, files-own)
		}
		s, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: "/home/u/p", Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		if len(infos) == 0 {
			if s.Written() {
				t.Errorf("round %d: continued %s, but the list is empty", round, s.File())
			}
			continue
		}
		got, err := catalog.Facts(context.Background(), catalog.Ref{Path: s.File()}, catalog.Options{})
		if err != nil || !got.Modified.Equal(infos[0].Modified) || got.Internal {
			t.Errorf("round %d: continued %s of %v, %v; the list begins with %s of %v", round, got.ID, got.Modified, err, infos[0].ID, infos[0].Modified)
		}
		if at, err := catalog.Resolve(t.Context(), "@", "/home/u/p", o); err != nil || at.Path != got.Path {
			t.Errorf("round %d: @ is %s, %v; want what continuing takes, %s", round, at.ID, err, got.ID)
		}
	}
}

// The displayed IDs of sessions made at one moment are distinct, and each names
// its session (pitfall 65).
func TestShownIDsNameTheirSessions(t *testing.T) {
	dir := t.TempDir()
	var ids []string
	for i := range 40 {
		id := sessiondir.NewSessionID(day(0)) // all within a millisecond or two
		ids = append(ids, id)
		putSession(t, filepath.Join(dir, fmt.Sprint(i, ".jsonl")), id, "/home/u/p", day(0), day(0))
	}
	seen := map[string]bool{}
	for id, short := range catalog.ShortIDs(ids) {
		got, err := catalog.Resolve(t.Context(), short, "/home/u/p", catalog.Options{Dir: dir})
		if err != nil || got.ID != id || seen[short] {
			t.Errorf("%s, shown for %s, names %s, %v", short, id, got.ID, err)
		}
		seen[short] = true
	}
}

// Two projects whose directories have the same name in pi are distinguished, by
// lists and by continuing; new sessions go where pi would put them (pitfalls
// 51, 68, 171).
func TestProjectsThatShareAFolder(t *testing.T) {
	sessions := ownHome(t)
	slash, dash := "/w/a/b", "/w/a-b"
	made := map[string]string{}
	for i, cwd := range []string{slash, dash} {
		s := createPith(t, cwd, pith.Options{ID: "same-id", Now: func() time.Time { return day(i) }})
		if _, err := s.AppendMessage(t.Context(), format.NewUser("in "+cwd, time.Now())); err != nil {
			t.Fatalf("a session of an id that only the other project has = %v; want it", err)
		}
		if got := filepath.Dir(s.File()); got != filepath.Join(sessions, "--w-a-b--") {
			t.Errorf("the session of %s is in %s; want pi's folder", cwd, got)
		}
		made[cwd] = s.File()
		twice := createPith(t, cwd, pith.Options{ID: "same-id"})
		if _, err := twice.AppendMessage(t.Context(), format.NewUser("again", time.Now())); !errors.Is(err, pith.ErrExists) {
			t.Errorf("a second session of one id in %s = %v; want ErrExists", cwd, err)
		}
	}
	for cwd, want := range made {
		s, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: cwd})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		infos, err := catalog.Sorted(catalog.List(t.Context(), cwd, catalog.Options{}))
		if err != nil || len(infos) != 1 || infos[0].Path != want || s.File() != want {
			t.Errorf("in %s: continued %s, listed %v, %v; want %s alone", cwd, s.File(), infos, err, want)
		}
	}
}

// A working directory whose session directory would have a name of more than
// 255 bytes can have sessions; they are continued and listed (pitfall 172).
func TestVeryLongWorkingDirectory(t *testing.T) {
	ownHome(t)
	long := "/" + strings.Repeat("deep/", 80) + "日本"
	s := createPith(t, long, pith.Options{})
	if _, err := s.AppendMessage(t.Context(), format.NewUser("deep", time.Now())); err != nil {
		t.Fatalf("AppendMessage = %v; want a file", err)
	}
	again, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: long})
	if err != nil || again.File() != s.File() {
		t.Errorf("continued %v, %v; want %s", again, err, s.File())
	}
	again.Close()
	other, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: long + "-other"})
	if err != nil || other.Written() {
		t.Errorf("continued %s, %v in a directory that begins alike; want a new session", other.File(), err)
	}
	other.Close()
	if infos, err := catalog.Sorted(catalog.List(t.Context(), long, catalog.Options{})); err != nil || len(infos) != 1 {
		t.Errorf("listed %v, %v; want one", infos, err)
	}
}

// Continuing in a directory that is named by a symbolic link takes up what was
// said under its real name, where pi keeps it (pitfall 175).
func TestContinuingThroughALink(t *testing.T) {
	ownHome(t)
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(base, "real"), filepath.Join(base, "link")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	made := func(cwd string, at time.Time) string {
		t.Helper()
		s := createPith(t, cwd, pith.Options{})
		if _, err := s.AppendMessage(t.Context(), format.NewUser("in "+cwd, at)); err != nil {
			t.Fatal(err)
		}
		return s.File()
	}
	continued := func(want string) {
		t.Helper()
		s, err := pith.ContinueRecent(t.Context(), pith.Options{Cwd: link})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if s.File() != want || s.Cwd() != link {
			t.Errorf("continued %s in %s; want %s in %s", s.File(), s.Cwd(), want, link)
		}
	}
	continued(made(real, day(1)))
	continued(made(link, day(2)))
}

// A process whose directory was deleted gets a clear error, and can still work
// with absolute paths (pitfall 176).
func TestDeletedWorkingDirectory(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	sessions := t.TempDir()
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Skipf("a working directory cannot be deleted here: %v", err)
	}
	if dir, err := os.Getwd(); err == nil {
		t.Skipf("the system still knows the directory: %s", dir)
	}
	for name, begin := range map[string]func(cwd string) (*pith.Session, error){
		"Create": func(cwd string) (*pith.Session, error) { return pith.Create(pith.Options{Cwd: cwd, Dir: sessions}) },
		"ContinueRecent": func(cwd string) (*pith.Session, error) {
			return pith.ContinueRecent(t.Context(), pith.Options{Cwd: cwd, Dir: sessions})
		},
	} {
		if _, err := begin("."); !errors.Is(err, pith.ErrInvalid) || !strings.Contains(err.Error(), "cannot find the current directory") {
			t.Errorf("%s in a deleted directory = %v; want that it says so", name, err)
		}
		s, err := begin("/home/u/p")
		if err != nil {
			t.Errorf("%s for another directory = %v; want a session", name, err)
			continue
		}
		s.Close()
	}
	if _, err := pith.Open(t.Context(), "relative.jsonl", pith.Options{}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a relative path = %v; want another error than that there is no file", err)
	}
}

// One directory is one project, under any name (pitfalls 173, 174, 175).
func TestSameProject(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	foldsCase := strings.HasPrefix(dir, "/Users/") || strings.HasPrefix(dir, "/private/") || os.PathSeparator == '\\'
	tests := []struct {
		a, b string
		want bool
	}{
		{dir, dir, true},
		{dir, dir + string(os.PathSeparator), true},
		{dir, filepath.Join(dir, "x", ".."), true},
		{dir, dir + "/./", true},
		{dir, filepath.Dir(dir), false},
		{dir, strings.ToUpper(dir), foldsCase},
		{"/gone/A", "/gone/a", foldsCase},
		{"/gone/a", "/gone/a/", true},
		{"/gone/a", "/gone/b", false},
		{"", "", false},
		{dir, "", false},
		{".", mustGetwd(t), false}, // a relative name in a header means nothing here
		{"relative", "relative", true},
	}
	for _, tt := range tests {
		if got := sessiondir.SameProject(tt.a, tt.b); got != tt.want {
			t.Errorf("SameProject(%q, %q) = %t, want %t", tt.a, tt.b, got, tt.want)
		}
		if got := sessiondir.SameProject(tt.b, tt.a); got != tt.want {
			t.Errorf("SameProject(%q, %q) = %t, want %t", tt.b, tt.a, got, tt.want)
		}
	}
}

func mustGetwd(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
