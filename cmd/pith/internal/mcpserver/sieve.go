package mcpserver

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A sieve passes on the lines of an input that are messages, and answers the
// others itself: one bad line must not end the connection.
type sieve struct {
	in   *bufio.Reader
	out  io.Writer
	rest []byte // of the current line
}

// longest is the maximum length of a message in bytes.
const longest = 8 << 20

// Read implements io.Reader.
func (s *sieve) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		line, tooLong, err := s.line()
		switch {
		case tooLong:
			s.refuse(-32600, fmt.Sprintf("the message is longer than %d bytes", longest))
		case len(bytes.TrimSpace(line)) == 0:
		case bytes.TrimSpace(line)[0] == '[':
			s.refuse(-32600, "batches are not supported; send one message per line")
		default:
			if _, bad := jsonrpc.DecodeMessage(line); bad != nil {
				s.refuse(-32700, "the line is not a JSON-RPC 2.0 message")
			} else {
				s.rest = append(bytes.TrimRight(line, "\r\n"), '\n')
			}
		}
		if err != nil && len(s.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// line reads a line. It discards one that is too long.
func (s *sieve) line() (line []byte, tooLong bool, err error) {
	for {
		part, err := s.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > longest; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, tooLong, err
		}
	}
}

func (s *sieve) refuse(code int, text string) {
	fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, text)
}

// A lineWriter writes whole lines and is safe for concurrent use. It does not
// close its writer.
type lineWriter struct {
	mu  sync.Mutex // held while a line is written
	out io.Writer
}

// Write implements io.Writer.
func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(line)
}

// Close implements io.Closer.
func (w *lineWriter) Close() error { return nil }
