package jsonl

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPCLMULQDQ && cpu.X86.HasPOPCNT

// index is like indexPortable, but as fast as this machine can be. (A function
// variable would be shorter, but its arguments would escape to the heap.)
func index(b []byte, start int, w *window) {
	if !hasVectors {
		indexPortable(b, start, w)
		return
	}
	if len(b) < blockSize {
		indexShort(b, w)
		return
	}
	rest := b[start:]
	n, tail := windowBlocks, 0
	if len(rest) < windowBlocks*blockSize {
		n, tail = len(rest)/blockSize, len(rest)%blockSize
	}
	indexAVX2(&rest[0], n, tail, w)
}

// indexShort indexes a text that is shorter than a block.
func indexShort(b []byte, w *window) {
	last := blank
	copy(last[:], b)
	indexAVX2(&last[0], 1, 0, w)
}

// indexAVX2 reads n blocks of text, and then, if tail is not 0, a block that has
// only tail bytes. The 64 bytes before the end of the tail must be readable.
//
//go:noescape
func indexAVX2(text *byte, n, tail int, w *window)
