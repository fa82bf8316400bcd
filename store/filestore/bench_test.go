package filestore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// BenchmarkAppend compares an append with the plain write that it contains. The
// difference is the price of the lock and the checks.
func BenchmarkAppend(b *testing.B) {
	line := append(bytes.Repeat([]byte("x"), 1023), '\n')
	b.Run("log", func(b *testing.B) { benchmarkLog(b, filestore.Options{}, line) })
	b.Run("plain", func(b *testing.B) { benchmarkPlain(b, (*os.File).Fd, line) })
	b.Run("log fsync", func(b *testing.B) { benchmarkLog(b, filestore.Options{Sync: filestore.SyncAlways}, line) })
	b.Run("plain fsync", func(b *testing.B) { benchmarkPlain(b, (*os.File).Sync, line) })
}

func benchmarkLog(b *testing.B, o filestore.Options, line []byte) {
	l, err := filestore.New(o).Create(b.Context(), filepath.Join(b.TempDir(), "log.jsonl"), store.Bytes(line))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	at := int64(len(line))
	b.SetBytes(at)
	b.ReportAllocs()
	for b.Loop() {
		off, err := l.Append(b.Context(), at, line)
		if err != nil || off != at {
			b.Fatal(off, err)
		}
		at += int64(len(line))
	}
}

func benchmarkPlain[T any](b *testing.B, after func(*os.File) T, line []byte) {
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "log.jsonl"), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		after(f)
	}
}
