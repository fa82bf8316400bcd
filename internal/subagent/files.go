package subagent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/pith-sessions/pith/sessiondir"
)

const (
	// gone is the reason for a path that does not exist.
	gone = "gone"
	// anothers is the reason for a session that is not the run's own.
	anothers = "the session of another run"
	// mostArtifact is the maximum size of an artifact that is read. Producers
	// stop at 50 MB.
	mostArtifact = 64 << 20
	// mostSession is the maximum size of a child session that is opened.
	mostSession = 1 << 30
	// mostListed is the maximum number of files of one directory that are
	// considered.
	mostListed = 200
)

// absolute returns a path from a session as an absolute one of this system. why
// is the reason if that is impossible: it is of another system, or on the
// network, where even a stat would send the user's credentials.
func absolute(env sessiondir.Environment, path string, p parent) (_, why string) {
	if strings.ContainsRune(path, 0) {
		return "", "not a path"
	}
	unc := strings.HasPrefix(path, `\\`) || strings.HasPrefix(path, "//")
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	if runtime.GOOS == "windows" {
		if unc {
			return "", "a network path, which is not followed"
		}
		if strings.HasPrefix(path, "/") {
			return "", "a path of another system"
		}
	} else if drive || strings.HasPrefix(path, `\\`) {
		return "", "a path of another system"
	}
	base := p.cwd
	if !filepath.IsAbs(base) || filepath.Base(path) == path && filepath.Ext(path) == ".jsonl" { // a session next to its parent
		base = filepath.Dir(p.file)
	}
	if !filepath.IsAbs(base) && !filepath.IsAbs(path) && !strings.HasPrefix(path, "~") {
		return "", "a relative path without a base directory"
	}
	full := env.Expand(path, base)
	if full == "" {
		return "", "in an unknown home directory"
	}
	return filepath.Clean(full), ""
}

// check returns why a file cannot be read, or "" if it can and is not empty.
func check(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return absence(err)
	}
	return unfit(info, mostArtifact)
}

// unfit returns why a file must not be read, or "".
func unfit(info fs.FileInfo, most int64) string {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return "a directory"
	case !mode.IsRegular():
		return "not a regular file"
	case info.Size() == 0:
		return "empty"
	case info.Size() > most:
		return fmt.Sprintf("too large: %d bytes", info.Size())
	}
	return ""
}

func absence(err error) string {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return gone
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}

// read returns the content of a file that check accepts. The opened file is
// checked again, because it may have been replaced since.
func read(path string) ([]byte, error) {
	if why := check(path); why != "" {
		return nil, fmt.Errorf("read %s: %s", path, why)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if why := unfit(info, mostArtifact); why != "" {
		return nil, fmt.Errorf("read %s: %s", path, why)
	}
	return io.ReadAll(io.LimitReader(file, mostArtifact))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// folders returns the subdirectories of a directory whose names start with a
// prefix, sorted.
func folders(path, prefix string) []string {
	var out []string
	for _, e := range list(path) {
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			out = append(out, filepath.Join(path, e.Name()))
		}
	}
	return out
}

// sessionsIn returns the files in a directory that may be sessions, the latest
// name first: names start with the time.
func sessionsIn(folder string) []string {
	var out []string
	for _, e := range list(folder) {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".jsonl") && e.Name() != "session.jsonl" {
			out = append(out, filepath.Join(folder, e.Name()))
		}
	}
	slices.Reverse(out)
	return out
}

// list returns the entries of a directory, sorted by name; none if it cannot be
// read.
func list(folder string) []fs.DirEntry {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // missing or unreadable: nothing is found in it
	}
	if len(entries) > mostListed {
		entries = entries[len(entries)-mostListed:]
	}
	return entries
}

// lines yields the nonempty lines of a text.
func lines(text []byte, yield func(line []byte) bool) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		if line = bytes.TrimSpace(line); len(line) > 0 && !yield(line) {
			return
		}
	}
}
