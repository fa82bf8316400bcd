package jsonl

import (
	"encoding/binary"
	"math/bits"
	"strings"
)

const (
	// blockSize is the number of bytes indexed at a time.
	blockSize = 64
	// windowBlocks is the maximum number of blocks in a window. Most lines fit
	// into 2 KiB.
	windowBlocks = 32
	// endsRoom is the number of ends that a window has room for. It is a power
	// of two, so that the remainder of any number by it is an index without a
	// bounds check.
	endsRoom = 128
	// fullEnds is the number of ends at which a window is cut short: one more
	// block could have 32, and the vector routine writes up to four too many.
	fullEnds = endsRoom - 36
)

// A window is the index of some blocks of a text.
type window struct {
	escaped  uint64 // 1 if the byte after the window is escaped by a backslash, else 0
	inString uint64 // all ones if the byte after the window is inside a string, else 0
	suspects uint64 // bit i is set if there is a suspect[i]

	blocks  int                  // number of blocks indexed
	count   int                  // number of strings that end in them
	ends    [endsRoom]uint16     // the offsets after their closing quotes
	suspect [windowBlocks]uint64 // inside strings: controls, and letters of unusual escapes
}

// indexPortable indexes b from offset start, which is before the end of b. w
// must be zero, or come from the blocks that end at start.
//
// A backslash outside a string counts as an escape here. It is a fault that a
// reader from the front will find, and the index of the text after a fault does
// not matter.
func indexPortable(b []byte, start int, w *window) {
	w.suspects, w.blocks, w.count = 0, 0, 0
	for w.blocks < windowBlocks && w.count < fullEnds && start < len(b) {
		if rest := b[start:]; len(rest) >= blockSize {
			w.add((*[blockSize]byte)(rest))
		} else {
			last := blank
			copy(last[:], rest)
			w.add(&last)
		}
		start += blockSize
	}
}

// blank pads an incomplete last block. Spaces are never suspect, except as the
// letter of a truncated escape.
var blank = [blockSize]byte([]byte(strings.Repeat(" ", blockSize)))

// add indexes one more block.
func (w *window) add(chunk *[blockSize]byte) {
	quote, backslash, control := classify(chunk)
	escaped := escapedBytes(backslash, &w.escaped)
	quote &^= escaped
	inString := prefixParity(quote) ^ w.inString
	w.inString = uint64(int64(inString) >> 63)

	for rest := quote &^ inString; rest != 0; rest &= rest - 1 {
		w.ends[w.count%endsRoom] = uint16(w.blocks*blockSize + bits.TrailingZeros64(rest) + 1)
		w.count++
	}
	var suspect uint64
	for rest := escaped; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		suspect |= unusual[chunk[i%blockSize]] << i
	}
	if control != 0 {
		suspect |= controls(chunk)
	}
	if suspect &= inString; suspect != 0 {
		w.suspect[w.blocks%windowBlocks] = suspect
		w.suspects |= 1 << w.blocks
	}
	w.blocks++
}

// unusual is 1 for the bytes that need a closer look after a backslash, and 0
// otherwise. It includes b only because the vector routine would need more time
// to recognize it.
var unusual = func() (table [256]uint64) {
	for letter := range table {
		table[letter] = 1
	}
	for _, letter := range `"\/fnrt` {
		table[letter] = 0
	}
	return table
}()

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
	odd  = 0xAAAAAAAAAAAAAAAA // bits 1, 3, 5, ...
)

// classify returns the quotes and the backslashes of a chunk, and a word that
// is not zero if there are control characters.
func classify(chunk *[blockSize]byte) (quote, backslash, control uint64) {
	for i := blockSize - 8; i >= 0; i -= 8 {
		w := binary.LittleEndian.Uint64(chunk[i:])
		quote = quote<<8 | equalBytes(w, '"')
		backslash = backslash<<8 | equalBytes(w, '\\')
		control |= (w - ' '*ones) &^ w
	}
	return quote, backslash, control & tops
}

// equalBytes returns a bit for each byte of w that is c, which is below 0x80.
func equalBytes(w uint64, c byte) uint64 {
	w ^= uint64(c) * ones
	differ := (w&^tops + 0x7F*ones) | w
	// The product gathers the top bits of the eight bytes in its top byte.
	return (^differ & tops) * 0x0002040810204081 >> 56
}

// controls returns the control characters of a chunk.
func controls(chunk *[blockSize]byte) uint64 {
	var set uint64
	for i, c := range chunk {
		if c < ' ' {
			set |= 1 << i
		}
	}
	return set
}

// escapedBytes returns which bytes of a block are escaped by a backslash.
//
// In a run of backslashes the first, the third, the fifth and so on escape the
// byte after them. A run from bit s to before bit e, subtracted from itself
// shifted by one, leaves the bits from s to before e; with the bit s added,
// which is one of the odd bits if s is odd, it leaves only the bit e. In both
// cases flipping the odd bits gives the bits s, s+2, s+4 of the run, and the
// bit e if the length of the run is odd.
func escapedBytes(backslash uint64, escaped *uint64) uint64 {
	first := *escaped
	backslash &^= first
	escaping := ((backslash<<1 | odd) - backslash) ^ odd
	*escaped = (escaping & backslash) >> 63
	return escaping ^ (backslash | first)
}

// prefixParity returns a word whose bit i is the parity of the bits 0 to i of w.
func prefixParity(w uint64) uint64 {
	for shift := 1; shift < 64; shift *= 2 {
		w ^= w << shift
	}
	return w
}
