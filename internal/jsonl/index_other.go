//go:build !amd64

package jsonl

func index(b []byte, blocks []block, c *carry) { indexPortable(b, blocks, c) }
