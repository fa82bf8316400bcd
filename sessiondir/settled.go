package sessiondir

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/pith-sessions/pith/format"
)

const (
	changedLately = time.Second / 2       // a file that changed within this time may change again soon
	quietTime     = 50 * time.Millisecond // a rewrite does not pause this long
	mostQuiet     = 5 * time.Second       // upper bound, because others may write without end
)

// Settled calls read, which reads a session file. pi rewrites a file of an old
// version in place: for a moment it is empty or incomplete. If read fails for
// that reason and the file has just changed, Settled calls it again once the
// file has been stable for a moment.
func Settled(ctx context.Context, path string, read func() error) error {
	for end := time.Now().Add(mostQuiet); ; {
		before, statErr := os.Stat(path)
		err := read()
		if !errors.Is(err, format.ErrNotSession) && !errors.Is(err, io.ErrUnexpectedEOF) || statErr != nil || time.Now().After(end) {
			return err
		}
		if age := time.Since(before.ModTime()); age < 0 || age > changedLately {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(quietTime):
		}
		now, statErr := os.Stat(path)
		if statErr != nil || now.Size() == before.Size() && now.ModTime().Equal(before.ModTime()) {
			return err
		}
	}
}
