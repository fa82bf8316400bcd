package rpcserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
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

// startsMessage reports whether a line that begins so can be a message.
func startsMessage(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r")
	return len(text) == 0 || text[0] == '{' || text[0] == '['
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
		if len(l.text) == 0 && !startsMessage(part) {
			limit = min(limit, bufferSize) // it need not be held to be refused
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

// A lineWriter writes whole lines to a stream, one after another, from any number of
// goroutines.
type lineWriter struct {
	lines chan message
	stop  chan struct{}   // closed when nothing more is to be written
	done  chan struct{}   // closed when all lines are written, or the stream failed
	ended <-chan struct{} // closed when the server must not wait for the stream
}

// newLineWriter starts the goroutine that writes. It calls cancel when the stream
// fails. A write that blocks is left behind when ended is closed.
func newLineWriter(ended <-chan struct{}, w io.Writer, cancel context.CancelCauseFunc) *lineWriter {
	out := &lineWriter{lines: make(chan message, 16), stop: make(chan struct{}), done: make(chan struct{}), ended: ended}
	go func() {
		defer close(out.done)
		buffered := bufio.NewWriterSize(w, bufferSize)
		for {
			m := out.next()
			if m == nil {
				return
			}
			// A bufio.Writer remembers its first error and returns it from Flush.
			m.writeTo(func(piece []byte) { _, _ = buffered.Write(piece) })
			_ = buffered.WriteByte('\n')
			if len(out.lines) > 0 {
				continue
			}
			if err := buffered.Flush(); err != nil {
				cancel(&writeError{err})
				return
			}
		}
	}()
	return out
}

// next returns the next message to write; nil when there is none any more.
func (w *lineWriter) next() message {
	select {
	case m := <-w.lines:
		return m
	case <-w.stop:
	}
	select {
	case m := <-w.lines:
		return m
	default:
		return nil
	}
}

// A message is something that is sent as one line.
type message interface {
	// writeTo calls add with the pieces of the JSON text, in order.
	writeTo(add func(piece []byte))
}

// send writes a message as one line. It drops the message when the stream has failed
// or the server is ending.
func (w *lineWriter) send(m message) {
	select {
	case w.lines <- m:
	case <-w.done:
	case <-w.ended:
	}
}

// finish waits until everything that was sent is written.
func (w *lineWriter) finish() {
	close(w.stop)
	select {
	case <-w.done:
	case <-w.ended:
	}
}

// A writeError means that the client cannot be reached.
type writeError struct{ err error }

func (e *writeError) Error() string { return "write replies: " + e.err.Error() }
func (e *writeError) Unwrap() error { return e.err }
