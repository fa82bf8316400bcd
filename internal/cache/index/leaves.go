package index

import "encoding/binary"

// A leafWriter writes one segment of FTS5, its sorted words with their
// documents, in the form that FTS5 itself would give it. The form is described
// in the source of FTS5, fts5_index.c: leaves, the rows of the table of their
// first words, and lists of the first documents of leaves that are in the
// middle of the documents of a frequent word.
type leafWriter struct {
	segment int64
	// put stores a page, and first the first word of a leaf. The bytes are
	// valid during the call.
	put   func(id int64, page []byte) error
	first func(word []byte, leaf int64) error

	leaf    int64  // number of the leaf, from 1
	page    []byte // starts with the offset of the first document and that of words
	words   []byte // offsets of the words of the leaf, which follow the page
	offset  int    // of the last word
	noWord  bool   // the leaf has no word yet
	noDoc   bool   // no document starts in the leaf, which has no word either
	last    []byte // the last word
	branch  []byte // the shortest bytes between the words of two leaves
	branchN int64  // the leaf that they lead to; 0 for none
	empty   int    // leaves after that one without a word
	skips   []skipPage
	err     error
}

// A skipPage lists the first documents of pages. Lists that do not fit in one
// page have a list of their own.
type skipPage struct {
	number int64
	page   []byte
	last   int64
	valid  bool // last is the last document in the page
}

const (
	// leafSize is the default of FTS5.
	leafSize = 4050
	// leastSkipped is the number of leaves without a word from which their
	// first documents are listed.
	leastSkipped = 4

	segmentBits, skipBit, heightBits = 37, 36, 31
)

func newLeafWriter(segment int64) *leafWriter {
	return &leafWriter{segment: segment, leaf: 1, page: make([]byte, 4, leafSize+256), noWord: true, branchN: 1, skips: make([]skipPage, 1)}
}

// add adds a word, with the byte that is first in each word of the main index,
// and its documents.
func (w *leafWriter) add(word, doclist []byte) {
	w.word(word)
	if leafSize > len(w.page)+len(w.words)+len(doclist) {
		w.page = append(w.page, doclist...)
		return
	}
	var doc, last int64
	for len(doclist) > 0 && w.err == nil {
		distance, n := varint(doclist)
		doclist = doclist[n:]
		doc += int64(distance)
		if w.noDoc {
			binary.BigEndian.PutUint16(w.page, uint16(len(w.page)))
			w.page = appendVarint(w.page, uint64(doc))
			w.noDoc = false
			w.skip(doc)
		} else {
			w.page = appendVarint(w.page, uint64(doc-last))
		}
		last = doc
		size, n := varint(doclist)
		n += int(size / 2)
		w.positions(doclist[:n])
		doclist = doclist[n:]
	}
}

// positions adds the positions of a document, on several leaves if necessary.
// A number is on one leaf.
func (w *leafWriter) positions(list []byte) {
	if len(w.page)+len(w.words)+len(list) <= leafSize {
		w.page = append(w.page, list...)
		return
	}
	for len(list) > 0 && w.err == nil {
		space := leafSize - len(w.page) - len(w.words)
		n := len(list)
		if n > space {
			_, n = varint(list)
			for n < space {
				_, more := varint(list[n:])
				if n+more > space {
					break
				}
				n += more
			}
		}
		w.page = append(w.page, list[:n]...)
		list = list[n:]
		if len(w.page)+len(w.words) >= leafSize {
			w.flush()
		}
	}
}

// word adds a word.
func (w *leafWriter) word(word []byte) {
	if len(w.page)+len(w.words)+len(word)+2 >= leafSize && len(w.page) > 4 {
		w.flush()
	}
	w.words = appendVarint(w.words, uint64(len(w.page)-w.offset))
	w.offset = len(w.page)
	common := 0
	for common < min(len(word), len(w.last)) && word[common] == w.last[common] {
		common++
	}
	if !w.noWord {
		w.page = appendVarint(w.page, uint64(common))
	} else {
		if w.leaf != 1 {
			n := len(word)
			if len(w.last) > 0 {
				n = common + 1
			}
			w.flushBranch()
			w.branch, w.branchN = append(w.branch[:0], word[:n]...), w.leaf
		}
		common = 0
	}
	w.page = append(appendVarint(w.page, uint64(len(word)-common)), word[common:]...)
	w.last = append(w.last[:0], word...)
	w.noWord, w.noDoc = false, false
	w.skips[0].number = w.leaf
}

