package replica

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
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
	"github.com/pith-sessions/pith/store"
)

// merge appends the lines that the file lacks, in one write.
func (p *pulling) merge(ctx context.Context, local store.Log, have int64, path string) error {
	ours, err := readLines(ctx, io.NewSectionReader(local, 0, have))
	if err != nil {
		return err
	}
	theirs, err := readLines(ctx, io.NewSectionReader(p.remote, 0, p.size))
	if err != nil {
		return err
	}
	missing, clash := union(ours, theirs)
	if clash != nil {
		return p.apart(ctx, theirs, path)
	}
	if len(missing) == 0 {
		return nil
	}
	if err := p.free(ctx, path); err != nil {
		return err
	}
	var out bytes.Buffer
	if ours.torn {
		out.WriteByte('\n')
	}
	for _, i := range missing {
		n := theirs.all[i]
		text := make([]byte, n.size)
		if _, err := p.remote.ReadAt(text, n.off); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		out.Write(text)
		out.WriteByte('\n')
	}
	if err := p.settle(ctx, &out, ours, theirs, missing, path); err != nil {
		return err
	}
	if _, err := local.Append(have, out.Bytes()); err != nil {
		return err
	}
	p.done.Bytes += int64(out.Len())
	p.Progress(int64(out.Len()))
	return nil
}

// settle adds what keeps the session's position, and its name and labels where this
// side's are the later ones.
func (p *pulling) settle(ctx context.Context, out *bytes.Buffer, ours, theirs *lines, missing []int, path string) error {
	s, err := pith.Open(ctx, path, pith.Options{ReadOnly: true, Store: p.Local})
	if err != nil {
		return err
	}
	leaf := s.LeafID()
	if err := s.Close(); err != nil {
		return err
	}
	moved, last := "", map[string]*setting{}
	for _, i := range missing {
		n := theirs.all[i]
		moved = cmp.Or(n.id, moved)
		if n.setting != nil {
			last[n.setting.of] = n.setting
		}
	}
	add := func(e format.Entry) {
		out.Write(append(format.AppendEntry(nil, e), '\n'))
	}
	taken := func(id string) bool { return len(ours.byID[id]) > 0 || len(theirs.byID[id]) > 0 }
	for _, of := range slices.Sorted(maps.Keys(last)) {
		if want := ours.settings[of].later(theirs.settings[of]); want.text != last[of].text {
			add(want.entry(freeID(taken), leaf))
		}
	}
	if p.o.TakePosition || leaf == "" || moved == "" || descends(moved, leaf, theirs, ours) {
		return nil
	}
	add(&format.Custom{
		Base:       format.Base{Type: format.TypeCustom, ID: freeID(taken), ParentID: leaf, Timestamp: p.Now().UTC().Format("2006-01-02T15:04:05.000Z")},
		CustomType: format.LeafCustomType, Data: format.LeafData(leaf),
	})
	return nil
}

// freeID makes an id as pi does.
func freeID(taken func(string) bool) string {
	for size := 4; ; size++ {
		b := make([]byte, size)
		_, _ = rand.Read(b) // never fails
		if id := hex.EncodeToString(b); !taken(id) {
			return id
		}
	}
}

// ApartID is the id of the session that a replica becomes where it cannot be one with
// the session of its own id. It is the same on every machine.
func ApartID(r Replica) string {
	sum := sha256.Sum256([]byte("pith replica " + r.String()))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // a UUID of one's own making, version 8
	x := hex.EncodeToString(sum[:16])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}

// apart takes the replica into a session of its own, beside the file.
func (p *pulling) apart(ctx context.Context, theirs *lines, path string) error {
	if theirs.header == nil {
		return pith.ErrNotSession
	}
	id := ApartID(p.replica)
	other := filepath.Join(filepath.Dir(path), "apart_"+id+".jsonl")
	if !slices.Contains(p.done.Others, other) {
		p.done.Others = append(p.done.Others, other)
	}
	local, err := p.Local.Open(other)
	if errors.Is(err, fs.ErrNotExist) {
		head := jsonl.Set(bytes.Clone(theirs.header), "id", jsonl.AppendString(nil, id))
		head = jsonl.Set(head, "parentSession", jsonl.AppendString(nil, path))
		return p.make(ctx, other, append(head, '\n'))
	}
	if err != nil {
		return err
	}
	defer local.Close()
	have, err := local.Size()
	if err != nil {
		return err
	}
	begun, err := p.extendApart(ctx, local, have, theirs)
	if begun || err != nil {
		return err
	}
	ours, err := readLines(ctx, io.NewSectionReader(local, 0, have))
	if err != nil {
		return err
	}
	if _, clash := union(ours, theirs); clash != nil {
		return fmt.Errorf("%s: entry %q: %w", other, clash.id, errOther)
	}
	return p.merge(ctx, local, have, other)
}

// extendApart appends what is new if all but the header is a beginning of the replica.
func (p *pulling) extendApart(ctx context.Context, local store.Log, have int64, theirs *lines) (begun bool, err error) {
	ours, err := readLines(ctx, io.NewSectionReader(local, 0, have))
	if err != nil {
		return false, err
	}
	from, to := theirs.afterHeader(), ours.afterHeader()
	length := min(p.size-from, have-to)
	same, err := sameBytes(ctx, io.NewSectionReader(local, to, length), io.NewSectionReader(p.remote, from, length), length)
	if err != nil || !same {
		return false, err
	}
	return true, p.extendFrom(ctx, local, have, from+length)
}
