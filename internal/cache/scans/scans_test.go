package scans_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/cache/scans"
)

// A file is scanned once, and again when it changed.
func TestOf(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	write := func(text string, at time.Time) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	looks := 0
	of := func(version int, fails error) string {
		t.Helper()
		k := scans.Open(t.Context(), dir, "kept", version)
		defer k.Close(t.Context())
		found, err := k.Of(file, func() ([]byte, error) {
			looks++
			text, err := os.ReadFile(file)
			return text, errors.Join(err, fails)
		})
		if !errors.Is(err, fails) {
			t.Errorf("Of = %v, want %v", err, fails)
		}
		return found
	}
	old, broken := time.Now().Add(-time.Hour), errors.New("broken")
	steps := []struct {
		what    string
		text    string
		at      time.Time
		version int
		fails   error
		looks   int
	}{
		{"is looked at in part", "one", old, 1, broken, 1},
		{"is looked at", "one", old, 1, nil, 1},
		{"is known", "one", old, 1, nil, 0},
		{"has grown", "one more", old, 1, nil, 1},
		{"is known again", "one more", old, 1, nil, 0},
		{"was rewritten", "one less", old.Add(time.Second), 1, nil, 1},
		{"is written just now", "just now", time.Now(), 1, nil, 1},
		{"may be written again", "just now", time.Now(), 1, nil, 1},
		{"is quiet", "just now", old, 1, nil, 1},
		{"is kept in another way", "just now", old, 2, nil, 1},
		{"is known in that way", "just now", old, 2, nil, 0},
	}
	for _, s := range steps {
		write(s.text, s.at)
		looks = 0
		if got := of(s.version, s.fails); got != s.text || looks != s.looks {
			t.Errorf("a file that %s: %q after %d looks; want %q after %d", s.what, got, looks, s.text, s.looks)
		}
	}
}

// Missing files are forgotten on the next save; a damaged cache, or one without
// a directory, is empty.
func TestForgets(t *testing.T) {
	dir, files := t.TempDir(), t.TempDir()
	looks := 0
	of := func(dir, name string) {
		t.Helper()
		path := filepath.Join(files, name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Unix(1e9, 0)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		k := scans.Open(t.Context(), dir, "kept", 1)
		defer k.Close(t.Context())
		if got, err := k.Of(path, func() ([]byte, error) { looks++; return []byte(name), nil }); err != nil || got != name {
			t.Errorf("Of(%s) = %q, %v", name, got, err)
		}
	}
	of(dir, "gone")
	if err := os.Remove(filepath.Join(files, "gone")); err != nil {
		t.Fatal(err)
	}
	of(dir, "other")
	kept := cache.Files(dir)[0]
	before, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	of(dir, "other")
	if looks != 2 {
		t.Errorf("%d looks at two files", looks)
	}
	if err := os.WriteFile(kept, append([]byte("garbage"), before[7:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	of(dir, "other")
	of("", "other")
	if looks != 4 {
		t.Errorf("%d looks; want one for a damaged cache and one without a folder", looks)
	}
}
