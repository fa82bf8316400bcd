package sessiondir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/journal"
)

// FileWithID returns the file in a directory that is named after a session id
// and belongs to the project at cwd, or "". An id is taken only for one
// project, not for others whose directory has the same name. A file with an
// unreadable header counts.
func FileWithID(dir, cwd, id string) (string, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", listError(dir, err)
	}
	for _, f := range files {
		if !NamedAfter(f.Name(), id) {
			continue
		}
		path := filepath.Join(dir, f.Name())
		if h, err := HeaderOf(path); err != nil || h.Cwd == "" || SameProject(h.Cwd, cwd) {
			return path, nil
		}
	}
	return "", nil
}

// NamedAfter reports whether a file is named after a session id. It accepts any
// prefix before the id, unlike format.ParseFileName: refusing a free id does no
// harm, but assigning one twice does.
func NamedAfter(file, id string) bool {
	name := strings.TrimSuffix(file, format.FileSuffix)
	_, named, dated := strings.Cut(name, "_")
	return name == id || dated && named == id
}

// HeaderOf reads the header of a session file. It waits while the file is being
// rewritten.
func HeaderOf(path string) (h *format.Header, err error) {
	err = Settled(context.Background(), path, func() (err error) {
		h, err = headerOf(path)
		return err
	})
	return h, err
}

func headerOf(path string) (*format.Header, error) {
	if s := foreign.Find(path); s != nil {
		for line, err := range s.Lines(context.Background()) {
			if err != nil {
				return nil, err
			}
			return ReadHeader(bytes.NewReader(line))
		}
		return nil, format.ErrNotSession
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, format.ErrNotSession // opening a pipe would block
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadHeader(f)
}

// ReadHeader reads the header of a session without reading the rest. It skips
// unreadable lines before it. An event stream of a run, which may start with a
// header, is not a session.
func ReadHeader(r io.ReaderAt) (*format.Header, error) {
	for _, size := range []int{4 << 10, journal.HeaderWithin, journal.HeaderMost} {
		buf := make([]byte, size)
		n, err := r.ReadAt(buf, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		h, err := headerIn(buf[:n], n < size)
		if h != nil || err != nil {
			return h, err
		}
		if n < size || size == journal.HeaderWithin && !journal.BeginsHeader(buf) {
			break
		}
	}
	return nil, fmt.Errorf("%w: no header found", format.ErrNotSession)
}

// headerIn searches for the header in the first bytes of a file. It returns
// neither header nor error if more bytes are needed.
func headerIn(head []byte, whole bool) (*format.Header, error) {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for len(head) > 0 {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if !ended && !whole {
			return nil, nil
		}
		head = rest
		line, ok := journal.FirstRecord(line)
		if !ok {
			continue
		}
		switch format.ClassifyFirst(line) {
		case format.FirstHeader, format.FirstV4:
			if beginsWithEvent(head) {
				return nil, journal.ErrEvents
			}
			return format.DecodeHeader(line)
		case format.FirstTitleSlot:
			continue
		}
		return nil, format.ErrNotSession
	}
	return nil, nil
}

// beginsWithEvent reports whether the first line after a header is an event.
// The first event of a run is short, so it was read with the header.
func beginsWithEvent(rest []byte) (event bool) {
	if line, _, ended := bytes.Cut(rest, []byte{'\n'}); ended {
		var r journal.Record
		r.Each(line, func(r *journal.Record) { event = r.IsEvent() })
	}
	return event
}

func listError(dir string, err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err // it would repeat the directory
	}
	return fmt.Errorf("list %s: %w", dir, err)
}
