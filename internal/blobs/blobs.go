// Package blobs is the pictures that oh-my-pi keeps beside its sessions. A line names
// one by the hash of its bytes; what leaves for another program has the picture
// itself.
package blobs

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/lazyregexp"
)

// A Folder is where the pictures of a session are; "" when there is none.
type Folder string

// Of is the folder of a session file: the nearest one of its name around it. A session
// without a file has none.
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

// A reference names a picture. Anything but 64 hex digits is none: it must not lead
// to another folder.
var reference = lazyregexp.New(`"blob:sha256:([0-9a-f]{64})"`)

// Inline is a line with the pictures that it names. A reference stays where there is
// no file of that hash: a session must not take along what only has the name.
func (f Folder) Inline(line []byte) []byte {
	if f == "" || !bytes.Contains(line, []byte(`"blob:sha256:`)) {
		return line
	}
	var out []byte
	end := 0
	for _, at := range reference().FindAllSubmatchIndex(line, -1) {
		name := string(line[at[2]:at[3]])
		data, err := os.ReadFile(filepath.Join(string(f), name))
		if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != name {
			continue
		}
		text := string(data) // of a whole address
		if bytes.HasSuffix(bytes.TrimRight(line[:at[0]], " "), []byte(`"data":`)) {
			text = base64.StdEncoding.EncodeToString(data)
		}
		out = jsonl.AppendString(append(out, line[end:at[0]]...), text)
		end = at[1]
	}
	return append(out, line[end:]...)
}
