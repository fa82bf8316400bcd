package conformance_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// agree compares what both sides say about a session.
func agree(t *testing.T, ours, theirs account) {
	t.Helper()
	sameLists(t, "id, cwd, leaf, name", []string{ours.ID, ours.Cwd, ours.Leaf, ours.Name}, []string{theirs.ID, theirs.Cwd, theirs.Leaf, theirs.Name})
	sameLists(t, "header", ours.Header, theirs.Header)
	sameLists(t, "entries", ours.Entries, theirs.Entries)
	sameLists(t, "tree", ours.Tree, theirs.Tree)
	sameLists(t, "path", ours.Path, theirs.Path)
	sameLists(t, "children", ours.Children, theirs.Children)
	sameContexts(t, ours.Contexts, theirs.Contexts)
}

func sameContexts(t *testing.T, ours, theirs []contextAccount) {
	t.Helper()
	if len(ours) != len(theirs) {
		t.Errorf("pith gave %d contexts, pi %d", len(ours), len(theirs))
		return
	}
	for i := range ours {
		if ours[i].At != theirs[i].At || ours[i].Settings != theirs[i].Settings {
			t.Errorf("context at %s: %s; pi has at %s: %s", ours[i].At, ours[i].Settings, theirs[i].At, theirs[i].Settings)
		}
		sameLists(t, "context at "+ours[i].At, ours[i].Messages, theirs[i].Messages)
		if t.Failed() {
			return // what follows would say the same again
		}
	}
}

// sameLists reports the first difference, with its surroundings: whole values
// can be large.
func sameLists(t *testing.T, what string, ours, theirs []string) {
	t.Helper()
	for i := range max(len(ours), len(theirs)) {
		switch {
		case i >= len(ours):
			t.Errorf("%s: pith has %d items, pi %d; the first that pith lacks: %.300s", what, len(ours), len(theirs), theirs[i])
		case i >= len(theirs):
			t.Errorf("%s: pith has %d items, pi %d; the first that pi lacks: %.300s", what, len(ours), len(theirs), ours[i])
		case ours[i] != theirs[i]:
			at := 0
			for at < len(ours[i]) && at < len(theirs[i]) && ours[i][at] == theirs[i][at] {
				at++
			}
			t.Errorf("%s, item %d, byte %d:\npith %s\n  pi %s", what, i, at, around(ours[i], at), around(theirs[i], at))
		default:
			continue
		}
		return
	}
}

func around(s string, at int) string {
	return fmt.Sprintf("%q", s[max(0, at-120):min(len(s), at+120)])
}

// A rig is a running pi and a directory for sessions of one project.
type rig struct {
	*pi.Host
	dir, cwd string
}

// eachPi runs a test with the session manager of every release of pi, at the
// same time.
func eachPi(t *testing.T, test func(t *testing.T, r rig)) {
	t.Helper()
	withPis(t, append(pi.Versions(), pi.V1_5_2), test)
}

// eachWholePi is eachPi for tests that need more of pi than its session manager.
func eachWholePi(t *testing.T, test func(t *testing.T, r rig)) {
	t.Helper()
	withPis(t, pi.Versions(), test)
}

func withPis(t *testing.T, versions []pi.Version, test func(t *testing.T, r rig)) {
	t.Helper()
	for _, v := range versions {
		t.Run(string(v), func(t *testing.T) {
			t.Parallel()
			test(t, newRig(t, v))
		})
	}
}

func newRig(t *testing.T, v pi.Version) rig {
	t.Helper()
	h, err := running.get(pi.Require(t, v))
	if err != nil {
		t.Fatal(err)
	}
	return rig{h, t.TempDir(), "/home/dev/app"}
}

// running holds the releases of pi that tests share, since starting one takes
// longer than most tests. Each test has its own directory for sessions.
var running sharedPi

// A sharedPi starts each release of pi when it is first wanted. The zero value is ready.
type sharedPi struct {
	mu    sync.Mutex // guards all below
	hosts map[pi.Version]*pi.Host
	homes []string
}

func (s *sharedPi) get(in pi.Installation) (*pi.Host, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.hosts[in.Version]; h != nil {
		return h, nil
	}
	home, err := os.MkdirTemp("", "pith-pi-")
	if err != nil {
		return nil, err
	}
	s.homes = append(s.homes, home)
	h, err := pi.Start(context.Background(), in, home)
	if err != nil {
		return nil, err
	}
	if s.hosts == nil {
		s.hosts = map[pi.Version]*pi.Host{}
	}
	s.hosts[in.Version] = h
	return h, nil
}

