package sources

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
)

// Lines calls each for the lines of a file with their offsets. The bytes are valid
// until each returns. A last line without its line feed is one that the program is
// still writing; it is left for the next time.
func Lines(ctx context.Context, path string, each func(offset int64, line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return LinesOf(ctx, f, each)
}

// LinesOf is Lines of what a reader gives.
func LinesOf(ctx context.Context, in io.Reader, each func(offset int64, line []byte) error) error {
	buf := bufio.NewReaderSize(in, 1<<20)
	var long []byte
	var offset int64
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, err := buf.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long[:0], line...)
			for errors.Is(err, bufio.ErrBufferFull) && ctx.Err() == nil {
				line, err = buf.ReadSlice('\n')
				long = append(long, line...)
			}
			line = long
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
		offset += int64(len(line))
	}
}
