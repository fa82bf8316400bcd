package blobs_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/internal/blobs"
)

func keep(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A line has the picture in the place of its hash, and nothing else in the place of
// anything: not what is missing, and not what only has the name.
func TestInline(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "blobs")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("png"))
	hash := hex.EncodeToString(sum[:])
	const other = "00000000000000000000000000000000000000000000000000000000000000ff"
	keep(t, dir, hash, "png")
	keep(t, dir, other, "a file that only has such a name")
	pictures := blobs.Of(filepath.Join(home, "sessions", "project", "s.jsonl"))
	for line, want := range map[string]string{
		`{"data":"blob:sha256:` + hash + `","b":1}`:    `{"data":"` + base64.StdEncoding.EncodeToString([]byte("png")) + `","b":1}`,
		`{"url":"blob:sha256:` + hash + `"}`:           `{"url":"png"}`,
		`{"data":"blob:sha256:` + other + `"}`:         `{"data":"blob:sha256:` + other + `"}`,
		`{"data":"blob:sha256:` + other[:62] + `aa"}`:  `{"data":"blob:sha256:` + other[:62] + `aa"}`,
		`{"data":"blob:sha256:../` + hash + `"}`:       `{"data":"blob:sha256:../` + hash + `"}`,
		`{"text":"see blob:sha256:` + hash + ` here"}`: `{"text":"see blob:sha256:` + hash + ` here"}`,
	} {
		if got := string(pictures.Inline([]byte(line))); got != want {
			t.Errorf("Inline(%s) = %s; want %s", line, got, want)
		}
	}
	if none := blobs.Of(""); none != "" {
		t.Errorf("a session without a file has the pictures in %q", none)
	}
}
