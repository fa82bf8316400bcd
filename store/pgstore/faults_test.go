package pgstore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// A client killed at any moment loses nothing that was acknowledged, and the
// next one continues immediately.
func TestKilledClients(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	s := connect(t, dsn, pgstore.Options{Schema: schema})
	l := fresh(t, s, "/log", nil)
	acknowledged := map[string]int{}
	for round := range 5 {
		writer := fmt.Sprint("w", round)
		c := startRole(t, "append", dsn, schema, "/log", writer)
		n := 1 + rand.IntN(40)
		for range n {
			c.next(t)
		}
		acknowledged[writer] = n + c.kill()
	}
	found := counted(t, read(t, l))
	for writer, n := range acknowledged {
		if found[writer] != n && found[writer] != n+1 {
			t.Errorf("%s: found %d lines, %d were acknowledged; want these and at most one more", writer, found[writer], n)
		}
	}
}

// A client killed while it makes a log leaves none, and its name is free.
func TestKilledCreate(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	s := connect(t, dsn, pgstore.Options{Schema: schema})
	c := startRole(t, "fill", dsn, schema, "/log", "")
	c.next(t)
	c.kill()
	if _, err := s.Open(t.Context(), "/log"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a log that was never finished = %v; want fs.ErrNotExist", err)
	}
	if got := read(t, fresh(t, s, "/log", store.Bytes([]byte("whole")))); string(got) != "whole" {
		t.Errorf("the log holds %q; want %q", got, "whole")
	}
}

// A server that crashes while clients write loses nothing that it acknowledged.
// The clients continue when it is back, and no line is written twice.
func TestServerCrash(t *testing.T) {
	server := pgtest.Start(t, "max_connections=50")
	s := connect(t, server.DSN(), pgstore.Options{Schema: "pith", Patience: 2 * time.Minute})
	const writers = 4
	var acknowledged [writers]atomic.Int64
	var names []string
	var wg sync.WaitGroup
	stop, written := make(chan struct{}), make(chan int, 1<<20) // by whom
	for w := range writers {
		name := fmt.Sprintf("/log %d", w/2) // two writers on each
		if w%2 == 0 {
			fresh(t, s, name, nil)
			names = append(names, name)
		}
		l, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if err := persist(l, numbered(fmt.Sprint("w", w), i)); err != nil {
					t.Errorf("writer %d: %v", w, err)
					written <- w
					return
				}
				acknowledged[w].Add(1)
				written <- w
			}
		})
	}
	progress := func(n int) { // waits until each has written n more
		var more [writers]int
		for behind := writers; behind > 0 && !t.Failed(); {
			w := <-written
			if more[w]++; more[w] == n {
				behind--
			}
		}
	}
	for range 3 {
		progress(20)
		server.Crash()
		server.Start(t)
	}
	progress(20)
	close(stop)
	wg.Wait()
	server.Crash()
	server.Start(t)
	found := map[string]int{}
	for _, name := range names {
		l, err := s.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for writer, n := range counted(t, read(t, l)) {
			found[writer] += n
		}
		l.Close()
	}
	for w := range writers {
		if got, want := found[fmt.Sprint("w", w)], int(acknowledged[w].Load()); got != want {
			t.Errorf("writer %d: found %d lines; %d were acknowledged", w, got, want)
		}
	}
}

// An unreachable server is reported in time, and used again when it is back.
func TestServerGone(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	s := connect(t, server.DSN(), pgstore.Options{Schema: "pith", Patience: -1})
	l := fresh(t, s, "/log", store.Bytes([]byte("abc")))
	server.Stop()
	for call, err := range map[string]error{
		"Open":   second(s.Open(t.Context(), "/log")),
		"Size":   second(l.Size(t.Context())),
		"Append": second(l.Append(t.Context(), 3, []byte("d"))),
		"ReadAt": second(l.ReadAt(make([]byte, 1), 0)),
		"Create": second(s.Create(t.Context(), "/new", store.Bytes([]byte("x")))),
		"Remove": s.Remove(t.Context(), "/log"),
	} {
		if !errors.Is(err, pgstore.ErrUnavailable) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s without a server = %v; want ErrUnavailable", call, err)
		}
	}
	server.Start(t)
	var size int64
	err := pgstore.ErrUnavailable
	for errors.Is(err, pgstore.ErrUnavailable) { // each call finds one more connection dead
		size, err = l.Size(t.Context())
	}
	if size != 3 || err != nil {
		t.Errorf("Size when the server is back = %d, %v; want 3, nil", size, err)
	}
	if _, err := l.Append(t.Context(), 3, []byte("d")); err != nil {
		t.Errorf("Append when the server is back = %v; want nil", err)
	}
}

func second[T any](_ T, err error) error { return err }

