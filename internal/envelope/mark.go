package envelope

import (
	"bytes"
	"fmt"
	"io"
)

// markSize is how much of a log's end is remembered. The end of a line holds a
// time in milliseconds, ids or counts of tokens, so that this much is hardly
// ever the same in two logs of one length.
const markSize = 128

// A mark is the end of a log as it was last seen. It tells a log that grew from
// one that was cut and written anew in its place, whose past is another (pitfall
// 32). Such a log has the same identity and may be longer than before.
type mark struct {
	data [markSize]byte
	len  int
}

// read remembers the end of a log of the given size.
func (m *mark) read(r io.ReaderAt, size int64) error {
	m.len = int(min(size, markSize))
	_, err := ReadFull(r, m.data[:m.len], size-int64(m.len))
	return err
}

// take remembers the end of a log to which a line was just appended, and the
// line's own end.
func (m *mark) take(line []byte) {
	tail := line[max(0, len(line)-markSize+1):]
	m.len = copy(m.data[:], tail)
	m.data[m.len] = '\n'
	m.len++
}

// check compares the remembered end with what the log holds there now.
func (m *mark) check(r io.ReaderAt, size int64) error {
	var now [markSize]byte
	if _, err := ReadFull(r, now[:m.len], size-int64(m.len)); err != nil {
		return err
	}
	if !bytes.Equal(now[:m.len], m.data[:m.len]) {
		return fmt.Errorf("the log was written anew: %w", ErrRescan)
	}
	return nil
}