// flush writes the leaf and starts the next one.
func (w *leafWriter) flush() {
	binary.BigEndian.PutUint16(w.page[2:], uint16(len(w.page)))
	if w.noWord {
		if list := &w.skips[0]; w.noDoc && len(list.page) > 0 {
			list.page = append(list.page, 0)
		}
		w.empty++
	} else {
		w.page = append(w.page, w.words...)
	}
	w.write(w.segment<<segmentBits+w.leaf, w.page)
	w.page, w.words = append(w.page[:0], 0, 0, 0, 0), w.words[:0]
	w.offset = 0
	w.leaf++
	w.noWord, w.noDoc = true, true
}

// close writes the rest, and returns the number of leaves.
func (w *leafWriter) close() (leaves int64, err error) {
	if len(w.page) > 4 {
		w.flush()
	}
	if w.leaf > 1 {
		w.flushBranch()
	}
	return w.leaf - 1, w.err
}

// flushBranch writes the first word of a leaf.
func (w *leafWriter) flushBranch() {
	if w.branchN == 0 {
		return
	}
	skips := int64(0)
	if len(w.skips[0].page) > 0 && w.empty >= leastSkipped {
		skips = 1
	}
	for i := range w.skips {
		list := &w.skips[i]
		if len(list.page) == 0 {
			break
		}
		if skips != 0 {
			w.write(w.skipID(i), list.page)
		}
		list.page, list.valid = list.page[:0], false
	}
	w.empty = 0
	if w.err == nil {
		w.err = w.first(w.branch, w.branchN<<1|skips)
	}
	w.branchN = 0
}

func (w *leafWriter) skipID(height int) int64 {
	return w.segment<<segmentBits + 1<<skipBit + int64(height)<<heightBits + w.skips[height].number
}

// skip lists the first document of a leaf.
func (w *leafWriter) skip(doc int64) {
	full := true
	for i := 0; full; i++ {
		list := &w.skips[i]
		if full = len(list.page) >= leafSize; full {
			list.page[0] = 1 // it is not the highest
			w.write(w.skipID(i), list.page)
			if len(w.skips) < i+2 {
				w.skips = append(w.skips, skipPage{})
				list = &w.skips[i]
			}
			if above := &w.skips[i+1]; len(above.page) == 0 {
				_, n := varint(list.page[1:])
				first, _ := varint(list.page[1+n:])
				above.number = list.number
				above.page = appendVarint(appendVarint(append(above.page, 0), uint64(list.number)), first)
				above.valid, above.last = true, int64(first)
			}
			list.page, list.valid = list.page[:0], false
			list.number++
		}
		if list.valid {
			list.page = appendVarint(list.page, uint64(doc-list.last))
		} else {
			below := w.leaf
			if i > 0 {
				below = w.skips[i-1].number
			}
			flag := byte(0)
			if full {
				flag = 1
			}
			list.page = appendVarint(appendVarint(append(list.page, flag), uint64(below)), uint64(doc))
		}
		list.valid, list.last = true, doc
	}
}

func (w *leafWriter) write(id int64, page []byte) {
	if w.err == nil {
		w.err = w.put(id, page)
	}
}

// appendVarint appends a number in the encoding of SQLite.
func appendVarint(dst []byte, v uint64) []byte {
	switch {
	case v < 1<<7:
		return append(dst, byte(v))
	case v < 1<<14:
		return append(dst, byte(v>>7)|0x80, byte(v)&0x7f)
	case v >= 1<<56:
		for shift := 57; shift > 1; shift -= 7 { // the ninth byte has eight bits
			dst = append(dst, byte(v>>shift)|0x80)
		}
		return append(dst, byte(v))
	}
	shift := 14
	for v>>shift >= 1<<7 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		dst = append(dst, byte(v>>shift)|0x80)
	}
	return append(dst, byte(v)&0x7f)
}

// varint decodes a number in the encoding of SQLite, and returns its size; 0 if
// b ends within it.
func varint(b []byte) (v uint64, size int) {
	for i, c := range b[:min(9, len(b))] {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		if v = v<<7 | uint64(c&0x7f); c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
