// Package samples holds the sessions that `pith demo` writes and that pith shows
// to users who have no sessions yet. They are small and written by hand. Times
// and IDs are fixed, so that documents can refer to them.
package samples

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

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
	ID          string
	File        string // where its agent would store it, relative to the directory of the demo
	Project     string // the name of its project, a directory next to the sessions
	Bytes       []byte // the content of the file
}

var descriptions = []struct{ name, description string }{
	{"bug-hunt", "Two attempts at a bug: one was abandoned, the other found the cause. With labels."},
	{"bug-hunt-fork", "A fork of the bug hunt with one more question."},
	{"refactoring", "A long refactoring with a compaction, a branch summary, two models and an edited context."},
	{"layout", "A layout bug with screenshots, thinking, failing tools and diffs."},
	{"claude-deploy", "A Claude Code session: a failing deploy, with a password in a tool result."},
	{"codex-cent", "A Codex session: an export that is one cent off, and a failing test."},
	{"japanese", "A session in Japanese, with emoji and box drawing."},
	{"old-format", "A file of format version 1, without IDs. The first write migrates it."},
	{"damaged", "A file whose last line was cut off when the disk was full."},
}

// otherFiles are the files of the samples of other agents, below the directory of
// the demo as below a home directory.
var otherFiles = map[string]struct{ id, file string }{
	"claude-deploy": {"7c1f0b52-3f0e-4d5a-9f43-2b6d8a51c0e7", ".claude/projects/-home-mira-src-parcel-tracker/7c1f0b52-3f0e-4d5a-9f43-2b6d8a51c0e7.jsonl"},
	"codex-cent":    {"019f40da-208a-7d13-8b7e-3f1d5a92e604", ".codex/sessions/2026/07/08/rollout-2026-07-08T08-31-04-019f40da-208a-7d13-8b7e-3f1d5a92e604.jsonl"},
}

// workingDirectory matches the member of a line with its working directory.
var workingDirectory = regexp.MustCompile(`"cwd":"([^"]*)"`)

// In returns the samples for a directory. Their projects are directories in it,
// and the fork names its parent by path.
func In(dir string) ([]Sample, error) {
	all := make([]Sample, len(descriptions))
	for i, d := range descriptions {
		data, err := files.ReadFile("sessions/" + d.name + ".jsonl")
		if err != nil {
			return nil, err
		}
		found := workingDirectory.FindSubmatch(data)
		if found == nil {
			return nil, errors.New("sample " + d.name + " has no working directory")
		}
		s := Sample{Name: d.name, Description: d.description, Project: path.Base(string(found[1]))}
		cwd := jsonl.AppendString(nil, filepath.Join(dir, s.Project))
		s.Bytes = bytes.ReplaceAll(data, found[0], append([]byte(`"cwd":`), cwd...))
		if err := s.place(dir); err != nil {
			return nil, err
		}
		all[i] = s
	}
	return all, nil
}

// place sets the ID and the file of a sample.
func (s *Sample) place(dir string) error {
	if at, ok := otherFiles[s.Name]; ok {
		s.ID, s.File = at.id, filepath.FromSlash(at.file)
		return nil
	}
	line, rest, _ := bytes.Cut(s.Bytes, []byte("\n"))
	header, err := format.DecodeHeader(line)
	if err != nil {
		return err
	}
	if header.ParentSession != "" {
		line = jsonl.Set(line, "parentSession", jsonl.AppendString(nil, filepath.Join(dir, header.ParentSession)))
		s.Bytes = bytes.Join([][]byte{line, rest}, []byte("\n"))
	}
	made, _ := header.Time()
	s.ID, s.File = header.ID, format.FileName(made, header.ID)
	return nil
}

// Write writes the sample into a directory, unless its file exists, and returns
// its state: written, there or changed. The file has the time of its last entry, so
// that it does not look like a session in use.
func (s *Sample) Write(ctx context.Context, dir string) (state string, err error) {
	file := filepath.Join(dir, s.File)
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, s.Project), 0o700), os.MkdirAll(filepath.Dir(file), 0o700)); err != nil {
		return "", err
	}
	log, err := filestore.New(filestore.Options{}).Create(ctx, file, store.Bytes(s.Bytes))
	if err == nil {
		at := s.lastTime()
		return "written", errors.Join(log.Close(), os.Chtimes(file, at, at))
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

func (s *Sample) lastTime() time.Time {
	const member = `"timestamp":"`
	text := string(s.Bytes)
	for i := strings.LastIndex(text, member); i >= 0; i = strings.LastIndex(text[:i], member) {
		value, _, _ := strings.Cut(text[i+len(member):], `"`)
		if at, ok := format.ParseTime(value); ok {
			return at
		}
	}
	return time.Now()
}

// Write writes all samples into a directory.
func Write(ctx context.Context, dir string) error {
	all, err := In(dir)
	if err != nil {
		return err
	}
	for i := range all {
		if _, err := all[i].Write(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}