// An append whose answer is lost is found, and not written twice.
func TestLostAnswer(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	p := startProxy(t, filepath.Join(server.Dir(), ".s.PGSQL.5432"))
	dsn := strings.Replace(server.DSN(), server.Dir(), p.dir, 1)
	s := connect(t, dsn+" sslmode=disable", pgstore.Options{Schema: "pith", Patience: time.Minute})
	tests := map[string]int{"small": 100, "in a transaction": 1 << 20}
	for name, length := range tests {
		t.Run(name, func(t *testing.T) {
			l := fresh(t, s, "/"+name, store.Bytes([]byte("abc")))
			marked := append(bytes.Repeat([]byte("x"), length), "the mark"...)
			p.cutAfter("the mark")
			if off, err := l.Append(t.Context(), 3, marked); off != 3 || err != nil {
				t.Fatalf("Append whose answer was lost = %d, %v; want 3, nil", off, err)
			}
			if !p.cut() {
				t.Fatal("no answer was lost: this test tests nothing")
			}
			if got := read(t, l); !bytes.Equal(got, append([]byte("abc"), marked...)) {
				t.Errorf("the log has %d bytes; want %d", len(got), 3+len(marked))
			}
		})
	}
	// T2: the bytes of a new log go there by INSERT … ON CONFLICT, for COPY has no such
	// thing: what is sent again is there once.
	t.Run("while a log is made", func(t *testing.T) {
		content := append(bytes.Repeat([]byte("x"), 5<<20), "the mark"...)
		p.cutAfter("the mark")
		l := fresh(t, s, "/made", store.Bytes(content))
		if !p.cut() {
			t.Fatal("no answer was lost: this test tests nothing")
		}
		if got := read(t, l); !bytes.Equal(got, content) {
			t.Errorf("the log has %d bytes; want %d", len(got), len(content))
		}
	})
	t.Run("without patience", func(t *testing.T) {
		s := connect(t, dsn+" sslmode=disable", pgstore.Options{Schema: "pith", Patience: -1})
		l := fresh(t, s, "/impatient", store.Bytes([]byte("abc")))
		p.cutAfter("the mark")
		if _, err := l.Append(t.Context(), 3, []byte("the mark")); !errors.Is(err, pgstore.ErrUncertain) || !errors.Is(err, pgstore.ErrUnavailable) {
			t.Errorf("Append whose answer was lost = %v; want ErrUncertain and ErrUnavailable", err)
		}
		if _, err := l.Append(t.Context(), 3, []byte("more")); !errors.Is(err, store.ErrConflict) {
			t.Errorf("the next Append = %v; want a conflict, for the first was written", err)
		}
	})
}

// A proxy passes bytes between clients and a server, and can lose an answer.
type proxy struct {
	dir  string
	mark atomic.Pointer[string] // what a client must send for the answer to be lost
}

func startProxy(t *testing.T, server string) *proxy {
	t.Helper()
	p := &proxy{dir: t.TempDir()}
	listener, err := net.Listen("unix", filepath.Join(p.dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			backend, err := net.Dial("unix", server)
			if err != nil {
				client.Close()
				continue
			}
			go p.pass(client, backend)
		}
	}()
	return p
}

func (p *proxy) cutAfter(mark string) { p.mark.Store(&mark) }

// cut reports whether the answer was lost.
func (p *proxy) cut() bool { return p.mark.Load() == nil }

// pass carries one connection. The client's side ends with the lost answer; the
// server's a little later, after it has executed the request.
func (p *proxy) pass(client, server net.Conn) {
	var lose atomic.Bool
	go func() {
		defer server.Close()
		buf := make([]byte, 8<<20)
		for {
			n, err := client.Read(buf)
			if mark := p.mark.Load(); mark != nil && bytes.Contains(buf[:n], []byte(*mark)) {
				lose.Store(true)
			}
			if n > 0 {
				if _, err := server.Write(buf[:n]); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	defer client.Close()
	buf := make([]byte, 1<<20)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		// An answer after which no transaction is open: what was sent is committed.
		if lose.Load() && bytes.HasSuffix(buf[:n], []byte("Z\x00\x00\x00\x05I")) {
			p.mark.Store(nil)
			return
		}
		if _, err := client.Write(buf[:n]); err != nil {
			return
		}
	}
}

// read is all that a log holds.
func read(t *testing.T, l store.Log) []byte {
	t.Helper()
	size, err := l.Size(t.Context())
	if err != nil {
		t.Fatalf("Size = %v", err)
	}
	got, err := io.ReadAll(io.NewSectionReader(l, 0, size))
	if err != nil || int64(len(got)) != size {
		t.Fatalf("reading %d bytes = %d, %v", size, len(got), err)
	}
	return got
}
