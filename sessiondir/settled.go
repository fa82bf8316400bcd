package sessiondir

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store/filestore"
)

const (
	quietTime = 50 * time.Millisecond // a rewrite does not pause this long while the machine is idle
	mostQuiet = 10 * time.Second      // upper bound, because others may write without end
)

// Settled calls read, which reads a session file. pi rewrites a file of an old
// version in place: for a moment it is empty or incomplete. If read fails for
// that reason and the file has just changed, Settled calls it again until it
// succeeds, or nothing has changed for a moment and no program has the file
// open for writing. It does not wait for a file whose first line is complete
// and not a header.
func Settled(ctx context.Context, path string, read func() error) error {
	err := read()
	for end := time.Now().Add(mostQuiet); unsettled(path, err) && time.Now().Before(end); {
		before, statErr := os.Stat(path)
		if statErr != nil {
			return err
		}
		if time.Since(before.ModTime()).Abs() > mostQuiet { // the clock may have been set back
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(quietTime):
		}
		if err = read(); err == nil {
			return nil
		}
		// Ask only after reading: a rewrite may start between the two.
		writer, _ := filestore.Writer(ctx, path)
		now, statErr := os.Stat(path)
		if statErr != nil || writer == 0 && now.Size() == before.Size() && now.ModTime().Equal(before.ModTime()) {
			return err
		}
	}
	return err
}

// unsettled reports whether an error may be due to a rewrite in progress.
func unsettled(path string, err error) bool {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return true
	case !errors.Is(err, format.ErrNotSession):
		return false
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false // opening a pipe would block
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	line, _, whole := bytes.Cut(bytes.TrimLeft(head[:n], "\n"), []byte("\n"))
	if whole {
		_, err := format.DecodeHeader(line)
		return err == nil // it was written since
	}
	return err != nil
}
