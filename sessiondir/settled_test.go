package sessiondir_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

// A file that was empty when it was read, and has a header now, is read again.
func TestHeaderIsWrittenAfterReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	reads := 0
	err := sessiondir.Settled(t.Context(), path, func() error {
		if reads++; reads > 1 {
			return nil
		}
		if err := os.WriteFile(path, []byte(`{"type":"session","id":"a"}`+"\n"), 0o600); err != nil {
			t.Error(err)
		}
		return format.ErrNotSession
	})
	if err != nil || reads != 2 {
		t.Errorf("Settled = %v after %d readings; want the second one to succeed", err, reads)
	}
}
