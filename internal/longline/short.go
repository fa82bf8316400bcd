package longline

import (
	"errors"
	"io"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// mostShort is the approximate maximum length of a line that Short returns.
const mostShort = 2 << 20

// Short reads a line so that it can be shown. Its images are cut: see
// [ImageSize]. If it is still long, so are its texts, after half a megabyte and
// with a note, and elements of long lists are left out; then cut is true.
func Short(line *io.SectionReader) (raw []byte, cut bool, err error) {
	c := NewImageCutter(line, nil)
	c.most = mostShort
	raw, ok, err := c.images(0)
	if ok || err != nil && !errors.Is(err, errLong) {
		return raw, false, err
	}
	if _, err := line.Seek(0, io.SeekStart); err != nil {
		return nil, false, err
	}
	condenser := jsonl.Condenser{Marks: true}
	if _, err := io.CopyBuffer(writer{&condenser}, struct{ io.Reader }{line}, make([]byte, 256<<10)); err != nil {
		return nil, false, err
	}
	return condenser.Bytes(), true, nil
}

// ReadShort is Short for the ReadLong of a reader.
func ReadShort(_ int, line *io.SectionReader) ([]byte, error) {
	raw, _, err := Short(line)
	return raw, err
}

type writer struct{ *jsonl.Condenser }

func (w writer) Write(p []byte) (int, error) {
	w.Condenser.Write(p)
	return len(p), nil
}
