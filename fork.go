package pith

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/blobs"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/sessiondir"
)

// ForkFrom copies a whole session with all branches into a new one for the
// working directory Options.Cwd. Entries keep their bytes; a source of an old
// version is migrated in the copy. The copy includes images that oh-my-pi
// stores next to its sessions, and its artifacts directory. The copy appears
// complete or not at all, and the source does not change.
func ForkFrom(ctx context.Context, source string, o Options) (*Session, error) {
	source, cwd := sessiondir.ExpandPath(source, ""), sessiondir.ExpandPath(o.Cwd, "")
	src, err := Open(ctx, source, Options{Store: o.Store, ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("fork: %w", err)
	}
	defer src.Close()
	if !src.Written() {
		return nil, &FileError{"fork", source, fmt.Errorf("%w: it is empty", ErrNotSession)}
	}
	all := src.View()
	if err := copyable(all.state, source); err != nil {
		return nil, &FileError{"fork", source, err}
	}
	dir, err := folderFor(cwd, &o)
	if err != nil {
		return nil, err
	}
	o.ParentSession = asParent(all.state, source)
	n, err := fresh(cwd, o)
	if err != nil {
		return nil, err
	}
	n.dir, n.file = dir, filepath.Join(dir, fileName(n.seen.Header))
	if err := all.copyTo(ctx, n, func(w io.Writer) error { return all.writeCopy(w) }); err != nil {
		return nil, n.wrap("fork to", err)
	}
	return n, nil
}

// writeCopy writes each entry on its own line. It skips lines that are not
// entries; they remain in the source.
func (v *View) writeCopy(w io.Writer) error {
	pictures := v.pictures()
	for line, err := range v.Reader().Lines() {
		if err != nil {
			return err
		}
		if err := writeLine(w, pictures.Inline(line.Raw)); err != nil {
			return err
		}
	}
	return v.writeTitle(w, v.state.ID(v.Len()-1))
}

// Fork creates a new session from the path to an entry's parent. It is for
// asking the entry's question again: the entry itself is not copied. If the
// entry has no parent, the new session is empty.
func (s *Session) Fork(ctx context.Context, id string) (*Session, error) {
	v := s.View()
	i, err := v.Find(id)
	if err != nil {
		return nil, err
	}
	if above := v.state.Above(i); above != journal.None {
		return v.extract(ctx, above)
	}
	return v.child(nil)
}

// Clone creates a new session from the path from a root to an entry. Entries
// keep their ids and times. Label entries are omitted and their labels are
// written at the end, with their times. Children of an omitted label get the
// label's parent, and a compaction whose first kept entry was a label keeps
// from the next entry. The display name and the artifacts of an oh-my-pi
// session are copied. The source does not change.
//
// The new file appears complete or not at all. If the path has no user or
// assistant message, the file is created with the first one, as for a new
// session.
func (s *Session) Clone(ctx context.Context, id string) (*Session, error) {
	v := s.View()
	i, err := v.findOr(id, journal.None)
	if err != nil {
		return nil, err
	}
	return v.extract(ctx, i)
}

// extract returns a new session from the path to an entry.
func (v *View) extract(ctx context.Context, i int) (*Session, error) {
	if err := copyable(v.state, v.file); err != nil {
		return nil, v.wrap("extract from", err)
	}
	if i == journal.None {
		return nil, invalidf(ErrEmptyPath, "entry", "", "the session has no entry to extract")
	}
	x := extraction{from: v, path: v.path(v.state.Path(i)), moved: map[string]string{}, kept: map[string]bool{}, pictures: v.pictures()}
	if v.file == "" || !x.hasMessages() {
		var lines bytes.Buffer
		if err := x.run(&lines); err != nil {
			return nil, err
		}
		return v.child(lines.Bytes())
	}
	n, err := v.child(nil)
	if err != nil {
		return nil, err
	}
	// Copy from file to file: a path can be larger than memory.
	if err := v.copyTo(ctx, n, x.run); err != nil {
		return nil, n.wrap("create", err)
	}
	return n, nil
}

// child returns a new session derived from this one, stored in the same
// directory, or where pi stores sessions of its working directory. It holds
// lines, each of which ends in LF, and has no file yet.
func (v *View) child(lines []byte) (*Session, error) {
	now, stamp := v.timestamp()
	h := &format.Header{Version: format.Version, ID: sessiondir.NewSessionID(now), Timestamp: stamp, Cwd: v.cwd, ParentSession: asParent(v.state, v.file)}
	o := v.opt
	o.ID, o.Cwd, o.ParentSession, o.ReadOnly = "", "", "", false
	n, err := newDraft(h, lines, o)
	if err != nil || v.file == "" {
		return n, err
	}
	if n.dir = v.dir; n.dir == "" {
		if n.dir, err = folderFor(v.cwd, &o); err != nil {
			return nil, err
		}
	}
	n.file = filepath.Join(n.dir, fileName(h))
	return n, nil
}

// An extraction collects the lines of a path for a new session.
type extraction struct {
	from     *View
	path     *path
	parent   string            // id of the last kept entry
	waiting  []string          // ids of labels omitted since then
	moved    map[string]string // id of an omitted label to the id of the next kept entry
	kept     map[string]bool
	pictures blobs.Folder // images that the copy must inline
}

// hasMessages reports whether the path has a message, without which no file is
// created.
func (x *extraction) hasMessages() bool {
	for pos := range x.path.Len() {
		if x.path.At(pos).Conversation() {
			return true
		}
	}
	return false
}

// run writes the lines. It must be called only once.
func (x *extraction) run(w io.Writer) error {
	for pos := range x.path.Len() {
		if x.path.At(pos).Kind == journal.KindLabel {
			x.waiting = append(x.waiting, x.path.At(pos).ID)
			continue
		}
		line, err := x.path.Line(pos)
		if err != nil {
			return err
		}
		if err := writeLine(w, x.pictures.Inline(x.keep(pos, line))); err != nil {
			return err
		}
	}
	if err := x.labels(w); err != nil {
		return err
	}
	return x.name(w)
}

// keep returns an entry's line, changing only its links to omitted labels.
func (x *extraction) keep(pos int, line []byte) []byte {
	id := x.path.At(pos).ID
	for _, label := range x.waiting {
		x.moved[label] = id
	}
	x.waiting = x.waiting[:0]
	if x.path.At(pos).Parent != x.parent {
		line = jsonl.Set(line, "parentId", idJSON(x.parent))
	}
	if x.path.At(pos).Kind == journal.KindCompaction {
		first := jsonl.LookupString(line, "firstKeptEntryId")
		if next, ok := x.moved[first]; ok && first != id {
			line = jsonl.Set(line, "firstKeptEntryId", idJSON(next))
		}
	}
	x.parent = id
	x.kept[id] = true
	return line
}

// labels writes the labels of the kept entries, each as a child of the previous
// one.
func (x *extraction) labels(w io.Writer) error {
	for _, l := range x.from.state.Labels() {
		if !x.kept[l.Target] {
			continue
		}
		err := writeLine(w, format.AppendEntry(nil, &format.Label{Base: x.below(format.TypeLabel, l.Time), TargetID: l.Target, Label: l.Text}))
		if err != nil {
			return err
		}
	}
	return nil
}

// name writes the display name if the path alone would lose it, or would
// restore one that was cleared since (pitfall 130).
func (x *extraction) name(w io.Writer) error {
	name, onPath := x.from.name(), ""
	for _, n := range x.from.state.Names {
		if x.kept[x.from.state.ID(n.Entry)] {
			onPath = format.TrimName(n.Name)
		}
	}
	if name == onPath {
		return nil
	}
	_, now := x.from.timestamp()
	return writeLine(w, format.AppendEntry(nil, &format.SessionInfo{Base: x.below(format.TypeSessionInfo, now), Name: name}))
}

// below returns the base of a new entry under the last one.
func (x *extraction) below(t format.Type, at string) format.Base {
	b := format.Base{Type: t, ID: sessiondir.NewEntryID(func(id string) bool { return x.kept[id] }), ParentID: x.parent, Timestamp: at}
	x.kept[b.ID] = true
	x.parent = b.ID
	return b
}

func idJSON(id string) []byte {
	if id == "" {
		return []byte("null")
	}
	return jsonl.AppendString(nil, id)
}
