package pith

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/internal/blobs"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
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
	if src.log == nil {
		return nil, &FileError{"fork", source, fmt.Errorf("%w: it is empty", ErrNotSession)}
	}
	if err := src.copyable(src.table); err != nil {
		return nil, &FileError{"fork", source, err}
	}
	dir, err := folderFor(cwd, &o)
	if err != nil {
		return nil, err
	}
	o.ParentSession = src.asParent(src.table)
	n, err := fresh(cwd, o)
	if err != nil {
		return nil, err
	}
	n.dir, n.file = dir, filepath.Join(dir, fileName(n.table.Header))
	all := src.now()
	if err := all.copyTo(ctx, n, func(w io.Writer) error { return all.writeCopy(w, n) }); err != nil {
		return nil, n.wrap("fork to", err)
	}
	return n, nil
}

// copyTo creates the file of n, a copy of this session, with the entries that
// fill writes. It copies oh-my-pi's artifacts first, because entries refer to
// them. If copyTo fails, it removes both.
func (s *snapshot) copyTo(ctx context.Context, n *Session, fill store.Fill) error {
	from, _ := artifacts.Dir(s.file)
	to, _ := artifacts.Dir(n.file)
	if info, err := os.Stat(from); !filestore.Is(n.store) || s.program() != format.OhMyPi || err != nil || !info.IsDir() {
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

// databaseVersion is the header version that OpenClaw writes since it stores
// sessions in a database. Its entries are those of version 3.
const databaseVersion = 4

// fromDatabase reports whether the session is a copy from OpenClaw's database,
// which only OpenClaw may write.
func (p *place) fromDatabase(t *envelope.Table) bool {
	return t.Header.Version == databaseVersion && p.programOf(t) == format.OpenClaw
}

// isCopy reports whether the file is a copy, made from a database or another
// agent's file, that pith may delete and make again.
func (p *place) isCopy(t *envelope.Table) bool { return t.Header.Source != "" || p.fromDatabase(t) }

// isArchived reports whether the file is one that OpenClaw has imported into
// its database and renamed.
func (p *place) isArchived() bool {
	return strings.Contains(filepath.Base(p.file), format.FileSuffix+".imported-")
}

// asParent returns the name of this session in the header of a derived one: its
// path, or the id of a session whose file is a copy.
func (p *place) asParent(t *envelope.Table) string {
	if p.isCopy(t) {
		return t.Header.ID
	}
	return p.file
}

// copyable returns an error if the entries do not match the header version that
// a copy would get.
func (p *place) copyable(t *envelope.Table) error {
	if p.fromDatabase(t) {
		return nil
	}
	return t.Header.CheckWritable()
}

// writeCopy writes each entry on its own line. It skips lines that are not
// entries; they remain in the source.
func (s *snapshot) writeCopy(w io.Writer, to *Session) error {
	pictures := s.pictures()
	v := s.walkAll()
	last := ""
	for pos := range v.Len() {
		line, err := v.Line(pos)
		if err != nil {
			return err
		}
		if err := writeLine(w, pictures.Inline(line)); err != nil {
			return err
		}
		last = v.ID(pos)
	}
	return s.writeTitle(w, last)
}

// writeLine writes a line and LF. It is for a store.Fill, whose writes are
// buffered.
func writeLine(w io.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return err
	}
	_, err := w.Write(newline)
	return err
}

var newline = []byte{'\n'}

// writeTitle copies a name that is not in an entry but in oh-my-pi's title slot
// or header.
func (s *snapshot) writeTitle(w io.Writer, parent string) error {
	name := s.name()
	if len(s.table.Names) > 0 || name == "" {
		return nil
	}
	_, stamp := s.timestamp()
	id := sessiondir.NewEntryID(func(id string) bool {
		_, err := s.findLocked(id)
		return err == nil
	})
	line := format.AppendEntry(nil, &format.SessionInfo{
		Base: format.Base{Type: format.TypeSessionInfo, ID: id, ParentID: parent, Timestamp: stamp}, Name: name,
	})
	return writeLine(w, line)
}

// Fork creates a new session from the path to an entry's parent. It is for
// asking the entry's question again: the entry itself is not copied. If the
// entry has no parent, the new session is empty.
func (s *Session) Fork(ctx context.Context, id string) (*Session, error) {
	now := s.now()
	i, err := now.findLocked(id)
	if err != nil {
		return nil, err
	}
	path := now.path(i)
	if path.Len() > 1 {
		return now.extract(ctx, now.path(path.At(path.Len()-2)))
	}
	return now.child(nil)
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
	now := s.now()
	if id == "" {
		return now.extract(ctx, tree.Row{})
	}
	i, err := now.findLocked(id)
	if err != nil {
		return nil, err
	}
	return now.extract(ctx, now.path(i))
}

func (s *snapshot) extract(ctx context.Context, path tree.Row) (*Session, error) {
	if err := s.copyable(s.table); err != nil {
		return nil, s.wrap("extract from", err)
	}
	if path.Len() == 0 {
		return nil, invalidf(ErrEmptyPath, "entry", "", "the session has no entry to extract")
	}
	x := extraction{from: s, view: s.walk(path), moved: map[string]string{}, kept: map[string]bool{}}
	x.pictures = s.pictures()
	if s.file == "" || !x.hasMessages() {
		var lines bytes.Buffer
		if err := x.run(&lines); err != nil {
			return nil, err
		}
		return s.child(lines.Bytes())
	}
	n, err := s.child(nil)
	if err != nil {
		return nil, err
	}
	// Copy from file to file: a path can be larger than memory.
	if err := s.copyTo(ctx, n, x.run); err != nil {
		return nil, n.wrap("create", err)
	}
	return n, nil
}

// child returns a new session derived from this one, stored in the same
// directory, or where pi stores sessions of its working directory. It holds
// lines, each of which ends in LF, and has no file yet.
func (s *snapshot) child(lines []byte) (*Session, error) {
	now, stamp := s.timestamp()
	h := &format.Header{Version: format.Version, ID: sessiondir.NewSessionID(now), Timestamp: stamp, Cwd: s.cwd, ParentSession: s.asParent(s.table)}
	o := s.opt
	o.ID, o.Cwd, o.ParentSession, o.ReadOnly = "", "", "", false
	n, err := newDraft(h, lines, o)
	if err != nil || s.file == "" {
		return n, err
	}
	if n.dir = s.dir; n.dir == "" {
		if n.dir, err = folderFor(s.cwd, &o); err != nil {
			return nil, err
		}
	}
	n.file = filepath.Join(n.dir, fileName(h))
	return n, nil
}

// An extraction collects the lines of a path for a new session.
type extraction struct {
	from     *snapshot
	view     *walk
	parent   string            // id of the last kept entry
	waiting  []string          // ids of labels omitted since then
	moved    map[string]string // id of an omitted label to the id of the next kept entry
	kept     map[string]bool
	pictures blobs.Folder // images that the copy must inline
}

// hasMessages reports whether the path has a message, without which no file is
// created.
func (x *extraction) hasMessages() bool {
	for pos := range x.view.Len() {
		if x.view.At(pos).Conversation() {
			return true
		}
	}
	return false
}

// run writes the lines. It must be called only once.
func (x *extraction) run(w io.Writer) error {
	for pos := range x.view.Len() {
		if x.view.At(pos).Kind == envelope.KindLabel {
			x.waiting = append(x.waiting, x.view.ID(pos))
			continue
		}
		line, err := x.view.Line(pos)
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
	id := x.view.ID(pos)
	for _, label := range x.waiting {
		x.moved[label] = id
	}
	x.waiting = x.waiting[:0]
	if x.view.parent(pos) != x.parent {
		line = jsonl.Set(line, "parentId", idJSON(x.parent))
	}
	if x.view.At(pos).Kind == envelope.KindCompaction {
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
	for _, l := range x.from.labelsLocked() {
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
	for _, n := range x.from.table.Names {
		if x.kept[x.from.table.ID(n.Entry)] {
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

// pictures returns the directory of images that a copy must inline: those of an
// oh-my-pi session.
func (s *snapshot) pictures() blobs.Folder {
	if s.program() != format.OhMyPi {
		return ""
	}
	return blobs.Of(s.file)
}
