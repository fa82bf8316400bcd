// Package importer converts the translated sessions of other agents into pi
// sessions.
//
// An imported session has every entry of the translation, on all branches, with
// the same IDs and parents. Importing again adds only new entries. A session
// that was continued in both programs becomes a tree with both continuations,
// and its leaf stays at the last entry of pi.
package importer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// ErrNotForeign means that a session is not one of another agent.
var ErrNotForeign = errors.New("not a session of another agent")

// Options configure where imported sessions are stored.
type Options struct {
	// DirFor returns the directory for the sessions of a working directory.
	DirFor func(cwd string) string
	// Find returns the file of the existing session with an ID, or "". It may
	// be nil.
	Find func(id string) string
}

// A Result describes an import.
type Result struct {
	Path    string
	ID      string
	Created bool
	Added   int // entries
}

// NeedsCopy reports whether a program that writes pi's format must be given a
// copy of a session: it is one of another agent or in a database, or its file is
// one of oh-my-pi's, which stops saving when another program writes to it.
func NeedsCopy(path string, h *format.Header) bool {
	sign := journal.SignatureOf(h)
	owner, _ := sign.Owner(path)
	return h.Source != "" || foreign.Find(path) != nil || owner == format.OhMyPi || sign.InDatabase(path, h.Version)
}

// Writable returns the file of a session for a program that writes pi's format:
// path itself, or if that [NeedsCopy], the import of another agent's session or a
// new fork.
func Writable(ctx context.Context, path string, o Options) (file string, err error) {
	h, err := sessiondir.HeaderOf(path)
	if err != nil || !NeedsCopy(path, h) {
		return path, err
	}
	if h.Source != "" {
		r, err := Import(ctx, path, o)
		return r.Path, err
	}
	fork, err := pith.ForkFrom(ctx, path, pith.Options{Cwd: h.Cwd, Dir: o.DirFor(h.Cwd)})
	if err != nil {
		return "", err
	}
	return fork.File(), fork.Close()
}

// Among returns a function for [Options.Find] over listed sessions.
func Among(sessions []catalog.Info) func(id string) string {
	paths := map[string]string{}
	for i := range sessions {
		if _, foreign := all.Find(sessions[i].Root); !foreign {
			paths[sessions[i].ID] = sessions[i].Path
		}
	}
	return func(id string) string { return paths[id] }
}

