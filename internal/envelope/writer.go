package envelope

// writtenAtOnce is from how much on what was written is taken: the blocks of as much
// are scanned side by side.
const writtenAtOnce = 4 * blockSize

// A Writer makes the table of a log that is being written from its first byte on, so
// that nobody reads it again for that. The zero value is ready for use.
type Writer struct {
	Table Table  // of all lines after Flush
	at    int64  // where buf begins in the log
	buf   []byte // the end of what the table has, and what it has not yet
}

// Write gives the table whole lines alone, and many at once.
func (w *Writer) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	if len(w.buf) < writtenAtOnce || w.buf[len(w.buf)-1] != '\n' {
		return len(p), nil
	}
	return len(p), w.Flush()
}

// Flush brings all that was written into the table.
func (w *Writer) Flush() error {
	if err := w.Table.Extend(written{w}, w.at+int64(len(w.buf))); err != nil {
		return err
	}
	known := max(0, len(w.buf)-markSize) // what is left the table compares when it goes on
	w.buf = append(w.buf[:0], w.buf[known:]...)
	w.at += int64(known)
	return nil
}

// written is the part of a log that a Writer holds.
type written struct{ *Writer }

func (w written) ReadAt(p []byte, off int64) (int, error) { return copy(p, w.buf[off-w.at:]), nil }
