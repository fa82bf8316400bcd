package pith

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/store"
)

// oh-my-pi stores the name of a session in a line of fixed size before the
// header, and changes it in place.

// writeSlot writes a name into oh-my-pi's title slot. written is false if the
// file has no slot. The file keeps its length, so oh-my-pi does not notice.
func (j *journal) writeSlot(ctx context.Context, name, source string) (written bool, err error) {
	for range attempts {
		switch j.slotPlace() {
		case noSlot:
			return false, nil
		case slotOfDraft:
			return true, j.giveSlot(name, source)
		case slotToInsert:
			err = j.insertSlot(ctx, name, source)
		case slotInPlace:
			err = j.overwriteSlot(ctx, name, source)
		}
		if !errors.Is(err, errReplaced) {
			return err == nil, err
		}
		if _, err := j.catchUp(ctx, ""); err != nil {
			return false, err
		}
	}
	return false, j.wrap("name", fmt.Errorf("%w: other processes wrote %d times in between; try again", store.ErrConflict, attempts))
}

// errReplaced means that another program wrote before a name could be written.
var errReplaced = errors.New("replaced in between")

// A slotPlace is where the title slot of a session is.
type slotPlace int

const (
	noSlot slotPlace = iota
	slotOfDraft
	slotToInsert // it belongs before the header
	slotInPlace
)

func (j *journal) slotPlace() slotPlace {
	slot := j.table.Slot
	if j.log == nil {
		if j.draft != nil && slot != nil {
			return slotOfDraft
		}
		return noSlot
	}
	_, ok := j.log.Log.(store.Overwriter)
	switch {
	case ok && slot == nil && j.migrated == nil && j.program() == format.OhMyPi:
		return slotToInsert
	case !ok || slot == nil || slot.At != 0 || slot.Len+1 != format.TitleSlotSize:
		return noSlot
	}
	return slotInPlace
}

// overwriteSlot replaces the slot of the file.
func (j *journal) overwriteSlot(ctx context.Context, name, source string) error {
	if err := j.writable(); err != nil {
		return err
	}
	if _, err := j.log.Size(ctx); err != nil { // replaced by a program that rewrites the file
		return errReplaced
	}
	was := make([]byte, format.TitleSlotSize)
	if _, err := envelope.ReadFull(j.log, was, 0); err != nil {
		return j.wrap("name", err)
	}
	if err := j.log.Log.(store.Overwriter).Overwrite(ctx, 0, was, j.slotLine(name, source)); err != nil {
		return j.wrap("name", err)
	}
	next := *j.table
	err := next.ReadSlot(j.log)
	j.mu.Lock()
	defer j.mu.Unlock()
	*j.table = next
	return j.wrap("name", err)
}

// slotLine returns a title slot with a name.
func (j *journal) slotLine(name, source string) []byte {
	_, now := j.timestamp()
	return format.AppendTitleSlot(nil, format.TitleSlot{Title: format.CleanName(name), Source: source, UpdatedAt: now})
}

// insertSlot inserts a title slot before the header of an oh-my-pi file that
// has none. Releases before 17 wrote no slot, and later releases read no other
// name that pith could write. The whole file is replaced.
func (j *journal) insertSlot(ctx context.Context, name, source string) error {
	if err := j.writable(); err != nil {
		return err
	}
	if err := j.settle(ctx); err != nil {
		return err
	}
	if err := j.held(ctx); err != nil {
		return err
	}
	if j.table.Slot != nil { // it has one now
		return errReplaced
	}
	size, line := j.table.Size(), j.slotLine(name, source)
	log, err := j.store.Replace(ctx, j.log.Log, size, func(w io.Writer) error {
		if _, err := w.Write(line); err != nil {
			return err
		}
		_, err := io.Copy(w, io.NewSectionReader(j.log, 0, size))
		return err
	}, "")
	if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrGone) {
		return errReplaced
	}
	if err != nil {
		return j.wrap("name", err)
	}
	_, err = j.reload(ctx, "", newHandle(log))
	return err
}

// giveSlot inserts a title slot before a draft that will be an oh-my-pi file,
// or replaces the slot that it has.
func (j *journal) giveSlot(name, source string) error {
	if p, ok := format.ProgramOfFolder(j.file); j.file == "" || !ok || p != format.OhMyPi {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	data := j.draft.data
	if j.table.Slot != nil {
		data = data[format.TitleSlotSize:]
	}
	l := &reading{draft: &draft{data: append(j.slotLine(name, source), data...)}}
	if err := l.read(context.Background(), l.draft, l.draft.size()); err != nil {
		return err
	}
	was := j.standing
	j.take(l)
	j.standing = was // the entries are the same
	return nil
}
