package move

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A header is the header line of a session, with its offset in the file.
type header struct {
	at   int64
	line []byte // without its line ending
}

func (h *header) end() int64 { return h.at + int64(len(h.line)) }

var (
	errNoHeader = errors.New("its header is not on its own line; repair the file first")

	byteOrderMark = []byte("\xef\xbb\xbf")
)

// mostBefore is the part of a file in which its header is searched.
const mostBefore = 16 << 20

// findHeader finds the header, after any unreadable lines.
func findHeader(r io.ReaderAt, size int64) (*header, error) {
	in := bufio.NewReader(io.NewSectionReader(r, 0, min(size, mostBefore)))
	for at := int64(0); ; {
		line, err := in.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			return nil, errNoHeader
		}
		h := &header{at, bytes.TrimSuffix(line, []byte{'\n'})}
		if at == 0 && bytes.HasPrefix(h.line, byteOrderMark) {
			h.at, h.line = int64(len(byteOrderMark)), h.line[len(byteOrderMark):]
		}
		if jsonl.KindOf(h.line) == '{' && jsonl.Valid(h.line) {
			if jsonl.LookupString(h.line, "type") == string(format.TypeSession) {
				return h, nil
			}
			return nil, errNoHeader // an entry before the header
		}
		at += int64(len(line))
	}
}

// with returns the header with another working directory and another parent; ""
// leaves either unchanged.
func (h *header) with(cwd, parent string) ([]byte, error) {
	line := h.line
	for _, m := range []struct{ name, value string }{{"cwd", cwd}, {"parentSession", parent}} {
		if m.value == "" {
			continue
		}
		changed, ok := jsonl.SetIn(line, jsonl.AppendString(nil, m.value), m.name)
		if !ok && m.name == "cwd" {
			return nil, fmt.Errorf("its header has no field %s", m.name)
		}
		line = changed // a parent under another member name is found by its id
	}
	return line, nil
}
