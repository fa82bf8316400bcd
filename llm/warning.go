package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pith-sessions/pith/internal/smallfile"
)

// A Warning describes a problem in a file and how to fix it. It quotes nothing
// of the file, which contains keys.
type Warning struct {
	File string
	Line int // 1-based; 0 for the whole file
	Text string
}

func (w Warning) String() string {
	if w.Line == 0 {
		return w.File + ": " + w.Text
	}
	return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Text)
}

// maxFile is the largest file to read. Neither a person nor pi writes larger
// ones.
const maxFile = 8 << 20

// readObject reads a JSON object from a file, with line comments and trailing
// commas, as pi allows them. A missing or empty file is an empty object.
func readObject(path string) (map[string]json.RawMessage, *Warning) {
	data, err := smallfile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &Warning{File: path, Text: fmt.Sprintf("cannot read this file: %v; ignoring it", err)}
	}
	text := withoutComments(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	var object map[string]json.RawMessage
	err = json.Unmarshal(text, &object)
	if err == nil && object != nil {
		return object, nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := text[:min(int(syntax.Offset), len(text))]
		return nil, &Warning{File: path, Line: bytes.Count(before, []byte("\n")) + 1, Text: "invalid JSON; ignoring this file"}
	}
	return nil, &Warning{File: path, Text: "not a JSON object; ignoring this file"}
}

// withoutComments blanks line comments and the commas before a closing bracket,
// so that offsets do not change.
func withoutComments(text []byte) []byte {
	out := bytes.Clone(text)
	comma := -1 // the last comma, if only white space followed it
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			i = endOfString(out, i)
			comma = -1
		case c == '/' && i+1 < len(out) && out[i+1] == '/':
			for i < len(out) && out[i] != '\n' {
				out[i] = ' '
				i++
			}
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}

// endOfString returns the index of the quote that closes the string at i.
func endOfString(text []byte, i int) int {
	for i++; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
