package jsonl_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
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
	var r jsonl.Lines
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.Join(want, "")
			var got []string
			n, err := r.Each(t.Context(), strings.NewReader(text), 0, math.MaxInt64, func(l *jsonl.Line) error {
				got = append(got, string(l.Data)+strings.Repeat("\n", int(l.Size)-len(l.Data)))
				return nil
			})
			if err != nil || n != int64(len(text)) || !slices.Equal(got, want) {
				t.Errorf("Each = %d bytes, %v, %d lines %.80q; want %d bytes, %d lines", n, err, len(got), got, len(text), len(want))
			}
		})
	}
}

// A reader ends with its context, also in the middle of a line that never ends.
func TestLinesEndWithContext(t *testing.T) {
	for name, fill := range map[string]string{"lines": "a line\n", "one line": "no end ", "NUL bytes": "\x00"} {
		ctx, cancel := context.WithCancel(t.Context())
		in := &endless{text: strings.Repeat(fill, 100_000), cancel: cancel, until: 20}
		var lines jsonl.Lines
		if _, err := lines.Each(ctx, in, 0, math.MaxInt64, func(*jsonl.Line) error { return nil }); !errors.Is(err, context.Canceled) || in.reads > in.until+1 {
			t.Errorf("%s: Each = %v, after %d reads; want Canceled at once after %d", name, err, in.reads, in.until)
		}
		in.reads = 0
		ctx, in.cancel = context.WithCancel(t.Context())
		if _, err := io.Copy(io.Discard, jsonl.NewHoled(ctx, in)); !errors.Is(err, context.Canceled) || in.reads > in.until+1 {
			t.Errorf("%s: Holed = %v, after %d reads; want Canceled at once after %d", name, err, in.reads, in.until)
		}
	}
}

// endless is a file without an end. A context ends with one of its reads.
type endless struct {
	text         string
	cancel       func()
	reads, until int
}

func (e *endless) ReadAt(p []byte, _ int64) (int, error) {
	if e.reads++; e.reads == e.until {
		e.cancel()
	}
	return copy(p, e.text), nil
}

// Lines longer than the buffer come as they are, with their place.
func TestLongLines(t *testing.T) {
	long := `{"type":"message","x":"` + strings.Repeat("y", 9<<20) + `","id":"b"}`
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("a\n"+long+"\nb\nc\n"+long), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var got []string
	var lines jsonl.Lines
	end, err := lines.Each(t.Context(), file, 0, math.MaxInt64, func(l *jsonl.Line) error {
		got = append(got, fmt.Sprint(l.At, l.Size, l.Ended, l.TooLong))
		if n := len(l.Data); n > 10 && string(l.Data) != long {
			t.Errorf("line at %d has %d bytes", l.At, n)
		}
		return nil
	})
	n := len(long)
	want := []string{"0 2 true false", fmt.Sprint(2, n+1, true, false), fmt.Sprint(n+3, 2, true, false), fmt.Sprint(n+5, 2, true, false), fmt.Sprint(n+7, n, false, false)}
	if err != nil || end != int64(2*n+7) || !slices.Equal(got, want) {
		t.Errorf("Each = %d, %v, %q; want %q", end, err, got, want)
	}
	data, at, err := lines.Last(t.Context(), file, 0, end)
	if err != nil || at != int64(n+7) || string(data) != long {
		t.Errorf("Last = %d, %v, %d bytes", at, err, len(data))
	}
	if data, at, err = lines.Last(t.Context(), file, 0, int64(n+5)); err != nil || at != int64(n+3) || string(data) != "b" {
		t.Errorf("Last of a short line = %d, %v, %q", at, err, data)
	}
}
