package settings

import (
	"bytes"
	"fmt"
)

// A Warning describes a problem in a file: what, where, and what to do about
// it.
type Warning struct {
	File string
	// Line and Column are its position, from 1, the column in bytes. Both are 0
	// if it concerns the whole file.
	Line, Column int
	Offset       int64 // of the byte in the file
	// Text is a sentence. It may quote the file, so it must be escaped before
	// it is shown in a terminal.
	Text string
}

func (w Warning) String() string {
	if w.Line == 0 {
		return w.File + ": " + w.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", w.File, w.Line, w.Column, w.Text)
}

// warningAt returns a warning about a byte of a file.
func warningAt(path string, data []byte, offset int, text string) Warning {
	before := data[:min(offset, len(data))]
	return Warning{
		File: path, Offset: int64(offset), Text: text,
		Line: bytes.Count(before, []byte{'\n'}) + 1, Column: len(before) - bytes.LastIndexByte(before, '\n'),
	}
}
