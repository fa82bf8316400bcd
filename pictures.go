package pith

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// oh-my-pi keeps pictures beside its sessions and writes where they are. A copy for
// another program has the pictures themselves.

// A picture is the reference to one. Anything but 64 hex digits is none: it must not
// lead to another folder.
var picture = regexp.MustCompile(`"blob:sha256:([0-9a-f]{64})"`)

// blobsOf is the folder of pictures that belongs to a session: the nearest one of that
// name around it; "" when there is none.
func blobsOf(file string) string {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		blobs := filepath.Join(dir, "blobs")
		if info, err := os.Stat(blobs); err == nil && info.IsDir() {
			return blobs
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// leavesOhMyPi reports whether a copy in a file goes to a program that does not know
// where the pictures of this session are.
func (j *journal) leavesOhMyPi(file string) bool {
	if j.program() != format.OhMyPi {
		return false
	}
	p, ok := format.ProgramOfFolder(file)
	return !ok || p != format.OhMyPi
}

// withPictures is a line with the pictures that it names. What cannot be read stays a
// reference.
func withPictures(line []byte, blobs string) []byte {
	if blobs == "" || !bytes.Contains(line, []byte(`"blob:sha256:`)) {
		return line
	}
	var out []byte
	end := 0
	for _, at := range picture.FindAllSubmatchIndex(line, -1) {
		data, err := os.ReadFile(filepath.Join(blobs, string(line[at[2]:at[3]])))
		if err != nil {
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

// copyArtifacts brings what a session keeps in the folder of its name along. That
// there is none is no error.
func copyArtifacts(from, to string) error {
	from, to = strings.TrimSuffix(from, format.FileSuffix), strings.TrimSuffix(to, format.FileSuffix)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return os.CopyFS(to, os.DirFS(from))
}
