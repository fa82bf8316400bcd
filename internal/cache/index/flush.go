package index

import (
	"context"
	"database/sql"
	"slices"
)

// Rows of doc_data, and the byte before each word of the main index of FTS5.
const (
	totalsRow    = 1
	structureRow = 10
	mainIndex    = '0'
)

const (
	// workUnit is the number of leaves that are written between two merges, and
	// crisis the number of segments of one level from which they are merged
	// whatever it costs, as in FTS5.
	workUnit = 64
	crisis   = 16
	// allWork is the number of leaves for a merge that leaves nothing to do.
	allWork = 1 << 30
)

// flush writes the documents as one segment of FTS5. first is the number of the
// first one.
//
// Inserting the documents would do the same and take half as long again.
// TestSegmentsOfFTS5 checks that the result is the same. What FTS5 has in memory
// is stored before, and read again after the merge of no pages.
func (p *postings) flush(ctx context.Context, tx *sql.Tx, first int64) error {
	if len(p.counts) == 0 {
		return nil
	}
	for _, command := range []string{"flush", "merge"} {
		if _, err := tx.ExecContext(ctx, "INSERT INTO doc (doc, rank) VALUES (?, 0)", command); err != nil {
			return err
		}
	}
	var block, totals []byte
	if err := tx.QueryRowContext(ctx, "SELECT block, (SELECT block FROM doc_data WHERE id = ?) FROM doc_data WHERE id = ?", structureRow, totalsRow).Scan(&totals, &block); err != nil {
		return err
	}
	s, ok := decodeStructure(block)
	if !ok {
		return errForged
	}
	put, err := tx.PrepareContext(ctx, "REPLACE INTO doc_data (id, block) VALUES (?, ?)")
	if err != nil {
		return err
	}
	defer put.Close()
	save := func(id int64, page []byte) error {
		_, err := put.ExecContext(ctx, id, page)
		return err
	}
	if err := p.putCounts(ctx, tx, first, s.origin(), totals, save); err != nil {
		return err
	}
	work := 0
	if len(p.terms) > 0 {
		segment := s.unused()
		leaves, err := p.putLeaves(ctx, tx, first, segment, save)
		if err != nil {
			return err
		}
		work = s.add(segment, leaves, int64(len(p.counts)))
		if err := save(structureRow, s.encode()); err != nil {
			return err
		}
	}
	if work > 0 {
		if _, err := tx.ExecContext(ctx, "INSERT INTO doc (doc, rank) VALUES ('merge', ?)", work); err != nil {
			return err
		}
	}
	return nil
}

