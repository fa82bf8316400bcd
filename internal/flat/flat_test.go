package flat_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"unsafe"

	"github.com/pith-sessions/pith/internal/flat"
)

type pair struct {
	a int64
	b uint8
}

// written is data as a Writer made it, at an address that a Reader takes.
func written(t testing.TB, write func(*flat.Writer)) []byte {
	t.Helper()
	var b bytes.Buffer
	w := flat.NewWriter(&b)
	write(w)
	if w.Err() != nil {
		t.Fatalf("write: %v", w.Err())
	}
	return aligned(b.Bytes())
}

func aligned(p []byte) []byte {
	words := make([]uint64, len(p)/8+1)
	out := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(p))
	copy(out, p)
	return out
}

func sample(w *flat.Writer) {
	w.Int(-7)
	w.String("ab\xed\xa0\x80c") // half a surrogate pair survives
	flat.WriteList(w, []pair{{1, 2}, {3, 4}}, 5)
	flat.WriteList(w, []int32{9, 8, 7}, 0)
	w.String("")
	w.Int(3)
}

func TestRoundTrip(t *testing.T) {
	r := flat.NewReader(written(t, sample))
	if n := r.Int(); n != -7 {
		t.Errorf("Int() = %d, want -7", n)
	}
	if s := r.String(); s != "ab\xed\xa0\x80c" {
		t.Errorf("String() = %q", s)
	}
	pairs := flat.ReadList[pair](r)
	if !slices.Equal(pairs, []pair{{1, 2}, {3, 4}}) || cap(pairs) != 7 {
		t.Errorf("ReadList = %v with room for %d, want two pairs with room for 7", pairs, cap(pairs))
	}
	pairs = append(pairs, pair{5, 6}) // goes into the room, not into what follows
	if ints := flat.ReadList[int32](r); !slices.Equal(ints, []int32{9, 8, 7}) {
		t.Errorf("ReadList behind %v = %v, want 9 8 7", pairs, ints)
	}
	if s, n := r.String(), r.Index(0, 4); s != "" || n != 3 || r.Err() != nil {
		t.Errorf("String, Index = %q, %d, %v; want an empty one, 3, nil", s, n, r.Err())
	}
	if r.Int(); !errors.Is(r.Err(), flat.ErrDamaged) {
		t.Errorf("reading behind the end: %v, want ErrDamaged", r.Err())
	}
}

// No data makes the reader panic (invariant F2).
func FuzzReader(f *testing.F) {
	f.Add(written(f, sample))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := flat.NewReader(aligned(data))
		r.Int()
		_ = r.String()
		for _, p := range flat.ReadList[pair](r) {
			_ = p
		}
		flat.ReadList[int32](r)
		r.Index(-1, 9)
	})
}
