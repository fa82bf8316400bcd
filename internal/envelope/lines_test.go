package envelope_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/envelope"
)

func TestFile(t *testing.T) {
	long := strings.Repeat("x", 700_000)
	tests := map[string][]string{
		"nothing":           nil,
		"whole lines":       {"a\n", "\n", "b\r\n"},
		"torn last line":    {"a\n", "b"},
		"LF alone ends one": {"a\u2028b\r c\n", "d\n"}, // pitfall 8
		"lines of any size": {long + "\n", "short\n", long + long + "\n", "end"},
	}
	var r envelope.Lines
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.Join(want, "")
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			var got []string
			n, err := r.File(t.Context(), path, func(line []byte) { got = append(got, string(line)) })
			if err != nil || n != int64(len(text)) || !slices.Equal(got, want) {
				t.Errorf("File = %d bytes, %v, %d lines %.80q; want %d bytes, %d lines", n, err, len(got), got, len(text), len(want))
			}
		})
	}
}

func TestFileErrors(t *testing.T) {
	var r envelope.Lines
	never := func([]byte) {}
	if _, err := r.File(t.Context(), filepath.Join(t.TempDir(), "none"), never); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("File of a missing file = %v; want ErrNotExist", err)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("a\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.File(ctx, path, never); !errors.Is(err, context.Canceled) {
		t.Errorf("File with an ended context = %v; want Canceled", err)
	}
}
