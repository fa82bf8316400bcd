package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// postings collects the words of consecutive documents with their positions. It
// keeps its memory when it is emptied.
type postings struct {
	counts []uint32 // number of words of each document

	terms  []term
	words  []byte   // of all terms
	chunks []byte   // see note
	table  []uint32 // by hash: the number of a term, from 1; 0 for none

	sorted    []sortedTerm
	positions []byte // used by doclist
}

// A term is a word with its last occurrence and the place of all of them.
type term struct {
	hash       uint32
	word, size uint32 // in words
	doc, pos   uint32 // doc counts from 1
	head       uint32 // offset of the first chunk
	chunk      uint32 // offset of the last chunk
	at, end    uint32 // where its next byte belongs, and its end
}

const (
	firstChunk = 16
	lastChunk  = 2048
	chunkLink  = 4 // bytes at the start of a chunk: the offset of the next one
)

var hashSeed = maphash.MakeSeed()

// reset removes all documents.
func (p *postings) reset() {
	clear(p.table)
	p.counts, p.terms, p.words, p.chunks = p.counts[:0], p.terms[:0], p.words[:0], p.chunks[:0]
}

// add adds the next document.
func (p *postings) add(text []byte) {
	doc, pos := uint32(len(p.counts))+1, uint32(0)
	for {
		text = bytes.TrimLeft(text, " ")
		if len(text) == 0 {
			break
		}
		n := bytes.IndexByte(text, ' ')
		if n < 0 {
			n = len(text)
		}
		p.note(p.termOf(text[:n]), doc, pos)
		text = text[n:]
		pos++
	}
	p.counts = append(p.counts, pos)
}

// termOf finds or creates the term of a word.
func (p *postings) termOf(word []byte) *term {
	if 2*len(p.terms) >= len(p.table) {
		p.rehash()
	}
	hash := uint32(maphash.Bytes(hashSeed, word))
	mask := uint32(len(p.table) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		n := p.table[i]
		if n == 0 {
			p.terms = append(p.terms, term{hash: hash, word: uint32(len(p.words)), size: uint32(len(word))})
			p.words = append(p.words, word...)
			p.table[i] = uint32(len(p.terms))
			return &p.terms[len(p.terms)-1]
		}
		if t := &p.terms[n-1]; t.hash == hash && string(p.wordOf(t)) == string(word) {
			return t
		}
	}
}

func (p *postings) wordOf(t *term) []byte { return p.words[t.word : t.word+t.size] }

func (p *postings) rehash() {
	p.table = make([]uint32, max(1<<12, 2*len(p.table)))
	mask := uint32(len(p.table) - 1)
	for n := range p.terms {
		i := p.terms[n].hash & mask
		for p.table[i] != 0 {
			i = (i + 1) & mask
		}
		p.table[i] = uint32(n) + 1
	}
}

// note adds an occurrence of a term: if the document is a new one, its distance
// from the last one with the lowest bit set; then the distance of the position
// without it. They are in chunks of doubling size, because most words are rare.
func (p *postings) note(t *term, doc, pos uint32) {
	if t.doc != doc {
		p.put(t, uint64(doc-t.doc)<<1|1)
		t.doc, t.pos = doc, 0
	}
	p.put(t, uint64(pos-t.pos)<<1)
	t.pos = pos
}

func (p *postings) put(t *term, v uint64) {
	for more := true; more; v >>= 7 {
		if t.at == t.end {
			p.grow(t)
		}
		more = v >= 0x80
		p.chunks[t.at] = byte(v)
		if more {
			p.chunks[t.at] |= 0x80
		}
		t.at++
	}
}

// grow adds a chunk to a term.
func (p *postings) grow(t *term) {
	at, size := uint32(len(p.chunks)), uint32(firstChunk)
	if t.end == 0 {
		t.head = at
	} else {
		size = min(2*(t.end-t.chunk), lastChunk)
		binary.LittleEndian.PutUint32(p.chunks[t.chunk:], at)
	}
	p.chunks = slices.Grow(p.chunks, int(size))[:at+size]
	t.chunk, t.at, t.end = at, at+chunkLink, at+size
}

// doclist appends the documents of a term with its positions, as FTS5 stores
// them: for each document the distance from the last one, twice the size of the
// positions, and the distances of the positions plus two. first is the number of
// the first document in p.
func (p *postings) doclist(dst []byte, t *term, first int64) []byte {
	var v uint64
	var shift uint
	doc, last, pending := first-1, int64(0), false
	p.positions = p.positions[:0]
	chunk, size := t.head, uint32(firstChunk)
	for {
		end := chunk + size
		if chunk == t.chunk {
			end = t.at
		}
		for _, c := range p.chunks[chunk+chunkLink : end] {
			if v |= uint64(c&0x7f) << shift; c >= 0x80 {
				shift += 7
				continue
			}
			if v&1 == 0 {
				p.positions = appendVarint(p.positions, v>>1+2)
			} else {
				if pending {
					dst = appendDocument(dst, uint64(doc-last), p.positions)
					last = doc
				}
				doc, pending = doc+int64(v>>1), true
				p.positions = p.positions[:0]
			}
			v, shift = 0, 0
		}
		if chunk == t.chunk {
			return appendDocument(dst, uint64(doc-last), p.positions)
		}
		chunk, size = binary.LittleEndian.Uint32(p.chunks[chunk:]), min(2*size, lastChunk)
	}
}

func appendDocument(dst []byte, distance uint64, positions []byte) []byte {
	dst = appendVarint(dst, distance)
	dst = appendVarint(dst, uint64(len(positions))*2)
	return append(dst, positions...)
}

// A sortedTerm is the number of a term with the first bytes of its word, which
// mostly decide its place.
type sortedTerm struct {
	start uint64
	term  uint32
}

// sort returns the numbers of the terms in the order of their words. The result
// is valid until the next change.
func (p *postings) sort() []sortedTerm {
	p.sorted = p.sorted[:0]
	for i := range p.terms {
		var start [8]byte
		copy(start[:], p.wordOf(&p.terms[i]))
		p.sorted = append(p.sorted, sortedTerm{binary.BigEndian.Uint64(start[:]), uint32(i)})
	}
	slices.SortFunc(p.sorted, func(a, b sortedTerm) int {
		if c := cmp.Compare(a.start, b.start); c != 0 {
			return c
		}
		return bytes.Compare(p.wordOf(&p.terms[a.term]), p.wordOf(&p.terms[b.term]))
	})
	return p.sorted
}
