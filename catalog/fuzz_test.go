package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/tests/corpus"
)

// FuzzReadInfo: any bytes are a session or are rejected with the one error,
// requesting the text changes no other fact, and whatever a file contains, a
// message on its own line after it counts.
func FuzzReadInfo(f *testing.F) {
	f.Add(corpus.Bytes(corpus.Options{Seed: 3, Entries: 12, Name: "n"}))
	f.Add([]byte(session(header("s", "/p"), message("user", user, 1), "null", `{"type":"message"}`, "{", name("x", 2))))
	f.Add([]byte(header("s", "/p") + "\r\n\x00" + message("assistant", `[null,{"type":"text","text":"\ud83d"}]`, 1) + message("user", `"x"`, 2)))
	f.Add([]byte("\xef\xbb\xbf" + session(`{"type":"title","title":"t"}`, header("s", "/p", `,"title":"u"`))))
	f.Add([]byte(`{"v":4,"kind":"header","id":"x","createdAt":1e300}`))
	dir := f.TempDir()
	const late = 1_000_000 // minutes after start
	extra := "\n" + message("user", `"behind"`, late) + "\n"
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(dir, "fuzz.jsonl")
		read := func(data []byte, text bool) (catalog.Info, error) {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			info, err := readInfo(path, text)
			if err != nil && !errors.Is(err, pith.ErrNotSession) {
				t.Fatalf("ReadInfo = %v, want nil or ErrNotSession", err)
			}
			info.FileTime = start
			return info, err
		}
		info, err := read(data, true)
		if err != nil || info.Version > 3 {
			return
		}
		if info.MessageCount > info.Entries || info.Created.IsZero() || info.Modified.IsZero() || info.FirstMessage == "" {
			t.Errorf("ReadInfo = %+v; want entries, times and a first message", info)
		}
		bare, _ := read(data, false)
		if !strings.HasPrefix(info.FirstMessage, bare.FirstMessage) || bare.FirstMessage != info.FirstMessage && utf8.RuneCountInString(bare.FirstMessage) != 1001 || bare.MessageCount != info.MessageCount || bare.Findings != info.Findings || bare.Name != info.Name {
			t.Errorf("without text %+v, with text %+v", bare, info)
		}
		more, err := read(append(data, extra...), true)
		if err != nil || more.MessageCount != info.MessageCount+1 || !strings.HasSuffix(more.Text, "behind") || more.Modified.Before(minute(late)) {
			t.Errorf("with a message behind it: %d messages after %d, text %q, modified %v, %v", more.MessageCount, info.MessageCount, more.Text, more.Modified, err)
		}
	})
}
