package sessiondir_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

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

// A rewrite that starts right before the second reading is waited for.
func TestRewriteStartsBeforeReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	header := []byte(`{"type":"session","id":"a"}` + "\n")
	if err := os.WriteFile(path, header, 0o600); err != nil {
		t.Fatal(err)
	}
	reads := 0
	err := sessiondir.Settled(t.Context(), path, func() error {
		switch reads++; reads {
		case 1:
			return format.ErrNotSession // the file was empty at that moment
		case 2:
			if err := os.Truncate(path, 0); err != nil {
				t.Error(err)
			}
			return format.ErrNotSession
		}
		return os.WriteFile(path, header, 0o600)
	})
	if err != nil || reads != 3 {
		t.Errorf("Settled = %v after %d readings; want the third one to succeed", err, reads)
	}
}

// A clock that was set back does not end the wait.
func TestClockIsBehindTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(5 * time.Second)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	reads := 0
	err := sessiondir.Settled(t.Context(), path, func() error {
		if reads++; reads > 1 {
			return nil
		}
		return format.ErrNotSession
	})
	if err != nil || reads != 2 {
		t.Errorf("Settled = %v after %d readings; want the second one to succeed", err, reads)
	}
}
