package envelope_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/internal/envelope"
)

type pair struct {
	a int64
	b uint8
}

// written is data as a Writer made it, at an address that a Reader takes.
func written(t testing.TB, write func(*envelope.FlatWriter)) []byte {
	t.Helper()
	var b bytes.Buffer
	w := envelope.NewFlatWriter(&b)
	write(w)
	if w.Err() != nil {
		t.Fatalf("write: %v", w.Err())
	}
	return aligned(b.Bytes())
}

func sample(w *envelope.FlatWriter) {
	w.Int(-7)
	w.String("ab\xed\xa0\x80c") // half a surrogate pair survives
	envelope.WriteFlatList(w, []pair{{1, 2}}, nil, []pair{{3, 4}})
	envelope.WriteFlatList(w, []int32{9, 8, 7})
	w.String("")
	w.Int(3)
}

func TestRoundTrip(t *testing.T) {
	r := envelope.NewFlatReader(written(t, sample))
	if n := r.Int(); n != -7 {
		t.Errorf("Int() = %d, want -7", n)
	}
	if s := r.String(); s != "ab\xed\xa0\x80c" {
		t.Errorf("String() = %q", s)
	}
	pairs := envelope.ReadFlatList[pair](r)
	if !slices.Equal(pairs, []pair{{1, 2}, {3, 4}}) {
		t.Errorf("ReadList = %v, want two pairs", pairs)
	}
	pairs = append(pairs, pair{5, 6}) // not into what follows
	if ints := envelope.ReadFlatList[int32](r); !slices.Equal(ints, []int32{9, 8, 7}) {
		t.Errorf("ReadList behind %v = %v, want 9 8 7", pairs, ints)
	}
	if s, n := r.String(), r.Index(0, 4); s != "" || n != 3 || r.Err() != nil {
		t.Errorf("String, Index = %q, %d, %v; want an empty one, 3, nil", s, n, r.Err())
	}
	if r.Int(); !errors.Is(r.Err(), envelope.ErrFlat) {
		t.Errorf("reading behind the end: %v, want ErrDamaged", r.Err())
	}
}

// No data makes the reader panic (invariant F2).
func FuzzReader(f *testing.F) {
	f.Add(written(f, sample))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := envelope.NewFlatReader(aligned(data))
		r.Int()
		_ = r.String()
		for _, p := range envelope.ReadFlatList[pair](r) {
			_ = p
		}
		envelope.ReadFlatList[int32](r)
		r.Index(-1, 9)
	})
}
