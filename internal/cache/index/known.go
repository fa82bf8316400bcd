package index

import (
	"context"
	"database/sql"
	"encoding/binary"
)

// A query for a word that no document has costs a look into each segment of the
// index, and most forms of a word are such. So the words that there are between the
// first and the last form are read from the pages of FTS5 itself, of which the
// comment at the head of fts5_index.c says how they are made.

// Known are those words of each set that stand in a document; the words of a set are
// sorted, and begin alike. What cannot be told is known.
func (t *Texts) Known(ctx context.Context, sets ...[]string) ([][]string, error) {
	tx, err := t.db.conn().BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // all pages are of one moment
	if err != nil {
		return nil, verdict(err)
	}
	defer tx.Rollback() // it only reads
	var structure []byte
	if err := tx.QueryRowContext(ctx, "SELECT block FROM doc_data WHERE id = 10").Scan(&structure); err != nil {
		return nil, verdict(err)
	}
	segments, ok := segmentsOf(structure)
	if !ok {
		return sets, nil
	}
	leaves, err := tx.PrepareContext(ctx, `SELECT block FROM doc_data WHERE id IN (
		SELECT (?1 << 37) + (pgno >> 1) FROM (SELECT pgno FROM doc_idx WHERE segid = ?1 AND term <= ?2 ORDER BY term DESC LIMIT 1)
		UNION ALL SELECT (?1 << 37) + (pgno >> 1) FROM doc_idx WHERE segid = ?1 AND term > ?2 AND term <= ?3) LIMIT ?4`)
	if err != nil {
		return nil, verdict(err)
	}
	defer leaves.Close()
	out := make([][]string, len(sets))
	for i, words := range sets {
		found := make(map[string]bool, len(words))
		for _, w := range words {
			found[w] = false
		}
		all := true
		for _, segment := range segments {
			if ok, err = lookFor(ctx, leaves, segment, words, found); err != nil {
				return nil, verdict(err)
			}
			all = all && ok
		}
		for _, w := range words {
			if found[w] || !all {
				out[i] = append(out[i], w)
			}
		}
	}
	return out, nil
}

// mostLeaves is how many pages of a segment are read for one set. Where words are
// denser than that, a look for each costs no more.
const mostLeaves = 8

// lookFor notes which words of a set a segment has; ok is false if that is not known.
func lookFor(ctx context.Context, leaves *sql.Stmt, segment int64, words []string, found map[string]bool) (ok bool, err error) {
	if len(words) == 0 {
		return true, nil
	}
	rows, err := leaves.QueryContext(ctx, segment, []byte(main+words[0]), []byte(main+words[len(words)-1]), mostLeaves+1)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	n := 0
	for ok = true; ok && rows.Next(); n++ {
		var leaf sql.RawBytes
		if err := rows.Scan(&leaf); err != nil {
			return false, err
		}
		ok = n < mostLeaves && termsOf(leaf, func(term []byte) {
			if _, ours := found[string(term)]; ours {
				found[string(term)] = true
			}
		})
	}
	return ok, rows.Err()
}

// main begins every term of the index; those of other indexes, of beginnings of
// words, which there are none of here, begin otherwise.
const main = "0"

// termsOf calls take with the terms that begin on a leaf; false for a page that is
// made in another way. The page ends with where they are, each as a distance.
func termsOf(leaf []byte, take func(term []byte)) bool {
	if len(leaf) < 4 {
		return false
	}
	size := int(binary.BigEndian.Uint16(leaf[2:]))
	if size < 4 || size > len(leaf) {
		return false
	}
	where, at := number{leaf[size:]}, 0
	var term []byte
	for len(where.rest) > 0 {
		at += where.next()
		if at < 4 || at >= size {
			return false
		}
		here := number{leaf[at:size]}
		same := 0
		if term != nil {
			same = here.next()
		}
		more := here.next()
		if same < 0 || same > len(term) || more < 0 || more > len(here.rest) {
			return false
		}
		term = append(term[:same:same], here.rest[:more]...)
		if len(term) > 0 && term[0] == main[0] {
			take(term[1:])
		}
	}
	return true
}

// segmentsOf are the numbers of the segments of an index, given its structure; ok is
// false for one that is made in another way.
func segmentsOf(structure []byte) (ids []int64, ok bool) {
	const second = 0xff000001 // marks the second make, for an index from which can be deleted
	if len(structure) < 8 || binary.BigEndian.Uint32(structure[4:]) != second {
		return nil, false
	}
	s := number{structure[8:]}
	levels, total := s.next(), s.next()
	s.next() // how often it was written
	for range levels {
		s.next() // how many are being merged
		for n := s.next(); n > 0 && len(s.rest) > 0; n-- {
			ids = append(ids, int64(s.next()))
			for range 7 { // its pages, and what was deleted from it
				s.next()
			}
		}
	}
	return ids, len(ids) == total
}

// A number reads the numbers of SQLite, of which the most significant byte is first.
type number struct{ rest []byte }

// next is the next number; -1 if there is none or it is out of all proportion.
func (n *number) next() int {
	v := 0
	for i, b := range n.rest {
		if v = v<<7 | int(b&0x7f); b < 0x80 {
			n.rest = n.rest[i+1:]
			return v
		}
		if i == 7 {
			break
		}
	}
	n.rest = nil
	return -1
}
