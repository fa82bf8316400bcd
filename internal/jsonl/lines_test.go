package jsonl_test

import (
	"bytes"
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
	slices.Reverse(want)
	got = nil
	err = lines.Back(t.Context(), file, 0, end, func(l *jsonl.Line) error {
		got = append(got, fmt.Sprint(l.At, l.Size, l.Ended, l.TooLong))
		if n := len(l.Data); n > 10 && string(l.Data) != long {
			t.Errorf("line at %d has %d bytes", l.At, n)
		}
		return nil
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Back = %v, %q; want %q", err, got, want)
	}
}

// Backwards, lines are the same as forwards, wherever the reads begin and end.
func TestBack(t *testing.T) {
	var lines jsonl.Lines
	for _, size := range []int{1, 7, 60_000, 65_535, 65_536, 65_537, 131_072, 262_143, 262_144, 262_145, 600_000} {
		for _, end := range []string{"", "\n", "\n\n", "\nlast"} {
			text := "first\n" + strings.Repeat("x", size) + "\n" + strings.Repeat("y", 200_000) + "\n\n" + strings.Repeat("z\n", 40_000) + "w" + end
			for _, from := range []int64{0, 6, int64(size) + 7} {
				var forth, back []string
				collect := func(out *[]string) func(*jsonl.Line) error {
					return func(l *jsonl.Line) error {
						*out = append(*out, fmt.Sprint(l.At, l.Size, l.Ended)+string(l.Data))
						return nil
					}
				}
				_, err := lines.Each(t.Context(), strings.NewReader(text), from, int64(len(text)), collect(&forth))
				if err != nil {
					t.Fatal(err)
				}
				if err := lines.Back(t.Context(), strings.NewReader(text), from, int64(len(text)), collect(&back)); err != nil {
					t.Fatal(err)
				}
				slices.Reverse(back)
				if !slices.Equal(forth, back) {
					t.Errorf("%d bytes before %q, from %d: %d lines forth, %d back", size, end, from, len(forth), len(back))
				}
			}
		}
	}
}

// What Back calls may read a long line, also the same one.
func TestLongLineWithinBack(t *testing.T) {
	text := strings.NewReader("first\n" + strings.Repeat("x", 9<<20) + "\n")
	var lines, within jsonl.Lines
	n := 0
	err := lines.Back(t.Context(), text, 0, text.Size(), func(l *jsonl.Line) error {
		n++
		data, err := within.At(t.Context(), text, l.At, l.Size)
		if !bytes.Equal(data, l.Data) {
			t.Errorf("the line at %d has %d bytes, then %d", l.At, len(l.Data), len(data))
		}
		return err
	})
	if err != nil || n != 2 {
		t.Errorf("Back = %v after %d lines", err, n)
	}
}

// An error of the function ends Back, and so do a file that became shorter and the
// context.
func TestBackStops(t *testing.T) {
	var lines jsonl.Lines
	text := strings.NewReader(strings.Repeat("a line\n", 100_000))
	enough, n := errors.New("enough"), 0
	err := lines.Back(t.Context(), text, 0, text.Size(), func(*jsonl.Line) error {
		if n++; n == 3 {
			return enough
		}
		return nil
	})
	if err != enough || n != 3 {
		t.Errorf("Back = %v after %d lines", err, n)
	}
	none := func(*jsonl.Line) error { return nil }
	if err := lines.Back(t.Context(), text, 0, text.Size()+1, none); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Back of a shorter file = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := lines.Back(ctx, text, 0, text.Size(), none); !errors.Is(err, context.Canceled) {
		t.Errorf("Back without a context = %v", err)
	}
}
