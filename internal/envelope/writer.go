package envelope

// writtenAtOnce is the number of written bytes from which on they are scanned,
// so that several blocks are scanned in parallel.
const writtenAtOnce = 4 * blockSize

// A Writer builds the table of a log that is being written from its first byte
// on, so that the log need not be read again. The zero value is ready to use.
type Writer struct {
	Table Table  // of all lines after Flush
	at    int64  // offset of buf in the log
	buf   []byte // the end of the part that is in the table, and the part that is not
}

// Write buffers p, and adds the buffered lines to the table when there are many
// and the last one is complete.
func (w *Writer) Write(p []byte) (int, error) {
	w.buf = append(w.buf, p...)
	if len(w.buf) < writtenAtOnce || w.buf[len(w.buf)-1] != '\n' {
		return len(p), nil
	}
	return len(p), w.Flush()
}

// Flush adds everything that was written to the table.
func (w *Writer) Flush() error {
	if err := w.Table.Extend(written{w}, w.at+int64(len(w.buf))); err != nil {
		return err
	}
	known := max(0, len(w.buf)-markSize) // the table compares the rest when it continues
	w.buf = append(w.buf[:0], w.buf[known:]...)
	w.at += int64(known)
	return nil
}

// written is the part of a log that a Writer has buffered.
type written struct{ *Writer }

func (w written) ReadAt(p []byte, off int64) (int, error) { return copy(p, w.buf[off-w.at:]), nil }
