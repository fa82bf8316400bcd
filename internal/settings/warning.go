package settings

import (
	"bytes"
	"fmt"
)

// A Warning is something wrong in a file: what, where, and what to do about it.
type Warning struct {
	File string
	// Line and Column are where it is, from 1, the column in bytes. Both are 0 when
	// it is about the whole file.
	Line, Column int
	Offset       int64 // of the byte in the file
	// Text is a sentence. It may quote the file, so it is to be made harmless
	// before a terminal shows it.
	Text string
}

func (w Warning) String() string {
	if w.Line == 0 {
		return w.File + ": " + w.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", w.File, w.Line, w.Column, w.Text)
}

// warningAt is a warning about a byte of a file.
func warningAt(path string, data []byte, offset int, text string) Warning {
	before := data[:min(offset, len(data))]
	return Warning{
		File: path, Offset: int64(offset), Text: text,
		Line: bytes.Count(before, []byte{'\n'}) + 1, Column: len(before) - bytes.LastIndexByte(before, '\n'),
	}
}