// close ends all of them and removes their directories, when the tests are
// over.
func (s *sharedPi) close() {
	for _, h := range s.hosts {
		h.Close()
	}
	for _, home := range s.homes {
		os.RemoveAll(home)
	}
}

// modern reports whether this pi knows usage, context edits and system messages.
func (r rig) modern() bool { return r.Version() != pi.V0_73_1 }

// in returns the rig with a new directory for sessions.
func (r rig) in(t *testing.T) rig {
	r.dir = t.TempDir()
	return r
}

// create begins a session in pi and returns it with the path of its file.
func (r rig) create(t *testing.T) (*pi.Session, string) {
	t.Helper()
	s, err := r.Create(t.Context(), r.cwd, r.dir)
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.File(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

// open opens a file in pi and fails the test if pi changes it by that.
func (r rig) open(t *testing.T, path string) *pi.Session {
	t.Helper()
	before := readFile(t, path)
	s, err := r.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if after := readFile(t, path); after != before {
		t.Errorf("pi %s changed %s by opening it:\nbefore %s\n after %s", r.Version(), filepath.Base(path), lastPart(before), lastPart(after))
	}
	return s
}

func lastPart(s string) string {
	return fmt.Sprintf("%d bytes, ending in %q", len(s), s[max(0, len(s)-120):])
}

// compare opens one file on both sides and compares all that they say about it,
// listing included. Neither may change it. It returns what pi says.
func (r rig) compare(t *testing.T, path string, want reach) account {
	t.Helper()
	before := readFile(t, path)
	ours := reopen(t, path)
	theirs := r.open(t, path)
	said := piAccount(t, theirs, want)
	agree(t, pithAccount(t, ours, want), said)
	if found := ours.Findings(); len(found) != 0 {
		t.Errorf("Findings() = %v; want none in a file that nobody damaged", found)
	}
	if err := theirs.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.compareListing(t, path)
	if after := readFile(t, path); after != before {
		t.Errorf("reading changed %s: before %s, after %s", path, lastPart(before), lastPart(after))
	}
	return said
}

// compareListing compares the facts of one file with pi's list of its
// directory.
func (r rig) compareListing(t *testing.T, path string) {
	t.Helper()
	if r.splitsLines(t) && strings.ContainsAny(readFile(t, path), "\u2028\u2029") {
		return // pi itself miscounts (pitfall 8)
	}
	info, err := catalog.Facts(context.Background(), catalog.Ref{Path: path}, catalog.Options{Text: true})
	if err != nil {
		t.Fatal(err)
	}
	infos, err := r.List(t.Context(), info.Cwd, filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, theirs := range infos {
		if theirs.Path == path {
			if theirs.ParentSessionPath == "" {
				// The name of that field before version 2, which pi no longer reads.
				theirs.ParentSessionPath = reopen(t, path).Header().BranchedFrom
			}
			if theirs.FirstMessage == catalog.NoMessages {
				// The assistant's text is used if there is no user text
				// (pitfall 57).
				theirs.FirstMessage = plainString(t, info.FirstMessage)
			}
			sameLists(t, "listing", listed(t, info), piListed(theirs))
			return
		}
	}
	t.Errorf("pi %s does not list %s", r.Version(), path)
}

func listed(t *testing.T, i catalog.Info) []string {
	t.Helper()
	return []string{
		i.ID, i.Cwd, plainString(t, i.Name), i.ParentSession, stamp(i.Created), stamp(i.Modified), fmt.Sprint(i.MessageCount),
		plainString(t, i.FirstMessage), plainString(t, i.Text),
	}
}

func piListed(i pi.Info) []string {
	return []string{
		i.ID, i.Cwd, i.Name, i.ParentSessionPath, stamp(i.Created), stamp(i.Modified), fmt.Sprint(i.MessageCount),
		i.FirstMessage, i.AllMessagesText,
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// splitsLines reports whether this pi, on this Node, takes U+2028 for the end of
// a line when it lists sessions.
func (r rig) splitsLines(t *testing.T) bool {
	t.Helper()
	var node string
	if err := r.Call(t.Context(), &node, "node"); err != nil {
		t.Fatal(err)
	}
	var major int
	if _, err := fmt.Sscanf(node, "v%d.", &major); err != nil {
		t.Fatalf("Node version %q: %v", node, err)
	}
	return r.modern() && major >= 24
}
