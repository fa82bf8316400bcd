package rpcserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"runtime/debug"
)

// An input is one line as received, without its LF.
type input struct {
	text    []byte
	tooLong bool
	err     error // why reading ended; nil for a line, and never io.EOF
}

const bufferSize = 64 << 10

// readLines sends the lines of in, each in its own memory, and closes the
// channel at the end of in. Bytes after the last LF are a line too.
func readLines(ctx context.Context, in io.Reader, limit int) <-chan input {
	lines := make(chan input)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, bufferSize)
		for {
			l, more := nextLine(r, limit)
			if len(l.text) > 0 || l.tooLong || l.err != nil {
				select {
				case lines <- l:
				case <-ctx.Done():
					return
				}
			}
			if !more {
				return
			}
		}
	}()
	return lines
}

// nextLine reads to the next LF. It keeps at most limit bytes of a line. more
// is false at the end of the input.
func nextLine(r *bufio.Reader, limit int) (l input, more bool) {
	var parts [][]byte // a growing slice would be copied again and again
	for size := 0; ; {
		part, err := r.ReadSlice('\n')
		if size += len(part); size <= limit {
			parts = append(parts, bytes.Clone(part))
		} else if parts, l.tooLong = nil, true; size-len(part) <= limit && size > bufferSize {
			debug.FreeOSMemory() // the runtime would keep the memory of the line for minutes
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return input{err: err}, false
		}
		l.text = bytes.TrimSuffix(bytes.Join(parts, nil), []byte("\n"))
		return l, err == nil
	}
}

// A lineWriter writes whole lines to a stream. It is safe for concurrent use.
type lineWriter struct {
	lines chan [][]byte   // the pieces of each line; nil after the last
	done  chan struct{}   // closed when all lines are written or the stream failed
	ended <-chan struct{} // closed when the server must not wait for the stream
}

// newLineWriter starts the goroutine that writes. It calls cancel if the stream
// fails. A blocked write is abandoned when ended is closed.
func newLineWriter(ended <-chan struct{}, w io.Writer, cancel context.CancelCauseFunc) *lineWriter {
	out := &lineWriter{lines: make(chan [][]byte, 16), done: make(chan struct{}), ended: ended}
	go func() {
		defer close(out.done)
		buffered := bufio.NewWriterSize(w, bufferSize)
		for {
			var pieces [][]byte
			select {
			case pieces = <-out.lines:
			case <-ended:
				return
			}
			// A bufio.Writer remembers its first error and returns it from Flush.
			for _, piece := range pieces {
				_, _ = buffered.Write(piece)
			}
			if pieces != nil {
				_ = buffered.WriteByte('\n')
				if len(out.lines) > 0 {
					continue
				}
			}
			if err := buffered.Flush(); err != nil {
				cancel(&writeError{err})
				return
			}
			if pieces == nil {
				return
			}
		}
	}()
	return out
}

// send writes the pieces of a message as one line. It drops the message if the stream has
// failed or the server is ending.
func (w *lineWriter) send(pieces [][]byte) {
	select {
	case w.lines <- pieces:
	case <-w.done:
	case <-w.ended:
	}
}

// finish waits until all lines are written.
func (w *lineWriter) finish() {
	w.send(nil)
	select {
	case <-w.done:
	case <-w.ended:
	}
}

// A writeError means that the client cannot be reached.
type writeError struct{ err error }

func (e *writeError) Error() string { return "write replies: " + e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }
