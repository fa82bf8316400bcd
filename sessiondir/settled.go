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
	changedLately = time.Second / 2       // a file that changed since may be about to change again
	quietTime     = 50 * time.Millisecond // a rewrite does not rest for so long
	mostQuiet     = 5 * time.Second       // others may write without end
)

// Settled calls read, which reads a session file. pi rewrites a file of an old version
// in place: for a moment it is empty, or only a part is there. If read fails because of
// that, and the file has just changed, Settled calls it again when the file has stayed
// as it is for a moment.
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
