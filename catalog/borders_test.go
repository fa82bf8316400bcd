package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
)

// pitfall 1, pitfall 9: wherever a file is cut, the whole lines count as before.
func TestEveryPrefix(t *testing.T) {
	text := session(header("s1", "/p"), message("user", `"日本 \"q\" 🌳"`, 1), name("n", 2), message("assistant", user, 3))
	dir := t.TempDir()
	for n := range len(text) + 1 {
		lines := strings.SplitAfter(text[:n], "\n")
		whole := 0 // messages whose line is complete
		for i, line := range lines {
			end := strings.HasSuffix(line, "\n") || strings.HasPrefix(text[n:], "\n")
			if end && (i == 1 || i == 3) {
				whole++
			}
		}
		info, err := readInfo(write(t, filepath.Join(dir, "s.jsonl"), text[:n]), true)
		if n < strings.Index(text, "\n") {
			if !errors.Is(err, pith.ErrNotSession) {
				t.Errorf("ReadInfo of %d bytes = %v, want ErrNotSession", n, err)
			}
			continue
		}
		if err != nil || info.MessageCount != whole || info.Size != int64(n) {
			t.Errorf("ReadInfo of %d bytes = %d messages of %d bytes, %v; want %d of %d", n, info.MessageCount, info.Size, err, whole, n)
		}
	}
}

// Lines that end around the borders of read buffers.
func TestBufferBorders(t *testing.T) {
	for _, border := range []int{8 << 10, 256 << 10, 512 << 10} {
		for shift := -2; shift <= 2; shift++ {
			h := header("s1", "/p")
			last := message("assistant", `"last"`, 2)
			empty := message("user", `""`, 1)
			pad := border + shift - len(h) - len(empty) - 2
			text := session(h, message("user", `"`+strings.Repeat("x", pad)+`"`, 1), last)
			if info := readText(t, text); info.MessageCount != 2 || info.Size != int64(len(text)) || !strings.HasSuffix(info.Text, "x last") || info.Findings != 0 {
				t.Errorf("second line ends %d bytes from %d: %d messages, %d bytes of %d, %d findings; want 2 messages, all bytes, none",
					shift, border, info.MessageCount, info.Size, len(text), info.Findings)
			}
		}
	}
}

// A message that holds a whole file does not fill the list or its index.
func TestHugeFirstMessage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.jsonl")
	long := strings.Repeat("é", 5<<20) // two bytes each
	text := `{"type":"session","version":3,"id":"h","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n" +
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z","message":{"role":"user","content":"x` + long + `","timestamp":1}}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := readInfo(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(info.FirstMessage); n != 2001 || !strings.HasPrefix("x"+long, info.FirstMessage) {
		t.Errorf("FirstMessage has %d bytes; want the first 1,001 characters", n)
	}
}
