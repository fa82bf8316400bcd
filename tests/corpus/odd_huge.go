package corpus

import (
	"fmt"
	"io"
)

// Chain writes a session of n user messages, each the child of the one before:
// a tree of maximum depth.
func Chain(w io.Writer, n int) error {
	return numbered(w, n, func(i int) string { return fmt.Sprintf(`"c%07d"`, i-1) })
}

// Fan writes a session of n user messages: one root, and its children.
func Fan(w io.Writer, n int) error {
	return numbered(w, n, func(int) string { return `"c0000000"` })
}

// numbered writes n messages with the IDs c0000000 and up; parent returns the
// JSON of the parent of all but the first.
func numbered(w io.Writer, n int, parent func(i int) string) error {
	out := &output{w: w, buf: []byte(oddHeader + "\n")}
	for i := range n {
		p := "null"
		if i > 0 {
			p = parent(i)
		}
		out.text(fmt.Sprintf(`{"type":"message","id":"c%07d","parentId":%s,"timestamp":`, i, p))
		out.time(1770112800000 + int64(i))
		out.text(`,"message":{"role":"user","content":"step"}`)
		out.endLine()
	}
	out.flush()
	return out.err
}

// LongLine writes a session with a short message, one whose line has about the
// given number of bytes, and another short one.
func LongLine(w io.Writer, bytes int64) error {
	out := &output{w: w, buf: []byte(oddHeader + "\n" + ask("aaaa0001", "", "short") + "\n")}
	out.text(`{"type":"message",` + tree("aaaa0002", "aaaa0001") + `,"message":{"role":"user","content":"`)
	r := &random{state: 10}
	p := pools()
	for bytes > 0 {
		before := len(out.buf)
		out.buf = p[codeText].fill(out.buf, r, int(min(bytes, flushAt)))
		bytes -= int64(len(out.buf) - before)
		if before == len(out.buf) {
			break
		}
		out.flush()
	}
	out.text(`"}`)
	out.endLine()
	out.text(ask("aaaa0003", "aaaa0002", "short again") + "\n")
	out.flush()
	return out.err
}
