package jsonl

import (
	"encoding/binary"
	"math/bits"
)

// blockSize is how many bytes one block stands for.
const blockSize = 64

// block is what index finds out about 64 bytes. Bit i stands for byte i.
type block struct {
	closing uint64 // the quotes that end a string
	suspect uint64 // inside strings: controls, and letters of escapes that are not short
}

// carry is what a block must know of the text before it, and what is known after
// the last block. The zero value is for the start of a text.
type carry struct {
	escaped  uint64 // 1 if the next byte is escaped by a backslash, else 0
	inString uint64 // all ones if the next byte is inside a string, else 0
	suspect  uint64 // the suspect bits of all blocks so far, put together
}

// indexPortable fills blocks from b, whose length must be 64 times theirs.
//
// A backslash outside a string counts as an escape here. There it is a fault that
// whoever reads the text from the front will meet, and what blocks say about the
// text after a fault does not matter.
func indexPortable(b []byte, blocks []block, c *carry) {
	for n := range blocks {
		chunk := (*[blockSize]byte)(b[n*blockSize:])
		quote, backslash, control := classify(chunk)
		letters := escapedLetters(backslash, &c.escaped)
		quote &^= letters
		inString := prefixParity(quote) ^ c.inString
		c.inString = uint64(int64(inString) >> 63)

		var suspect uint64
		for rest := letters; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest)
			suspect |= notShort[chunk[i%blockSize]] << i
		}
		if control != 0 {
			suspect |= controls(chunk)
		}
		suspect &= inString
		blocks[n] = block{quote &^ inString, suspect}
		c.suspect |= suspect
	}
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
	even = 0x5555555555555555 // the bits 0, 2, 4, ...
)

// classify returns the quotes and the backslashes of a chunk, and a word that is
// not zero when there are control characters.
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

// escapedLetters returns which bytes of a block follow a run of backslashes of
// odd length, and so are the letters of escapes. (The second backslash of \\ is
// left out, because it needs no check.)
//
// Adding its lowest bit to a run of ones carries to the bit after the run. A run
// has odd length if it begins at an even bit and the carry lands on an odd one,
// or the other way round. A run that begins at an odd bit and reaches the end of
// the block leaves its carry for the next block.
func escapedLetters(backslash uint64, escaped *uint64) uint64 {
	first := *escaped
	backslash &^= first
	starts := backslash &^ (backslash << 1)
	fromEven := backslash + starts&even
	fromOdd, out := bits.Add64(backslash, starts&^even, 0)
	*escaped = out
	return (fromEven&^even|fromOdd&even)&^backslash | first
}

// prefixParity returns a word whose bit i is the parity of the bits 0 to i of w.
func prefixParity(w uint64) uint64 {
	for shift := 1; shift < 64; shift *= 2 {
		w ^= w << shift
	}
	return w
}
