package pith

import "io"

// A draft holds the bytes of a session that are not in its file. It only grows,
// so a reader may keep using what it has seen.
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

func (d *draft) size() int64 { return int64(len(d.data)) }
