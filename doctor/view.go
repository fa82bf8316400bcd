package doctor

import (
	"context"
	"io"

	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A view is a scanned session: its bytes, its envelopes and its tree.
type view struct {
	r     io.ReaderAt
	size  int64
	state *journal.State
}

func scan(r io.ReaderAt, size int64) (*view, error) {
	state, err := journal.Scan(context.Background(), r, size)
	if err != nil {
		state = &journal.State{}
	}
	return &view{r, size, state}, err
}

func (v *view) parents() []int32 {
	out := make([]int32, v.state.Len())
	for i := range out {
		out[i] = int32(v.state.Above(i))
	}
	return out
}

func (v *view) bytes(from int64, length int) ([]byte, error) {
	b := make([]byte, length)
	_, err := jsonl.ReadFull(v.r, b, from)
	return b, err
}

// How much is read at a time when reading lines one by one: little after a
// jump, and then twice as much each time.
const (
	readLittle = 16 << 10
	readAhead  = 512 << 10
)

// A walker reads the lines of entries that are mostly consecutive, forwards or
// backwards.
type walker struct {
	*view
	window []byte
	from   int64 // offset of the window
	ahead  int64 // size of the last read
	read   int64 // total size of all reads
}

// line returns the line of an entry. It is valid until the next call.
func (w *walker) line(i int) ([]byte, error) {
	e := w.state.At(i)
	end := e.Offset + int64(e.Len)
	if e.Offset < w.from || end > w.from+int64(len(w.window)) {
		if err := w.fill(e.Offset, end); err != nil {
			return nil, err
		}
	}
	return w.window[e.Offset-w.from : end-w.from : end-w.from], nil
}

// fill reads a range and enough around it for steps in the same direction.
func (w *walker) fill(start, end int64) error {
	near := start >= w.from-w.ahead && start <= w.from+int64(len(w.window))+w.ahead
	w.ahead = min(2*w.ahead, readAhead)
	if !near || w.ahead == 0 {
		w.ahead = readLittle
	}
	want := min(max(end-start, w.ahead), w.size)
	from := min(start, w.size-want)
	if near && start < w.from {
		from = max(0, end-want)
	}
	if int64(cap(w.window)) < want {
		w.window = make([]byte, want)
	}
	w.window, w.from = w.window[:want], from
	w.read += want
	if _, err := jsonl.ReadFull(w.r, w.window, from); err != nil {
		w.window = w.window[:0]
		return err
	}
	return nil
}
