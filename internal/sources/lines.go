package sources

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/smallfile"
)

// Lines calls each for the lines of a file with their offsets. The bytes are
// valid until each returns. A last line without a line feed is still being
// written and is left for the next time.
func Lines(ctx context.Context, path string, each func(offset int64, line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return LinesOf(ctx, f, each)
}

// Objects calls each for the lines of a file that are JSON objects, with their
// offsets. Each object has its own memory.
func Objects(ctx context.Context, path string, each func(offset int64, o Object)) error {
	return Lines(ctx, path, func(offset int64, line []byte) error {
		if jsonl.Valid(line) && jsonl.KindOf(line) == '{' {
			each(offset, bytes.Clone(line))
		}
		return nil
	})
}

// MostLine is the maximum length of a line that is read completely.
const MostLine = 32 << 20

// LongKind is the kind of the line that replaces one that is too long. Like
// every unknown kind it becomes an entry, so that the session shows what is
// missing.
const LongKind = "pith-long-line"

// readers are the buffers of LinesOf. Most sessions are much smaller than one,
// and allocating one for each session takes longer than reading it.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 1<<20) }}

// LinesOf is like Lines for a reader. A line over 32 MB is replaced by a short
// one with its offset and size.
func LinesOf(ctx context.Context, in io.Reader, each func(offset int64, line []byte) error) error {
	buf := readers.Get().(*bufio.Reader)
	buf.Reset(in)
	defer func() {
		buf.Reset(nil)
		readers.Put(buf)
	}()
	var long []byte
	var offset int64
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var skipped int64
		line, err := buf.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			size := int64(len(line))
			long = append(long[:0], line...)
			for errors.Is(err, bufio.ErrBufferFull) && ctx.Err() == nil {
				line, err = buf.ReadSlice('\n')
				if size += int64(len(line)); size <= MostLine {
					long = append(long, line...)
				} else {
					long = nil
				}
			}
			if line = long; size > MostLine && err == nil {
				line = fmt.Appendf(nil, `{"type":%q,"offset":%d,"size":%d}`+"\n", LongKind, offset, size)
				skipped = size - int64(len(line))
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := each(offset, line[:len(line)-1]); err != nil {
			return err
		}
		offset += int64(len(line)) + skipped
	}
}

// mostSmall is the size of the largest file that ReadFile reads.
const mostSmall = 16 << 20

// ReadFile reads a small file that a program stores next to its sessions. It
// returns an error for a large file and for a pipe, which would block.
func ReadFile(path string) ([]byte, error) {
	return smallfile.Read(path, mostSmall)
}
