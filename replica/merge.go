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
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/sessiondir"
)

// merge appends the lines that the file lacks, in one write. If there is a
// clash, it writes nothing.
func (p *pulling) merge(ctx context.Context, file *localFile, have int64, theirs *lines) (*clash, error) {
	ours, err := file.read(ctx, have)
	if err != nil {
		return nil, err
	}
	missing, clash := union(ours, theirs)
	if clash != nil || len(missing) == 0 {
		return clash, nil
	}
	if err := p.prepare(ctx, file); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if ours.torn {
		out.WriteByte('\n')
	}
	for _, i := range missing {
		n := theirs.all[i]
		text := make([]byte, n.size)
		if _, err := p.remote.ReadAt(text, n.off); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		out.Write(text)
		out.WriteByte('\n')
	}
	leaf, err := p.settle(ctx, &out, file, theirs, missing)
	if err != nil {
		return nil, err
	}
	if err := file.append(ctx, have, out.Bytes(), leaf); err != nil {
		return nil, err
	}
	p.done.Bytes += int64(out.Len())
	p.Progress(int64(out.Len()))
	return nil, nil
}

// settle adds entries that repeat this side's name and labels if they are
// later, and one that preserves its leaf if the new lines would move it. It
// returns the id of the latter.
func (p *pulling) settle(ctx context.Context, out *bytes.Buffer, file *localFile, theirs *lines, missing []int) (string, error) {
	ours := file.lines
	moved, last := "", map[string]*setting{}
	for _, i := range missing {
		n := theirs.all[i]
		moved = cmp.Or(n.id, moved)
		if n.setting != nil {
			last[n.setting.of] = n.setting
		}
	}
	now, err := p.look(ctx, file)
	if err != nil {
		return "", err
	}
	leaf := now.leaf
	add := func(e format.Entry) {
		out.Write(append(format.AppendEntry(nil, e), '\n'))
	}
	taken := func(id string) bool { return len(ours.byID[id]) > 0 || len(theirs.byID[id]) > 0 }
	for _, of := range slices.Sorted(maps.Keys(last)) {
		if want := ours.settings[of].later(theirs.settings[of]); want.text != last[of].text {
			add(want.entry(sessiondir.NewEntryID(taken), leaf))
		}
	}
	goesOn := leaf == "" || descends(moved, leaf, theirs, ours)
	if moved == "" || goesOn {
		return "", nil
	}
	id := sessiondir.NewEntryID(taken)
	add(&format.Custom{
		Base:       format.Base{Type: format.TypeCustom, ID: id, ParentID: leaf, Timestamp: format.FormatTime(p.Now())},
		CustomType: format.LeafCustomType, Data: format.LeafData(leaf),
	})
	return id, nil
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

// fork copies the copy into a separate session in the same directory.
func (p *pulling) fork(ctx context.Context, theirs *lines, path string) error {
	if theirs.header == nil {
		return pith.ErrNotSession
	}
	id, other := ForkID(p.copy), forkPath(p.copy, path)
	if !slices.Contains(p.done.Others, other) {
		p.done.Others = append(p.done.Others, other)
	}
	file := &localFile{path: other}
	defer file.close()
	have, err := file.open(ctx, p.Local)
	if errors.Is(err, fs.ErrNotExist) {
		head := jsonl.Set(bytes.Clone(theirs.header), "id", jsonl.AppendString(nil, id))
		head = jsonl.Set(head, "parentSession", jsonl.AppendString(nil, path))
		return p.make(ctx, other, append(head, '\n'))
	}
	if err != nil {
		return err
	}
	ours, err := file.read(ctx, have)
	if err != nil {
		return err
	}
	// If everything but the header is a prefix of the copy, only the rest is
	// new.
	from, to := theirs.afterHeader(), ours.afterHeader()
	length := min(p.size-from, have-to)
	same, err := sameBytes(ctx, io.NewSectionReader(file.log, to, length), io.NewSectionReader(p.remote, from, length), length)
	if err != nil {
		return err
	}
	if same {
		return p.extend(ctx, file.log, have, from+length)
	}
	clash, err := p.merge(ctx, file, have, theirs)
	if clash != nil {
		return fmt.Errorf("%s: entry %q: %w", other, clash.id, errOther)
	}
	return err
}
