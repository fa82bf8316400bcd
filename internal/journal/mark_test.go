package journal

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"
)

// The end of a log that was remembered while it was written is that of reading
// it, and only its own end passes.
func TestMark(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var log []byte
		var written, read mark
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 2*markSize), 0, 8).Draw(t, "pieces") {
			piece := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "piece")
			log = append(log, piece...)
			written.add(piece)
		}
		size := int64(len(log))
		if err := read.read(bytes.NewReader(log), size); err != nil {
			t.Fatal(err)
		}
		if written.len != read.len || !bytes.Equal(written.data[:written.len], read.data[:read.len]) {
			t.Fatalf("add of %d bytes remembers %q, read %q", size, written.data[:written.len], read.data[:read.len])
		}
		if err := written.check(bytes.NewReader(log), size); err != nil {
			t.Fatalf("check of the same log = %v", err)
		}
		if size == 0 {
			return
		}
		if err := written.check(bytes.NewReader(log[:size-1]), size); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("check of a shorter log = %v, want %v", err, io.ErrUnexpectedEOF)
		}
		log[rapid.Int64Range(max(0, size-markSize), size-1).Draw(t, "changed")]++
		if err := written.check(bytes.NewReader(log), size); !errors.Is(err, errRescan) {
			t.Fatalf("check of a changed log = %v, want %v", err, errRescan)
		}
	})
}
