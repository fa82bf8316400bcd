package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"iter"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
)

// Version is the version of translations. It increases with every change that
// gives different lines for the same bytes.
const Version = 6

// List returns the sessions of a program under a root, and lets them be opened by
// their paths. A session has the path of its file; one in a database has a path
// below that of the database. A session that cannot be listed is named by the
// error.
func List(ctx context.Context, p Program, root string) ([]*foreign.Session, error) {
	found, err := p.Sessions(ctx, root)
	if cause := ctx.Err(); cause != nil {
		return nil, cause
	}
	paths := make(map[string]string, len(found))
	for i := range found {
		paths[found[i].ID] = found[i].path(root)
	}
	path := func(id string) string { return paths[id] }
	out := make([]*foreign.Session, len(found))
	for i := range found {
		s := &found[i]
		out[i] = &foreign.Session{
			Path: path(s.ID), Original: s.Path, Modified: s.Modified, Stamp: s.stamp(p),
			Lines: func(ctx context.Context) iter.Seq2[[]byte, error] { return Translate(ctx, p, *s, path) },
		}
	}
	foreign.Add(root, out)
	return out, err
}

// path returns the path by which a session is opened.
func (s *Session) path(root string) string {
	if s.Path != root || s.ID == root { // not one of many in a database
		return s.Path
	}
	return filepath.Join(root, fileName(s.ID)+format.FileSuffix)
}

// stamp returns a hash of what the lines are made from.
func (s *Session) stamp(p Program) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d %d %s", Version, p.Name(), s.Stamp.Size, s.Stamp.Time, s.Stamp.Mark)
	return h.Sum64()
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// fileName returns an ID as a file name: itself, or a name that is equally
// unique.
func fileName(id string) string {
	if plainName.MatchString(id) && !strings.HasSuffix(id, format.FileSuffix) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "x" + hex.EncodeToString(sum[:])
}
