package rpcserver_test

import (
	"io"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// residentHeap returns the size of the heap that was not returned to the system.
func residentHeap() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	var n uint64
	for _, s := range samples {
		n += s.Value.Uint64()
	}
	return n
}

// A line that is refused because of its length leaves no memory behind.
func TestRefusedLineLeavesNoMemory(t *testing.T) {
	const limit = 128 << 20
	before := residentHeap()
	in := io.MultiReader(strings.NewReader(`{"id":"`), io.LimitReader(letters{}, limit+2<<20), strings.NewReader("\"}\n"))
	var out strings.Builder
	if err := rpcserver.Serve(t.Context(), in, &out, rpcserver.Options{MaxLine: limit}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "-32700") {
		t.Errorf("the answer is %q; want a refusal", out.String())
	}
	if after := residentHeap(); after > before+limit/8 {
		t.Errorf("after a refused line of %d MB the heap has %d MB, before %d", (limit+2<<20)>>20, after>>20, before>>20)
	}
}

// letters is an endless text.
type letters struct{}

func (letters) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}
