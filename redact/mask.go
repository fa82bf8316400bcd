package redact

import (
	"iter"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// MaskLine is like Line but leaves no trace in r: all its placeholders have the
// number 0. Later numbers of Line and Text do not depend on it, so a program
// may mask text that it decides not to show. Nor does it learn: see Learn.
func (r *Redactor) MaskLine(line []byte) []byte {
	out, _ := r.redact(line, jsonl.Valid(line), numberNone)
	return out
}

// MaskText is like Text but, like MaskLine, leaves no trace in r.
func (r *Redactor) MaskText(text string) string {
	out, _ := r.text(text, numberNone)
	return out
}

// Visible yields the parts of a redacted text between its placeholders, in
// order, each with its offset. It omits empty parts.
func Visible(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		start := 0
		for at := 0; ; {
			i := strings.Index(text[at:], placeholderStart)
			if i < 0 {
				break
			}
			at += i
			n := placeholderLen([]byte(text[at:min(len(text), at+longestPlaceholder)]))
			if n == 0 {
				at += len(placeholderStart)
				continue
			}
			if start < at && !yield(start, text[start:at]) {
				return
			}
			at += n
			start = at
		}
		if start < len(text) {
			yield(start, text[start:])
		}
	}
}
