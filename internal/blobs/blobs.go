// Package blobs reads the images that oh-my-pi stores next to its sessions. A
// line refers to an image by the hash of its bytes; data for another program
// contains the image itself.
package blobs

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Folder is the directory with the images of a session, or "" if there is
// none.
type Folder string

// Of returns the image directory of a session file: the nearest directory named
// blobs above it. A session without a file has none.
func Of(file string) Folder {
	if file == "" {
		return ""
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		blobs := filepath.Join(dir, "blobs")
		if info, err := os.Stat(blobs); err == nil && info.IsDir() {
			return Folder(blobs)
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// A reference refers to an image. Only 64 hex digits are accepted, so that it
// cannot lead to another directory.
var reference = regexp.MustCompile(`"blob:sha256:([0-9a-f]{64})"`)

// Inline returns a line in which references are replaced by images. A reference
// without a file of that hash is kept, so that a session never includes another
// file of that name.
func (f Folder) Inline(line []byte) []byte {
	if f == "" || !bytes.Contains(line, []byte(`"blob:sha256:`)) {
		return line
	}
	var out []byte
	end := 0
	for _, at := range reference.FindAllSubmatchIndex(line, -1) {
		name := string(line[at[2]:at[3]])
		data, err := os.ReadFile(filepath.Join(string(f), name))
		if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != name {
			continue
		}
		text := string(data) // a whole data URL
		if bytes.HasSuffix(bytes.TrimRight(line[:at[0]], " "), []byte(`"data":`)) {
			text = base64.StdEncoding.EncodeToString(data)
		}
		out = jsonl.AppendString(append(out, line[end:at[0]]...), text)
		end = at[1]
	}
	return append(out, line[end:]...)
}
