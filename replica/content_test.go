package replica_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/pith-sessions/pith/redact"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/store"
)

func newKey(t *testing.T) *replica.Key {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	k, err := replica.ReadKey(strings.NewReader("# created: today\n" + id.String() + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// With a key the store is blind, and everything else is as without.
func TestSealed(t *testing.T) {
	s := newTeam(t)
	key := newKey(t)
	sealing := func(o *replica.Options) { o.Key = key }
	a, b, blind := newSite(t, s, "a", sealing), newSite(t, s, "b", sealing), newSite(t, s, "blind")
	a.write(header(sessionID), message("00000001", "", "private words"))
	a.push()
	for i := range 3 {
		a.add(message("0000001"+string(rune('0'+i)), "00000001", "more private words"))
		if done := a.push(); done.New || done.Rewritten {
			t.Errorf("Push = %+v; want that it goes on", done)
		}
	}
	b.pull()
	if a.read() != b.read() {
		t.Errorf("b has %q", b.read())
	}
	logs := 0
	for info, err := range s.List(t.Context(), "/") {
		if err != nil {
			t.Fatal(err)
		}
		logs++
		if data := logBytes(t, s, info.Name); bytes.Contains(data, []byte("private")) || bytes.Contains(data, []byte("/home/ana")) {
			t.Errorf("%s can be read", info.Name)
		}
	}
	if logs == 0 {
		t.Error("the store has no logs")
	}
	if _, err := blind.Pull(t.Context(), blind.copies(""), blind.path, replica.PullOptions{}); !errors.Is(err, replica.ErrSealed) {
		t.Errorf("Pull without a key = %v; want ErrSealed", err)
	}
	other := newSite(t, s, "other", func(o *replica.Options) { o.Key = newKey(t) })
	if _, err := other.Pull(t.Context(), other.copies(""), other.path, replica.PullOptions{}); !errors.Is(err, replica.ErrSealed) {
		t.Errorf("Pull with another key = %v; want ErrSealed", err)
	}
}

// A log that is not what pith writes is an error, not a panic and not a file.
func TestBrokenSeal(t *testing.T) {
	s := newTeam(t)
	a := newSite(t, s, "a", func(o *replica.Options) { o.Key = newKey(t) })
	for i, hostile := range []string{"x", "{}\n", `{"at":0,"plain":5,"size":99999999999}` + "\nhello", `{"at":0,"plain":-5,"size":1}` + "\nh", `{"at":0,"plain":5,"size":5}` + "\nhello"} {
		for _, mark := range []string{".age", ".age2"} {
			r := replica.Replica{Person: s.Person(), Machine: "evil", Session: sessionID, Generation: i + 1, Size: int64(len(hostile)), Sealed: true, Unbound: mark == ".age"}
			l, err := s.Create(t.Context(), "/"+r.Person+"/evil/"+sessionID+"/"+string(rune('1'+i))+mark, store.Bytes([]byte(hostile)))
			if err != nil {
				t.Fatal(err)
			}
			l.Close()
			if _, err := a.Pull(t.Context(), []replica.Replica{r}, a.path, replica.PullOptions{}); !errors.Is(err, replica.ErrBroken) {
				t.Errorf("%q in a log %s: Pull = %v; want ErrBroken", hostile, mark, err)
			}
		}
	}
}

// A log that claims to be larger than any memory is an error too.
func TestSealedLogOfAnySize(t *testing.T) {
	m := newMemory()
	s := &boastingStore{m}
	l, err := m.Create(t.Context(), "/ana/evil/"+sessionID+"/1.age2", store.Bytes([]byte(`{"at":0,"plain":9000000000000000000,"size":9000000000000000000}`+"\nhello")))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	a := newSite(t, s, "a", func(o *replica.Options) { o.Key = newKey(t) })
	if _, err := a.Pull(t.Context(), a.copies("ana"), a.path, replica.PullOptions{}); !errors.Is(err, replica.ErrBroken) {
		t.Errorf("Pull = %v; want ErrBroken", err)
	}
}

// A boastingStore has logs that claim to be larger than they are.
type boastingStore struct{ *memory }

func (s *boastingStore) Open(ctx context.Context, name string) (store.Log, error) {
	l, err := s.memory.Open(ctx, name)
	return boastingLog{l}, err
}

type boastingLog struct{ store.Log }

func (boastingLog) Size(context.Context) (int64, error) { return 9e18 + 64, nil } // the head and its frame

func (l boastingLog) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.Log.ReadAt(p, off)
	if n > 0 && n < len(p) {
		clear(p[n:])
		return len(p), nil
	}
	return n, err
}

func TestReadKey(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "AGE-SECRET-KEY-WRONG\n", "age1wrong\n"} {
		if _, err := replica.ReadKey(strings.NewReader(text)); !errors.Is(err, replica.ErrNoKey) {
			t.Errorf("ReadKey(%q) = %v; want ErrNoKey", text, err)
		}
	}
}

type redactor struct{ r *redact.Redactor }

func (r redactor) Redact(line []byte) []byte { out, _ := r.r.Line(line); return out }

// Text redacted at push stays in the local file, also after it is pulled again.
func TestRedacted(t *testing.T) {
	s := newTeam(t)
	const secret = "s3cr3t-value-that-i-have"
	hiding := func(o *replica.Options) {
		o.Policy = "known"
		o.Redact = func(string) (replica.Redactor, error) {
			r, err := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "mine", Value: secret}}})
			return redactor{r}, err
		}
	}
	a, b := newSite(t, s, "a", hiding), newSite(t, s, "b", hiding)
	a.write(header(sessionID), message("00000001", "", "it is "+secret))
	a.push()
	a.add(message("00000002", "00000001", "again "+secret))
	if done := a.push(); done.Rewritten || done.Bytes == 0 {
		t.Errorf("Push = %+v; want that it goes on", done)
	}
	if data := logBytes(t, s, "/"+s.Person()+"/a/"+sessionID+"/1"); bytes.Contains(data, []byte(secret)) || !bytes.Contains(data, []byte("[redacted:mine#1]")) {
		t.Errorf("the store holds %s", data)
	}
	if f, err := b.Facts(t.Context(), a.copies("")[0]); err != nil || f.Policy != "known" {
		t.Errorf("Facts = %+v, %v; want the policy", f, err)
	}
	before := a.read()
	if done := a.pull(); a.read() != before || len(done.Others) > 0 {
		t.Errorf("pulling one's own redacted copy changed the file: %+v", done)
	}
	b.pull()
	b.add(message("00000003", "00000002", "from b"))
	b.push()
	a.pull()
	if !strings.HasSuffix(a.read(), message("00000003", "00000002", "from b")) || strings.Contains(b.read(), secret) {
		t.Errorf("a has %s", a.read())
	}
}

