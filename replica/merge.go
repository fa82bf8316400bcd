package replica

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	entry "github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/sessiondir"
)

// merging is what a pull adds to a file because copies have it and the file
// lacks it.
type merging struct {
	ours  *lines // lines of the file, then of out; nil if not read
	out   bytes.Buffer
	known bool   // whether leaf is
	leaf  string // the leaf, when out is added
	last  string // the last entry of out
	// settings holds the names and labels that are to apply, by their targets.
	settings map[string]*setting
}

// merge collects the lines that the file lacks. If there is a clash, there are
// none.
func (p *pulling) merge(ctx context.Context, b io.ReaderAt, theirs *lines) (clash *clash, err error) {
	if p.ours == nil {
		if p.ours, err = readLines(ctx, io.NewSectionReader(p.log, 0, p.have)); err != nil {
			return nil, err
		}
	}
	missing, clash := union(p.ours, theirs)
	if clash != nil || len(missing) == 0 {
		return clash, nil
	}
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	if p.settings == nil {
		p.settings = map[string]*setting{}
	}
	if p.ours.torn {
		p.out.WriteByte('\n')
		p.ours.torn = false
	}
	moved := ""
	var record entry.Record
	for _, i := range missing {
		n := theirs.all[i]
		text := make([]byte, n.size)
		if _, err := b.ReadAt(text, n.off); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if n.setting != nil {
			of := n.setting.of
			p.settings[of] = cmp.Or(p.settings[of], p.ours.settings[of]).later(theirs.settings[of])
		}
		p.ours.add(&record, text, p.have+int64(p.out.Len()))
		p.out.Write(append(text, '\n'))
		moved = cmp.Or(n.id, moved)
		p.last = cmp.Or(n.id, p.last)
	}
	if moved != "" && (p.leaf == "" || p.ours.descends(moved, p.leaf)) {
		p.leaf = moved
	}
	return nil, nil
}

// finish appends what was collected, in one write, with entries that repeat
// names and labels if others would apply, and one that records the leaf if the
// new lines would move it.
func (p *pulling) finish(ctx context.Context) error {
	if p.out.Len() == 0 {
		return nil
	}
	add := func(e format.Entry) { p.out.Write(append(format.AppendEntry(nil, e), '\n')) }
	taken := func(id string) bool { return len(p.ours.byID[id]) > 0 }
	for _, of := range slices.Sorted(maps.Keys(p.settings)) {
		if want := p.settings[of]; want.text != p.ours.settings[of].text {
			add(want.entry(sessiondir.NewEntryID(taken), p.leaf))
		}
	}
	if p.last != "" && p.last != p.leaf {
		add(&format.Custom{
			Base:       format.Base{Type: format.TypeCustom, ID: sessiondir.NewEntryID(taken), ParentID: p.leaf, Timestamp: format.FormatTime(p.Now())},
			CustomType: format.LeafCustomType, Data: format.LeafData(p.leaf),
		})
	}
	if _, err := p.log.Append(ctx, p.have, p.out.Bytes()); err != nil {
		return err
	}
	p.done.Bytes += int64(p.out.Len())
	p.Progress(int64(p.out.Len()))
	return nil
}

// ForkID returns the id of the session that a copy becomes if it cannot be
// merged with the session of its own id. It is the same on every machine.
func ForkID(c Copy) string {
	sum := sha256.Sum256([]byte("pith replica " + c.String()))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a version 8 UUID
	x := hex.EncodeToString(sum[:16])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}

// forkPath returns the path of the fork of a session's file for a copy.
func forkPath(c Copy, path string) string {
	return filepath.Join(filepath.Dir(path), "apart_"+ForkID(c)+".jsonl")
}

// fork copies a copy into a separate session in the same directory.
func (p *pulling) fork(ctx context.Context, c Copy, b io.ReaderAt, theirs *lines) error {
	if theirs.header == nil {
		return pith.ErrNotSession
	}
	f := &pulling{Team: p.Team, path: forkPath(c, p.path), done: &Pulled{}}
	defer f.close()
	if !slices.Contains(p.done.Others, f.path) {
		p.done.Others = append(p.done.Others, f.path)
	}
	err := f.open(ctx)
	if err == nil && f.log == nil {
		head := jsonl.Set(bytes.Clone(theirs.header), "id", jsonl.AppendString(nil, ForkID(c)))
		head = jsonl.Set(head, "parentSession", jsonl.AppendString(nil, p.path))
		err = f.make(ctx, b, append(head, '\n'), theirs.afterHeader(), c.Length)
	} else if err == nil {
		err = f.update(ctx, c, b, theirs)
	}
	p.done.Bytes += f.done.Bytes
	return err
}

// update adds to a fork what its copy has more. All but the header is mostly a
// prefix of the copy.
func (p *pulling) update(ctx context.Context, c Copy, b io.ReaderAt, theirs *lines) (err error) {
	if p.ours, err = readLines(ctx, io.NewSectionReader(p.log, 0, p.have)); err != nil {
		return err
	}
	if same, err := p.extend(ctx, b, c.Length, theirs.afterHeader(), p.ours.afterHeader()); same || err != nil {
		return err
	}
	clash, err := p.merge(ctx, b, theirs)
	if clash != nil {
		return fmt.Errorf("%s: entry %q: %w", p.path, clash.id, errOther)
	}
	if err != nil {
		return err
	}
	return p.finish(ctx)
}
