//go:build unix

package doctor_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
)

// A session that oh-my-pi may have open is left alone, including its mode.
// Later both are repaired.
func TestFixWhileHeld(t *testing.T) {
	const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p","title":"t"}` + "\n"
	dir := filepath.Join(t.TempDir(), ".omp", "agent", "sessions", "-p")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"mode alone": header + `{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"one","timestamp":1}}` + "\n",
		"a line too": header + `{"type":"message","id":"aaaa0001","parentId":"gone","timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"one","timestamp":1}}` + "\n",
	} {
		path := filepath.Join(dir, name+".jsonl")
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chmod(path, 0o644)); err != nil {
			t.Fatal(err)
		}
		var held *pith.HeldError
		if _, err := doctor.Fix(t.Context(), path, doctor.Options{}); !errors.As(err, &held) {
			t.Errorf("%s: Fix just after oh-my-pi wrote = %v; want a HeldError", name, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: the mode is %v now (%v); want 0644", name, info.Mode(), err)
		}
		long := time.Now().Add(-48 * time.Hour)
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
		if out, err := doctor.Fix(t.Context(), path, doctor.Options{}); err != nil || out.After.Fixable() > 0 {
			t.Errorf("%s: Fix later = %+v, %v", name, out, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the mode is %v then (%v); want 0600", name, info.Mode(), err)
		}
	}
}