// SessionID returns the ID of an imported session. It depends only on the
// program and on the program's own ID, so that a second import finds the first.
func SessionID(program, session string) string {
	sum := sha256.Sum256([]byte("pith import\x00" + program + "\x00" + session))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of version 8
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// Import imports the session of another agent at a path.
func Import(ctx context.Context, path string, o Options) (Result, error) {
	in, err := read(ctx, path, o)
	if err != nil {
		return Result{}, err
	}
	r := Result{ID: SessionID(in.header.Source, in.header.ID)}
	if o.Find != nil {
		r.Path = o.Find(r.ID)
	}
	if r.Path == "" {
		r.Path = in.path(o)
	}
	keeper := filestore.New(filestore.Options{})
	log, err := keeper.Create(ctx, r.Path, in.fill(o))
	if err == nil {
		r.Created, r.Added = true, len(in.entries)
		return r, log.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return Result{}, err
	}
	r.Added, err = in.addTo(ctx, keeper, r.Path)
	return r, err
}

// A translated is a translated session with the lines of its entries.
type translated struct {
	header  *format.Header
	entries []entry
	leaf    string
}

type entry struct {
	id   string
	line []byte
}

func read(ctx context.Context, path string, o Options) (*translated, error) {
	s, err := pith.Open(ctx, path, pith.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	in := &translated{header: s.Header(), leaf: s.LeafID()}
	if in.header.Source == "" {
		return nil, fmt.Errorf("%s: %w", path, ErrNotForeign)
	}
	first := true
	f, err := foreign.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	err = sources.LinesOf(ctx, f, func(_ int64, line []byte) error {
		if !first {
			line = in.known(bytes.Clone(line))
			in.entries = append(in.entries, entry{jsonl.LookupString(line, "id"), in.relinked(line, o)})
		}
		first = false
		return nil
	})
	return in, err
}

// known returns a line that pi reads: a record that pith does not know becomes a
// custom entry, and a usage without a cost has one of zero, without which pi's screen
// fails. A cost of zero is unknown in pith too.
func (in *translated) known(line []byte) []byte {
	if jsonl.LookupString(line, "type") != string(format.TypeForeignRecord) {
		message, _ := jsonl.Lookup(line, "message")
		usage, ok := jsonl.Lookup(message, "usage")
		if _, has := jsonl.Lookup(usage, "cost"); !ok || has || jsonl.KindOf(usage) != '{' {
			return line
		}
		return jsonl.Set(line, "message", jsonl.Set(message, "usage", jsonl.Set(usage, "cost", noCost)))
	}
	kind := jsonl.AppendString(nil, in.header.Source+"/"+jsonl.LookupString(line, "kind"))
	return jsonl.Set(jsonl.Set(jsonl.Delete(line, "kind"), "customType", kind), "type", []byte(`"custom"`))
}

var noCost = []byte(`{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}`)

var sessionFile = []byte(`"sessionFile":`)

// relinked returns a line that names the session of a subagent by its imported
// file.
func (in *translated) relinked(line []byte, o Options) []byte {
	at := bytes.Index(line, sessionFile)
	if at < 0 {
		return line
	}
	at += len(sessionFile)
	end := at + bytes.IndexByte(line[at+1:], '"') + 2
	path, ok := jsonl.String(line[at:end])
	if !ok {
		return line
	}
	to := importedPath(path, o)
	if to == "" {
		return line
	}
	if filepath.Dir(to) == filepath.Dir(in.path(o)) {
		to = filepath.Base(to)
	}
	return slices.Concat(line[:at], jsonl.AppendString(nil, to), line[end:])
}

// path returns the path of a new session.
func (in *translated) path(o Options) string {
	at, _ := in.header.Time()
	return filepath.Join(o.DirFor(in.header.Cwd), format.FileName(at, SessionID(in.header.Source, in.header.ID)))
}

// fill writes a whole session.
func (in *translated) fill(o Options) store.Fill {
	return func(w io.Writer) error {
		h := &format.Header{ID: SessionID(in.header.Source, in.header.ID), Timestamp: in.header.Timestamp, Cwd: in.header.Cwd, ParentSession: importedPath(in.header.ParentSession, o)}
		line := format.AppendHeader(nil, h)
		origin := jsonl.AppendString([]byte(`{"program":`), in.header.Source)
		origin = append(jsonl.AppendString(append(origin, `,"session":`...), in.header.ID), '}')
		line = append(append(line[:len(line)-1], `,"importedFrom":`...), origin...)
		if _, err := w.Write(append(line, "}\n"...)); err != nil {
			return err
		}
		for _, e := range in.entries {
			if _, err := w.Write(append(e.line, '\n')); err != nil {
				return err
			}
		}
		return nil
	}
}

// importedPath returns the path of the imported form of another agent's session,
// whether or not that was imported yet, or "" if it is unknown.
func importedPath(path string, o Options) string {
	h, err := sessiondir.HeaderOf(path)
	if err != nil || h.Source == "" {
		return ""
	}
	return (&translated{header: h}).path(o)
}

// tries is the number of times an import is restarted because another program
// wrote meanwhile.
const tries = 10

// addTo appends the entries that a session does not have yet.
func (in *translated) addTo(ctx context.Context, keeper store.Store, path string) (int, error) {
	for n := 0; ; n++ {
		added, err := in.addOnce(ctx, keeper, path)
		if errors.Is(err, store.ErrConflict) && n < tries {
			continue
		}
		return added, err
	}
}

func (in *translated) addOnce(ctx context.Context, keeper store.Store, path string) (int, error) {
	log, err := keeper.Open(ctx, path)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	size, err := log.Size(ctx)
	if err != nil {
		return 0, err
	}
	s, err := pith.Open(ctx, path, pith.Options{ReadOnly: true})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	have, ours := map[string]bool{}, map[string]bool{}
	for _, e := range in.entries {
		ours[e.id] = true
	}
	continued := false // by pi or pith
	v := s.View()
	for i := range v.Len() {
		id := v.At(i).ID
		have[id] = true
		continued = continued || !ours[id]
	}
	var lines []byte
	added := 0
	for _, e := range in.entries {
		if !have[e.id] {
			lines = append(append(lines, e.line...), '\n')
			added++
		}
	}
	if added == 0 {
		return 0, nil
	}
	leaf := in.leaf
	if continued {
		leaf = s.LeafID()
	}
	if last := in.entries[len(in.entries)-1].id; leaf != "" && (leaf != last || have[last]) {
		mark := &format.Custom{
			Base:       format.Base{ID: leafID(leaf, size), ParentID: leaf, Timestamp: in.header.Timestamp},
			CustomType: format.LeafCustomType, Data: format.LeafData(leaf),
		}
		lines = append(format.AppendEntry(lines, mark), '\n')
	}
	_, err = log.Append(ctx, size, lines)
	return added, err
}

// leafID returns the ID of an entry that records a leaf.
func leafID(leaf string, size int64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "leaf %s %d", leaf, size))
	return fmt.Sprintf("%x", sum[:4])
}
