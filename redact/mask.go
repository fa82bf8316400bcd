package redact

import (
	"iter"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// MaskLine is like Line but leaves no trace in r: all its placeholders have the
// number 0. Later numbers of Line and Text do not depend on it, so a program
// may mask text that it decides not to show. Nor does it learn: see Learn.
func (r *Redactor) MaskLine(line []byte) []byte {
	out, _ := r.redact(line, jsonl.Valid(line), nil)
	return out
}

// MaskText is like Text but, like MaskLine, leaves no trace in r.
func (r *Redactor) MaskText(text string) string {
	out, _ := r.text(text, nil)
	return out
}

// Visible yields the parts of a redacted text between its placeholders, in
// order, each with its offset. It omits empty parts.
func Visible(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		start := 0
		for _, at := range placeholder.FindAllStringIndex(text, -1) {
			if start < at[0] && !yield(start, text[start:at[0]]) {
				return
			}
			start = at[1]
		}
		if start < len(text) {
			yield(start, text[start:])
		}
	}
}
