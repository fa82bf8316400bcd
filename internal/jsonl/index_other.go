//go:build !amd64

package jsonl

func index(b []byte, start int, w *window) { indexPortable(b, start, w) }
