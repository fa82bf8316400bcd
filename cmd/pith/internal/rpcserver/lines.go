package rpcserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"runtime/debug"
)

// A line is one message as received, without its LF.
type line struct {
	text    []byte
	tooLong bool
	err     error // why reading ended; nil for a line, and never io.EOF
}

const bufferSize = 64 << 10

// readLines sends the lines of in, each in its own memory, and closes the
// channel at the end of in. Bytes after the last LF are a line too.
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

// startsMessage reports whether a line with this beginning can be a message.
func startsMessage(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r")
	return len(text) == 0 || text[0] == '{' || text[0] == '['
}

// nextLine reads to the next LF. It keeps at most limit bytes of a line. more
// is false at the end of the input.
func nextLine(r *bufio.Reader, limit int) (l line, more bool) {
	var parts [][]byte // a growing slice would be copied again and again
	size := 0
	for {
		part, err := r.ReadSlice('\n')
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		if size == 0 && !startsMessage(part) {
			limit = min(limit, bufferSize) // a line that will be rejected need not be kept
		}
		if size+len(part) > limit && !l.tooLong {
			parts, l.tooLong = nil, true
			if size > bufferSize {
				debug.FreeOSMemory() // the runtime would keep the memory of the line for minutes
			}
		}
		if !l.tooLong {
			parts = append(parts, bytes.Clone(part))
			size += len(part)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if !ended && !errors.Is(err, io.EOF) {
			return line{err: err}, false
		}
		if len(parts) == 1 {
			l.text = parts[0]
		} else {
			l.text = bytes.Join(parts, nil)
		}
		return l, ended
	}
}

// A lineWriter writes whole lines to a stream. It is safe for concurrent use.
type lineWriter struct {
	lines chan message
	stop  chan struct{}   // closed after the last line was sent
	done  chan struct{}   // closed when all lines are written or the stream failed
	ended <-chan struct{} // closed when the server must not wait for the stream
}

// newLineWriter starts the goroutine that writes. It calls cancel if the stream
// fails. A blocked write is abandoned when ended is closed.
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

// next returns the next message to write; nil at the end.
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

// A message is sent as one line.
type message interface {
	// writeTo calls add with the pieces of the JSON text, in order.
	writeTo(add func(piece []byte))
}

// send writes a message as one line. It drops the message if the stream has
// failed or the server is ending.
func (w *lineWriter) send(m message) {
	select {
	case w.lines <- m:
	case <-w.done:
	case <-w.ended:
	}
}

// finish waits until all lines are written.
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
