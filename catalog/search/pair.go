package search

import (
	"encoding/binary"
	"math/bits"
)

// Looking for two adjacent bytes, eight positions at a time, takes the same
// time for all bytes, however often one of them occurs alone. That is not true
// of bytes.IndexByte.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	folds = 0x2020202020202020 // sets the bit in which the cases of a letter differ
)

// zeros returns a value in which the high bit of the first zero byte of v is
// set, and no high bit below it. Bits above it may be wrong.
func zeros(v uint64) uint64 { return (v - ones) &^ v & highs }

// indexPair returns the first offset from from on at which the first byte is
// followed by the second, each in either case, or -1. It may also find bytes
// that differ in the case bit but are not letters.
func indexPair(b []byte, from int, first, second byte) int {
	p, q := uint64(first|0x20)*ones, uint64(second|0x20)*ones
	i := from
	for ; i+33 <= len(b); i += 32 { // four at a time: most contain no match
		c := b[i : i+33 : i+33]
		t := ((binary.LittleEndian.Uint64(c) | folds) ^ p) | ((binary.LittleEndian.Uint64(c[1:]) | folds) ^ q)
		u := ((binary.LittleEndian.Uint64(c[8:]) | folds) ^ p) | ((binary.LittleEndian.Uint64(c[9:]) | folds) ^ q)
		v := ((binary.LittleEndian.Uint64(c[16:]) | folds) ^ p) | ((binary.LittleEndian.Uint64(c[17:]) | folds) ^ q)
		w := ((binary.LittleEndian.Uint64(c[24:]) | folds) ^ p) | ((binary.LittleEndian.Uint64(c[25:]) | folds) ^ q)
		if ((t-ones)&^t|(u-ones)&^u|(v-ones)&^v|(w-ones)&^w)&highs != 0 { // zeros of any of them
			break
		}
	}
	for ; i+9 <= len(b); i += 8 {
		x := (binary.LittleEndian.Uint64(b[i:]) | folds) ^ p
		y := (binary.LittleEndian.Uint64(b[i+1:]) | folds) ^ q
		if z := zeros(x | y); z != 0 {
			return i + bits.TrailingZeros64(z)/8
		}
	}
	for ; i+1 < len(b); i++ {
		if b[i]|0x20 == first|0x20 && b[i+1]|0x20 == second|0x20 {
			return i
		}
	}
	return -1
}

// indexLetter is like indexPair for one byte.
func indexLetter(b []byte, from int, c byte) int {
	p := uint64(c|0x20) * ones
	i := from
	for ; i+8 <= len(b); i += 8 {
		if z := zeros((binary.LittleEndian.Uint64(b[i:]) | folds) ^ p); z != 0 {
			return i + bits.TrailingZeros64(z)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i]|0x20 == c|0x20 {
			return i
		}
	}
	return -1
}

// indexExact is like indexPair, but matches the exact bytes.
func indexExact(b []byte, from int, first, second byte) int {
	p, q := uint64(first)*ones, uint64(second)*ones
	i := from
	for ; i+33 <= len(b); i += 32 {
		c := b[i : i+33 : i+33]
		t := (binary.LittleEndian.Uint64(c) ^ p) | (binary.LittleEndian.Uint64(c[1:]) ^ q)
		u := (binary.LittleEndian.Uint64(c[8:]) ^ p) | (binary.LittleEndian.Uint64(c[9:]) ^ q)
		v := (binary.LittleEndian.Uint64(c[16:]) ^ p) | (binary.LittleEndian.Uint64(c[17:]) ^ q)
		w := (binary.LittleEndian.Uint64(c[24:]) ^ p) | (binary.LittleEndian.Uint64(c[25:]) ^ q)
		if ((t-ones)&^t|(u-ones)&^u|(v-ones)&^v|(w-ones)&^w)&highs != 0 { // zeros of any of them
			break
		}
	}
	for ; i+9 <= len(b); i += 8 {
		if z := zeros((binary.LittleEndian.Uint64(b[i:]) ^ p) | (binary.LittleEndian.Uint64(b[i+1:]) ^ q)); z != 0 {
			return i + bits.TrailingZeros64(z)/8
		}
	}
	for ; i+1 < len(b); i++ {
		if b[i] == first && b[i+1] == second {
			return i
		}
	}
	return -1
}
