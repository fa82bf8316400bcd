package pith

import "io"

// A draft holds the bytes of a session that has no file, or none yet. It only
// grows.
type draft struct{ data []byte }

// ReadAt implements io.ReaderAt.
func (d *draft) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(d.data)) {
		return 0, io.EOF
	}
	n := copy(p, d.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Write implements io.Writer.
func (d *draft) Write(p []byte) (int, error) {
	d.data = append(d.data, p...)
	return len(p), nil
}

// snapshot is the draft as it is now. It shares the bytes, which never change.
func (d *draft) snapshot() *draft {
	n := len(d.data)
	return &draft{d.data[:n:n]}
}

func (d *draft) size() int64 { return int64(len(d.data)) }
