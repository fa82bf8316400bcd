// Package samples holds the sessions that `pith demo` writes: small, written by
// hand, for people to look at. Times and IDs are fixed, so that documents can
// refer to them.
package samples

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

//go:embed sessions/*.jsonl
var files embed.FS

// A Sample is a session for the demo.
type Sample struct {
	Name        string // a short name
	Description string // one sentence
	File        string // the file name that pi would use
	Bytes       []byte // the content of the file
}

var descriptions = []struct{ name, description string }{
	{"bug-hunt", "A bug hunt with two attempts: a branch that was left, labels, and a cause found."},
	{"bug-hunt-fork", "A fork of the bug hunt that takes one more question further."},
	{"refactoring", "A long refactoring with a compaction, a branch summary, a changed model and an edited context."},
	{"layout", "A layout bug with screenshots, visible thinking, failing tools and diffs."},
	{"japanese", "A session in Japanese, with emoji and box drawing."},
	{"old-format", "A file of the first format version, without ids: it is migrated when it is first written to."},
	{"damaged", "A file whose last line was cut off when the disk was full."},
}

// In returns the samples for a directory, which holds them all. The fork among
// them names its parent by path.
func In(dir string) ([]Sample, error) {
	all := make([]Sample, len(descriptions))
	for i, d := range descriptions {
		data, err := files.ReadFile("sessions/" + d.name + ".jsonl")
		if err != nil {
			return nil, err
		}
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		header, err := format.DecodeHeader(line)
		if err != nil {
			return nil, err
		}
		if header.ParentSession != "" {
			line = jsonl.Set(line, "parentSession", jsonl.AppendString(nil, filepath.Join(dir, header.ParentSession)))
			data = bytes.Join([][]byte{line, rest}, []byte("\n"))
		}
		made, _ := header.Time()
		all[i] = Sample{d.name, d.description, format.FileName(made, header.ID), data}
	}
	return all, nil
}

// Write writes the sample into a directory, unless its file exists, and returns
// its state: written, there or changed.
func (s *Sample) Write(ctx context.Context, dir string) (state string, err error) {
	file := filepath.Join(dir, s.File)
	log, err := filestore.New(filestore.Options{}).Create(ctx, file, store.Bytes(s.Bytes))
	if err == nil {
		return "written", log.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	there, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if bytes.Equal(there, s.Bytes) {
		return "there", nil
	}
	return "changed", nil
}