// putCounts stores the number of words of the documents, and adds them to the
// totals. origin identifies the segment that has them.
func (p *postings) putCounts(ctx context.Context, tx *sql.Tx, first, origin int64, totals []byte, save func(id int64, page []byte) error) error {
	documents, n := varint(totals)
	words, _ := varint(totals[n:])
	put, err := tx.PrepareContext(ctx, "INSERT INTO doc_docsize (id, sz, origin) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer put.Close()
	for i, count := range p.counts {
		if _, err := put.ExecContext(ctx, first+int64(i), appendVarint(nil, uint64(count)), origin); err != nil {
			return err
		}
		words += uint64(count)
	}
	return save(totalsRow, appendVarint(appendVarint(nil, documents+uint64(len(p.counts))), words))
}

// putLeaves stores the words, and returns the number of leaves.
func (p *postings) putLeaves(ctx context.Context, tx *sql.Tx, firstDoc, segment int64, save func(id int64, page []byte) error) (leaves int64, err error) {
	first, err := tx.PrepareContext(ctx, "INSERT INTO doc_idx (segid, term, pgno) VALUES (?, ?, ?)")
	if err != nil {
		return 0, err
	}
	defer first.Close()
	w := newLeafWriter(segment)
	w.put = save
	w.first = func(word []byte, leaf int64) error {
		if word == nil {
			word = []byte{} // not NULL
		}
		_, err := first.ExecContext(ctx, segment, word, leaf)
		return err
	}
	var word, doclist []byte
	for _, s := range p.sort() {
		t := &p.terms[s.term]
		word = append(append(word[:0], mainIndex), p.wordOf(t)...)
		doclist = p.doclist(doclist[:0], t, firstDoc)
		w.add(word, doclist)
	}
	return w.close()
}

// A structure is the list of segments of FTS5.
type structure struct {
	header string // a number that FTS5 changes with its options, and a version
	leaves uint64 // written in total
	levels []level
}

type level struct {
	merging  uint64 // number of its segments that are being merged
	segments [][segmentFields]uint64
}

// Fields of a segment: its number, first and last leaf, the origins of its
// first and last documents, pages of removed documents, their number, and that
// of all documents.
const (
	segmentNumber = 0
	firstLeaf     = 1
	lastLeaf      = 2
	lastOrigin    = 4
	segmentFields = 8
)

const structureVersion = "\xff\x00\x00\x01"

// decodeStructure decodes the list of segments of a table that was created with
// contentless_delete.
func decodeStructure(b []byte) (s structure, ok bool) {
	if len(b) < 8 || string(b[4:8]) != structureVersion {
		return s, false
	}
	s.header, b, ok = string(b[:8]), b[8:], true
	number := func() uint64 {
		v, n := varint(b)
		b, ok = b[n:], ok && n > 0
		return v
	}
	s.levels = make([]level, min(number(), uint64(len(b))))
	number() // of all segments
	s.leaves = number()
	for i := range s.levels {
		l := &s.levels[i]
		l.merging = number()
		l.segments = make([][segmentFields]uint64, min(number(), uint64(len(b))))
		for j := range l.segments {
			for k := range l.segments[j] {
				l.segments[j][k] = number()
			}
		}
	}
	return s, ok && len(b) == 0
}

func (s *structure) encode() []byte {
	all := 0
	for _, l := range s.levels {
		all += len(l.segments)
	}
	b := appendVarint([]byte(s.header), uint64(len(s.levels)))
	b = appendVarint(appendVarint(b, uint64(all)), s.leaves)
	for _, l := range s.levels {
		b = appendVarint(appendVarint(b, l.merging), uint64(len(l.segments)))
		for _, segment := range l.segments {
			for _, v := range segment {
				b = appendVarint(b, v)
			}
		}
	}
	return b
}

// origin returns the origin of the next documents.
func (s *structure) origin() int64 {
	var last uint64
	for _, l := range s.levels {
		for _, segment := range l.segments {
			last = max(last, segment[lastOrigin])
		}
	}
	return int64(last) + 1
}

// unused returns a number that no segment has.
func (s *structure) unused() int64 {
	used := map[uint64]bool{}
	for _, l := range s.levels {
		for _, segment := range l.segments {
			used[segment[segmentNumber]] = true
		}
	}
	for n := uint64(1); ; n++ {
		if !used[n] {
			return int64(n)
		}
	}
}

// add adds a segment to the lowest level, and returns the number of leaves to
// write in merges.
func (s *structure) add(segment, leaves, documents int64) (work int) {
	origin := uint64(s.origin())
	if len(s.levels) == 0 {
		s.levels = make([]level, 1)
	}
	lowest := &s.levels[0]
	lowest.segments = append(s.promoted(uint64(leaves)), [segmentFields]uint64{uint64(segment), 1, uint64(leaves), origin, origin, 0, 0, uint64(documents)})
	units := (s.leaves+uint64(leaves))/workUnit - s.leaves/workUnit
	s.leaves += uint64(leaves)
	if len(lowest.segments) >= crisis {
		return allWork
	}
	return workUnit * int(units) * len(s.levels)
}

// promoted returns the segments of the lowest level, after moving those of
// higher levels there that have at most as many leaves as a new one. Otherwise
// they would wait long to be merged.
func (s *structure) promoted(leaves uint64) [][segmentFields]uint64 {
	lowest := s.levels[0].segments
	if s.levels[0].merging > 0 {
		return lowest
	}
	for i := range s.levels[1:] {
		l := &s.levels[i+1]
		if l.merging > 0 {
			break
		}
		for n := len(l.segments) - 1; n >= 0; n-- {
			segment := l.segments[n]
			if segment[lastLeaf]-segment[firstLeaf]+1 > leaves {
				return lowest
			}
			lowest = slices.Insert(lowest, 0, segment)
			l.segments = l.segments[:n]
		}
	}
	return lowest
}
