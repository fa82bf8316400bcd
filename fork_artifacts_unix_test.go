//go:build unix

package pith_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/tests/plainuser"
)

// ompSession writes a session of oh-my-pi with artifacts that only their owner may
// read, a link and a named pipe, and returns its file.
func ompSession(t *testing.T) string {
	t.Helper()
	source := fileIn(t, ".omp", head+line("a", "", "user", "one"))
	dir := strings.TrimSuffix(source, ".jsonl")
	secret := filepath.Join(dir, "private", "secret.txt")
	for _, err := range []error{
		os.MkdirAll(filepath.Dir(secret), 0o700), os.WriteFile(secret, []byte("secret"), 0o600),
		os.WriteFile(filepath.Join(dir, "run.sh"), []byte("shared"), 0o600), os.Chmod(filepath.Join(dir, "run.sh"), 0o755),
		os.Symlink("private/secret.txt", filepath.Join(dir, "latest")), syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return source
}

// forks are the two ways to copy a session into a directory.
var forks = map[string]func(ctx context.Context, source, dir string) (*pith.Session, error){
	"ForkFrom": func(ctx context.Context, source, dir string) (*pith.Session, error) {
		return pith.ForkFrom(ctx, source, pith.Options{Cwd: "/q", Dir: dir})
	},
	"Clone": func(ctx context.Context, source, dir string) (*pith.Session, error) {
		s, err := pith.Open(context.Background(), source, pith.Options{Dir: dir})
		if err != nil {
			return nil, err
		}
		defer s.Close()
		return s.Clone(ctx, "a")
	},
}

// A copy of a session is as private as the session, whatever the umask allows.
// A pipe among the artifacts has no content and is not copied.
func TestForkKeepsArtifactsPrivate(t *testing.T) {
	for name, fork := range forks {
		t.Run(name, func(t *testing.T) {
			n, err := fork(t.Context(), ompSession(t), filepath.Join(t.TempDir(), "other"))
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			dir := strings.TrimSuffix(n.File(), ".jsonl")
			for path, want := range map[string]fs.FileMode{
				"": fs.ModeDir | 0o700, "private": fs.ModeDir | 0o700, "private/secret.txt": 0o600, "run.sh": 0o755, "latest": fs.ModeSymlink | 0o777,
			} {
				info, err := os.Lstat(filepath.Join(dir, path))
				if err != nil {
					t.Error(err)
				} else if info.Mode() != want {
					t.Errorf("the copy of %q has mode %v; want %v", path, info.Mode(), want)
				}
			}
			if text := read(t, filepath.Join(dir, "latest")); text != "secret" {
				t.Errorf("the link leads to %q; want secret", text)
			}
			if _, err := os.Lstat(filepath.Join(dir, "pipe")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Lstat(pipe) = %v; want that it stays behind", err)
			}
		})
	}
}

// A fork whose artifacts cannot be copied leaves neither a session nor artifacts.
func TestForkWithUnreadableArtifact(t *testing.T) {
	if plainuser.Needed(t) {
		return
	}
	for name, fork := range forks {
		source := ompSession(t)
		if err := os.Chmod(filepath.Join(strings.TrimSuffix(source, ".jsonl"), "run.sh"), 0); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if n, err := fork(t.Context(), source, dir); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s = %v, %v; want ErrPermission", name, n, err)
		}
		isEmpty(t, dir)
	}
}

// A fork that ends at any step leaves nothing, or is whole.
func TestForkCanceledAtEachStep(t *testing.T) {
	for name, fork := range forks {
		source := ompSession(t)
		for steps := 0; ; steps++ {
			dir := t.TempDir()
			n, err := fork(&endingContext{Context: t.Context(), left: steps}, source, dir)
			if err == nil {
				n.Close()
				if steps < 6 {
					t.Errorf("%s has only %d steps", name, steps)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s ended at step %d: %v; want Canceled", name, steps, err)
			}
			isEmpty(t, dir)
		}
	}
}

// endingContext is canceled once it was asked often enough.
type endingContext struct {
	context.Context
	left int
}

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func isEmpty(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir {
			t.Errorf("%s is left behind", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
