package rpcserver_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/store/memstore"
)

// BenchmarkResults measures the large results over a session of one long chain,
// from the request to the last byte of the reply, opening included.
func BenchmarkResults(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		file := chain(n)
		path := filepath.Join(b.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			b.Fatal(err)
		}
		for _, method := range []string{"getEntries", "getTree", "buildSessionContext"} {
			b.Run(fmt.Sprintf("%s/entries=%d", method, n), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(file)))
				in := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"open","params":[%q]}`+"\n"+
					`{"jsonrpc":"2.0","id":2,"method":%q,"params":["s1"]}`, path, method)
				for b.Loop() {
					if err := rpcserver.Serve(context.Background(), strings.NewReader(in), io.Discard, rpcserver.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkAppend measures a request that is small, 1000 in one input.
func BenchmarkAppend(b *testing.B) {
	var in bytes.Buffer
	in.WriteString(`{"jsonrpc":"2.0","id":0,"method":"create","params":["/p","d"]}` + "\n")
	for i := range 1000 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"appendMessage","params":["s1",{"role":"user","content":"hello","timestamp":%d}]}`+"\n", i, i)
	}
	b.ReportAllocs()
	b.SetBytes(int64(in.Len()))
	for b.Loop() {
		if err := rpcserver.Serve(context.Background(), bytes.NewReader(in.Bytes()), io.Discard, rpcserver.Options{App: ops.App{Store: memstore.New()}}); err != nil {
			b.Fatal(err)
		}
	}
}