// A file whose last line has no end was pushed as it is, and then redacted,
// which omits that line: it has not gone back in time. One that did is still
// rejected.
func TestRedactedLater(t *testing.T) {
	s := newTeam(t)
	const torn = `{"type":"message","id":"00000003","parentId":"00000002","mess`
	whole := []string{header(sessionID), message("00000001", "", "one"), message("00000002", "00000001", "two")}
	plain := newSite(t, s, "a")
	plain.write(append(slices.Clone(whole), torn)...)
	plain.push()
	hiding := newSite(t, s, "a", func(o *replica.Options) {
		o.Policy = "all"
		o.Redact = func(string) (replica.Redactor, error) {
			r, err := redact.New(redact.Options{})
			return redactor{r}, err
		}
	})
	hiding.write(whole[:2]...)
	var behind *replica.BehindError
	if _, err := hiding.Push(t.Context(), hiding.path, replica.PushOptions{}); !errors.As(err, &behind) {
		t.Errorf("Push of an older file = %v; want a BehindError", err)
	}
	hiding.write(append(slices.Clone(whole), torn)...)
	if done := hiding.push(); !done.Rewritten {
		t.Errorf("Push = %+v; want a new generation", done)
	}
	if got := string(logBytes(t, s, "/"+s.Person()+"/a/"+sessionID+"/2")); got != strings.Join(whole, "") {
		t.Errorf("the store holds %s", got)
	}
	if again := hiding.push(); again.Bytes != 0 || again.Rewritten {
		t.Errorf("a second push = %+v; want nothing to do", again)
	}
}

// Everything that is recorded of a redacted session is redacted: its lines, its working
// directory, its project and the name of its file, also where an earlier push recorded
// them as they are.
func TestNothingPlainOfARedactedSession(t *testing.T) {
	const secret = "s3cr3t-value-that-i-have"
	redactor := func(string) (replica.Redactor, error) {
		r, err := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "mine", Value: secret}}})
		return redactor{r}, err
	}
	repository := filepath.Join(t.TempDir(), "thing")
	cwd := filepath.Join(repository, "for-"+secret)
	for path, text := range map[string]string{filepath.Join(repository, ".git", "config"): "[remote \"origin\"]\n\turl = https://x.org/" + secret + "/thing.git\n", filepath.Join(cwd, "README"): ""} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, first := range map[string]string{"at once": "all", "later": ""} {
		t.Run(name, func(t *testing.T) {
			m := newMemory()
			var a *site
			for _, policy := range slices.Compact([]string{first, "all"}) {
				a = newSite(t, m, "a", func(o *replica.Options) {
					if o.Policy = policy; policy != "" {
						o.Redact = redactor
					}
				})
				a.path = filepath.Join(a.dir, secret+"_"+sessionID+".jsonl")
				a.write(strings.Replace(header(sessionID), "/home/ana/project", cwd, 1), message("00000001", "", "it is "+secret))
				a.push()
			}
			l, err := a.List(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Purge(t.Context(), l.Old...); err != nil {
				t.Fatal(err)
			}
			for info, err := range m.List(t.Context(), "") {
				if err != nil {
					t.Fatal(err)
				}
				if text := info.Name + "\n" + string(logBytes(t, m, info.Name)); strings.Contains(text, secret) {
					t.Errorf("the store holds %s", text)
				}
			}
			if f, err := a.Facts(t.Context(), a.copies("")[0]); err != nil || f.Policy != "all" || !strings.HasSuffix(f.Cwd, "/for-[redacted:mine#1]") {
				t.Errorf("Facts = %+v, %v; want the redacted working directory", f, err)
			}
			a.write(header(secret), message("00000001", "", "one"))
			if _, err := a.Push(t.Context(), a.path, replica.PushOptions{}); !errors.Is(err, replica.ErrSecretID) {
				t.Errorf("Push of a session with a secret for an id = %v; want ErrSecretID", err)
			}
		})
	}
}
