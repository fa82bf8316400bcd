package seal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/cache/seal"
)

func open(t testing.TB, dir string) *seal.Key {
	t.Helper()
	k, err := seal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestSeal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	sealed := open(t, dir).Sealed("kind", "name", []byte("value"))
	again := open(t, dir)
	if value, ok := again.Unsealed("kind", "name", sealed); string(value) != "value" || !ok {
		t.Errorf("Unsealed = %q, %v; want the value", value, ok)
	}
	for i := range sealed {
		forged := append([]byte(nil), sealed...)
		forged[i] ^= 1
		if _, ok := again.Unsealed("kind", "name", forged); ok {
			t.Errorf("with byte %d changed the value is taken", i)
		}
	}
	for _, other := range [][2]string{{"kind", "other"}, {"other", "name"}, {"kin", "dname"}, {"", "kindname"}} {
		if _, ok := again.Unsealed(other[0], other[1], sealed); ok {
			t.Errorf("the value is taken as %q", other)
		}
	}
	if _, ok := again.Unsealed("kind", "name", sealed[:seal.Size-1]); ok {
		t.Error("a value shorter than a seal is taken")
	}
}

// A cache that was copied has another key, also when the copy keeps all that a copy can.
func TestCopiedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // files have no number that a copy lacks; see the package comment
	}
	from, to := t.TempDir(), t.TempDir()
	sealed := open(t, from).Sealed("kind", "name", []byte("value"))
	data, err := os.ReadFile(filepath.Join(from, "key"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(from, "key"))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(to, "key")
	if err := os.WriteFile(copied, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(copied, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if _, ok := open(t, to).Unsealed("kind", "name", sealed); ok {
		t.Error("a value is taken in a copy of its folder")
	}
}

func TestExposedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	for name, tt := range map[string]struct {
		dir, above os.FileMode
		ok         bool
	}{
		"private":                  {0o700, 0o755, true},
		"readable":                 {0o755, 0o755, true},
		"group":                    {0o770, 0o755, false},
		"all":                      {0o707, 0o755, false},
		"sticky":                   {0o777 | os.ModeSticky, 0o755, false},
		"above, all":               {0o700, 0o777, false},
		"above, all may add files": {0o700, 0o777 | os.ModeSticky, true},
	} {
		above := filepath.Join(t.TempDir(), "above")
		dir := filepath.Join(above, "cache")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for path, mode := range map[string]os.FileMode{dir: tt.dir, above: tt.above} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		_, err := seal.Open(dir)
		var e *seal.ExposedError
		if errors.As(err, &e) == tt.ok || tt.ok != (err == nil) {
			t.Errorf("%s: Open = %v; want it to be used: %v", name, err, tt.ok)
		}
		if err := seal.Check(dir); (err == nil) != tt.ok {
			t.Errorf("%s: Check = %v; want it to be used: %v", name, err, tt.ok)
		}
		if _, err := os.Stat(filepath.Join(dir, "key")); (err == nil) != tt.ok {
			t.Errorf("%s: there is a key: %v; want %v", name, err == nil, tt.ok)
		}
	}
	above := t.TempDir()
	for mode, ok := range map[os.FileMode]bool{0o755: true, 0o777: false} {
		if err := os.Chmod(above, mode); err != nil {
			t.Fatal(err)
		}
		if err := seal.Check(filepath.Join(above, "not", "there")); (err == nil) != ok {
			t.Errorf("Check of a folder that is not there, below one of mode %o = %v", mode, err)
		}
	}
}

// A directory behind a link is as private as the directories on both paths.
func TestLinkedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	base := t.TempDir()
	open(t, filepath.Join(base, "real", "cache"))
	if err := os.Mkdir(filepath.Join(base, "links"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(base, "links", "link")
	if err := os.Symlink(filepath.Join(base, "real"), link); err != nil {
		t.Fatal(err)
	}
	open(t, filepath.Join(link, "cache"))
	if err := os.Chmod(filepath.Join(base, "links"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := seal.Open(filepath.Join(link, "cache")); err == nil {
		t.Error("Open = nil; want an error: others can put another link in its place")
	}
}

// Many processes may make the key concurrently: all get the same one.
func TestKeyIsMadeOnce(t *testing.T) {
	for range 20 {
		dir := filepath.Join(t.TempDir(), "cache")
		keys := make([]*seal.Key, 8)
		var all sync.WaitGroup
		for i := range keys {
			all.Go(func() {
				k, err := seal.Open(dir)
				if keys[i] = k; err != nil {
					t.Errorf("Open = %v", err)
				}
			})
		}
		all.Wait()
		sealed := open(t, dir).Sealed("kind", "name", []byte("value"))
		for _, k := range keys {
			if _, ok := k.Unsealed("kind", "name", sealed); !ok {
				t.Fatal("two callers have two keys")
			}
		}
	}
}

// A key that another process is still writing is waited for, not replaced.
func TestKeyIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	f, err := os.OpenFile(filepath.Join(dir, "key"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	waiting := make(chan *seal.Key, 1)
	go func() {
		k, err := seal.Open(dir)
		if err != nil {
			t.Errorf("Open = %v", err)
		}
		waiting <- k
	}()
	select {
	case <-waiting:
		t.Fatal("Open did not wait")
	case <-time.After(300 * time.Millisecond):
	}
	if _, err := f.Write(bytes.Repeat([]byte("k"), 32)); err != nil {
		t.Fatal(err)
	}
	k := <-waiting
	if k == nil {
		return
	}
	if _, ok := open(t, dir).Unsealed("kind", "name", k.Sealed("kind", "name", []byte("value"))); !ok {
		t.Error("the key was replaced")
	}
}

// A key that is of no use is made again.
func TestUselessKey(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	if err := os.WriteFile(path, []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, hourAgo, hourAgo); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if runtime.GOOS == "windows" {
		return
	}
	sealed := open(t, dir).Sealed("kind", "name", []byte("value"))
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, ok := open(t, dir).Unsealed("kind", "name", sealed); ok {
		t.Error("a key that others could read is used")
	}
}
