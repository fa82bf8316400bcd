package doctor

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// For any sequence of edits, reading any range gives the same as writing
// everything out.
func TestAnyEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		below := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "log")
		log := newPatched(bytes.NewReader(below))
		var want []byte
		at := 0
		for range rapid.IntRange(0, 20).Draw(t, "edits") {
			next := rapid.IntRange(at, len(below)).Draw(t, "next")
			own := rapid.SliceOfN(rapid.Byte(), 0, 10).Draw(t, "own")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				log.Keep(int64(at), int64(next))
				want = append(want, below[at:next]...)
			case 1:
				log.Put(own)
				want = append(want, own...)
				next = at
			case 2:
				line := append(append([]byte(nil), below[at:next]...), own...)
				log.Replace(int64(at), below[at:next], line)
				want = append(want, line...)
			case 3: // left out
			}
			at = next
		}
		if log.Size() != int64(len(want)) {
			t.Fatalf("Size() = %d, want %d", log.Size(), len(want))
		}
		var all bytes.Buffer
		if n, err := log.WriteTo(&all); err != nil || n != int64(len(want)) || !bytes.Equal(all.Bytes(), want) {
			t.Fatalf("WriteTo = %q, %v; want %q", all.Bytes(), err, want)
		}
		off := rapid.IntRange(0, len(want)+2).Draw(t, "off")
		buf := make([]byte, rapid.IntRange(0, 50).Draw(t, "len"))
		n, err := log.ReadAt(buf, int64(off))
		rest := want[min(off, len(want)):]
		if !bytes.Equal(buf[:n], rest[:min(len(rest), len(buf))]) || (n < len(buf)) != errors.Is(err, io.EOF) && len(buf) > 0 {
			t.Fatalf("ReadAt(%d bytes, %d) = %q, %v; want %q", len(buf), off, buf[:n], err, rest[:min(len(rest), len(buf))])
		}
	})
}

// Only what differs is kept in memory.
func TestReplaceKeepsWhatIsAlike(t *testing.T) {
	old := strings.Repeat("x", 1<<20) + "}"
	line := strings.Repeat("x", 1<<20) + `,"id":"a"}`
	counted := &counter{r: strings.NewReader(old)}
	log := newPatched(counted)
	log.Replace(0, []byte(old), []byte(line))
	got := make([]byte, 9)
	if _, err := log.ReadAt(got, 1<<20); err != nil || string(got) != `,"id":"a"` {
		t.Fatalf("ReadAt = %q, %v", got, err)
	}
	if counted.n != 0 {
		t.Errorf("%d bytes of the log were read for what is not in it", counted.n)
	}
}

// A log that was cut short is an error, not a shorter result.
func TestCutLog(t *testing.T) {
	log := newPatched(strings.NewReader("abc"))
	log.Keep(0, 10)
	if _, err := log.ReadAt(make([]byte, 10), 0); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("ReadAt of a log that was cut = %v, want io.ErrUnexpectedEOF", err)
	}
}

type counter struct {
	r io.ReaderAt
	n int
}

func (c *counter) ReadAt(b []byte, off int64) (int, error) {
	c.n += len(b)
	return c.r.ReadAt(b, off)
}

// A read does not read the bytes between two pieces that are far apart.
func TestPiecesFarApart(t *testing.T) {
	const gap = 8 << 20
	below := append(append([]byte("before"), make([]byte, gap)...), "behind"...)
	log := &counter{r: bytes.NewReader(below)}
	p := newPatched(log)
	p.Put([]byte("<"))
	p.Keep(0, 6)
	p.Put([]byte("|"))
	p.Keep(6+gap, int64(len(below)))
	p.Put([]byte(">"))
	got := make([]byte, p.Size())
	if _, err := p.ReadAt(got, 0); err != nil || string(got) != "<before|behind>" {
		t.Errorf("ReadAt = %q, %v", got, err)
	}
	if log.n > 100 {
		t.Errorf("%d bytes were read below; want about 12", log.n)
	}
}
