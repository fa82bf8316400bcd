package cost

import (
	"context"
	"math"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/cache/scans"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/spending"
)

const (
	// keptKind is the kind of the stored responses.
	keptKind = "spent"
	// keptVersion increases with every change of the scan or of its stored
	// form.
	keptVersion = spending.Version
)

// A reader reads the spending recorded in files.
type reader struct {
	lines jsonl.Lines
	scan  spending.Scanner
	kept  *scans.Kept // results of earlier scans
}

// file finds all responses in a session file, in file order, and returns them
// packed. info is that of the file, if it is in the list. The file is read
// unless the list did so or the result of an earlier scan is stored.
func (r *reader) file(ctx context.Context, path string, info *catalog.Info) (string, error) {
	return r.kept.Of(path, func() ([]byte, error) {
		if info != nil && info.Responses != "" && isUnchanged(info) {
			return []byte(info.Responses), nil
		}
		r.scan.Reset()
		in, err := foreign.Open(ctx, path)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		_, err = r.lines.Each(ctx, in, 0, math.MaxInt64, func(line *jsonl.Line) error { r.scan.Line(line.Data); return nil })
		return r.scan.Pack(), err
	})
}

// isUnchanged reports whether a file is as it was when it was listed.
func isUnchanged(info *catalog.Info) bool {
	now, err := foreign.Stat(info.Path)
	return err == nil && (now.Size() == info.Size || info.Inode.Device == cache.ForeignDevice) && now.ModTime().Equal(info.FileTime) && catalog.Inode(cache.InodeOf(now)) == info.Inode
}
