package pith

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/internal/blobs"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// This file has what concerns oh-my-pi: pith reads its sessions and continues
// them in copies elsewhere, which include what oh-my-pi stores outside entries.

// ofOhMyPi returns an error if a file belongs to oh-my-pi. written is false for a
// session that is to be created there.
func ofOhMyPi(s *journal.State, file string, written bool) error {
	owner, _ := s.Signature.Owner(file)
	switch {
	case owner != format.OhMyPi:
		return nil
	case !written:
		dir := filepath.Dir(file)
		return invalidf(ErrNoDir, "session directory", dir, "%s belongs to oh-my-pi, whose sessions pith only reads; choose another session directory", dir)
	}
	return &format.ForeignError{Source: owner.String(), Session: s.Header.ID, Original: file}
}

// pictures returns the directory of images that a copy must inline.
func (v *View) pictures() blobs.Folder {
	if v.program() != format.OhMyPi {
		return ""
	}
	return blobs.Of(v.file)
}

// copyTo creates the file of n, a copy of this session, with the entries that
// fill writes. It copies the artifacts first, because entries refer to them. If
// copyTo fails, it removes both.
func (v *View) copyTo(ctx context.Context, n *Session, fill store.Fill) error {
	if err := ofOhMyPi(n.seen, n.file, false); err != nil {
		return err
	}
	from, _ := artifacts.Dir(v.file)
	to, _ := artifacts.Dir(n.file)
	if info, err := os.Stat(from); !filestore.Is(n.store) || v.program() != format.OhMyPi || err != nil || !info.IsDir() {
		return n.createWith(ctx, fill)
	}
	if err := artifacts.Copy(ctx, from, to); err != nil {
		return fmt.Errorf("copy the artifacts: %w", err)
	}
	if err := n.createWith(ctx, fill); err != nil {
		return errors.Join(err, artifacts.Remove(to))
	}
	return nil
}

// writeTitle copies a name that is not in an entry but in the title slot or the
// header.
func (v *View) writeTitle(w io.Writer, parent string) error {
	name := v.name()
	if len(v.state.Names) > 0 || name == "" {
		return nil
	}
	_, stamp := v.timestamp()
	id := sessiondir.NewEntryID(func(id string) bool { return v.state.Find(id) != journal.None })
	return writeLine(w, format.AppendEntry(nil, &format.SessionInfo{
		Base: format.Base{Type: format.TypeSessionInfo, ID: id, ParentID: parent, Timestamp: stamp}, Name: name,
	}))
}
