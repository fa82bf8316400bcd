package jsonl

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPCLMULQDQ

// index does what indexPortable does, as fast as this machine can. (A function
// variable would be shorter, but its arguments would escape to the heap.)
func index(b []byte, blocks []block, c *carry) {
	if hasVectors {
		indexVector(b, blocks, c)
	} else {
		indexPortable(b, blocks, c)
	}
}

// indexVector is indexPortable for machines with AVX2.
func indexVector(b []byte, blocks []block, c *carry) {
	if n := len(blocks); n > 0 {
		indexAVX2(&b[:n*blockSize][0], n, &blocks[0], c)
	}
}

// indexAVX2 reads n blocks of text, at least one.
//
//go:noescape
func indexAVX2(text *byte, n int, blocks *block, c *carry)
