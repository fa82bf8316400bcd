package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/smallfile"
)

// maxSize is the maximum size of a file. Settings are written by hand, so a
// larger file is something else.
const maxSize = 1 << 20

// A document is a file that contains a JSON object.
type document struct {
	file
	data []byte // the whole file
	root value
}

// load reads a file. A missing or empty file returns neither a document nor a
// warning.
func load(f file) (*document, *Warning) {
	if f.path == "" {
		return nil, nil
	}
	data, err := smallfile.Read(f.path, maxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &Warning{File: f.path, Text: fmt.Sprintf("cannot read this file: %v; ignoring it", err)}
	}
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	start := len(data) - len(text)
	shape, at := jsonl.Check(text)
	switch shape {
	case jsonl.Invalid:
		what := "invalid JSON"
		if at >= len(text) {
			what = "invalid JSON: unexpected end"
		}
		w := warningAt(f.path, data, start+at, what+"; ignoring this file")
		return nil, &w
	case jsonl.Other:
		w := warningAt(f.path, data, start, "not a JSON object; ignoring this file")
		return nil, &w
	}
	return &document{file: f, data: data, root: value{raw: text, at: start}}, nil
}
