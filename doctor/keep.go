package doctor

import (
	"context"
	"errors"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/internal/journal"
)

// climbs limits the number of parents visited for all compactions together, so
// that no file takes quadratic time.
const climbs = 4_000_000

// keepAsPi makes compactions whose first kept entry is unknown keep what pi
// would keep with its default settings.
func (d *diagnosis) keepAsPi() error {
	if len(d.waiting.kept) == 0 {
		return nil
	}
	// The reader below is bound to the context of the whole run.
	s, err := pith.Open(context.Background(), d.file, pith.Options{ReadOnly: true, Store: copies{d.file, whole(d.now.r, d.now.size)}})
	if err != nil {
		return err
	}
	defer s.Close()
	steps := climbs
	for _, ref := range d.waiting.kept {
		id, err := d.keptBefore(s, ref.entry, &steps)
		if err != nil {
			return err
		}
		d.set(ref.entry, text("firstKeptEntryId", id))
	}
	return nil
}

// keptBefore returns the first entry that a compaction keeps: itself, which
// means nothing, if no entry precedes it. If a file has very many such
// compactions, each keeps its parent.
func (d *diagnosis) keptBefore(s *pith.Session, compaction int, steps *int) (string, error) {
	parent := d.parents[compaction]
	if parent == journal.None {
		return d.id(compaction), nil
	}
	id := d.id(int(parent))
	if *steps -= int(d.before.depth[compaction]); *steps < 0 {
		return id, nil
	}
	kept, err := firstKept(s, id)
	if err != nil {
		return "", err
	}
	if highest(d.before, d.now.state.FindAll(kept), compaction) == journal.None {
		return id, nil // a duplicate id was misleading
	}
	return kept, nil
}

// firstKept returns the first entry that a compaction after the entry id would
// keep. If everything would be kept, it is the first of the context.
func firstKept(s *pith.Session, id string) (string, error) {
	plan, err := compact.PrepareAt(s, id, compact.Defaults())
	if err == nil {
		return plan.FirstKeptEntryID, nil
	}
	if !errors.Is(err, compact.ErrNothing) {
		return "", err
	}
	v := s.View()
	c, err := v.Context(id)
	if err != nil {
		return "", err
	}
	path, err := v.PathIDs(id)
	if err != nil {
		return "", err
	}
	if c.First < len(path) {
		return path[c.First], nil
	}
	return id, nil
}
