package rpcserver

import (
	"bufio"
	"context"
	"errors"
	"io"
	"sync"
)

// A line is one message as it came, without its LF.
type line struct {
	text    []byte
	tooLong bool
	err     error // why reading ended; nil for a line, and never io.EOF
}

// bufferSize is how much is read or written at once.
const bufferSize = 64 << 10

// readLines sends the lines of in, each in memory of its own, and closes the
// channel at the end of in. What follows the last LF is a line too.
func readLines(ctx context.Context, in io.Reader, limit int) <-chan line {
	lines := make(chan line)
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

// nextLine reads to the next LF. It keeps no more than limit bytes of a line
// that is longer. more is false at the end of the input.
func nextLine(r *bufio.Reader, limit int) (l line, more bool) {
	for {
		part, err := r.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		if len(l.text)+len(part) > limit {
			l.text, l.tooLong = nil, true
		}
		if !l.tooLong {
			l.text = append(l.text, part...)
		}
		switch {
		case ended:
			return l, true
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return l, false
		default:
			return line{err: err}, false
		}
	}
}

// A lineWriter writes whole lines to a stream, one after the other, from any
// number of goroutines.
type lineWriter struct {
	cancel context.CancelCauseFunc // told when the stream fails

	mu     sync.Mutex // guards w and failed
	w      *bufio.Writer
	failed bool
}

func newLineWriter(w io.Writer, cancel context.CancelCauseFunc) *lineWriter {
	return &lineWriter{cancel: cancel, w: bufio.NewWriterSize(w, bufferSize)}
}

// A message is something that is sent as one line.
type message interface {
	// writeTo calls add with the pieces of the JSON text, in order.
	writeTo(add func(piece []byte))
}

// send writes a message as one line. After the stream has failed it does
// nothing: nobody is listening.
func (w *lineWriter) send(m message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed {
		return
	}
	// A bufio.Writer remembers its first error and returns it from Flush.
	m.writeTo(func(piece []byte) { _, _ = w.w.Write(piece) })
	_ = w.w.WriteByte('\n')
	if err := w.w.Flush(); err != nil {
		w.failed = true
		w.cancel(&writeError{err})
	}
}

// A writeError means that the client cannot be reached.
type writeError struct{ err error }

func (e *writeError) Error() string { return "write replies: " + e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }
