package doctor

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// checkText finds characters that cannot be sent to a model. They are left
// alone, because every program shows and sends a replacement character.
func (d *diagnosis) checkText(i int, line []byte) {
	if mayEscapeHalves(line) && jsonl.HasLoneHalf(line) {
		d.entry(LoneHalf, i, "half of a surrogate pair in the text")
	}
	if slices.ContainsFunc(line, func(c byte) bool { return c >= utf8.RuneSelf }) && !utf8.Valid(line) {
		d.entry(NotUTF8, i, "bytes that are not UTF-8")
	}
}

// mayEscapeHalves reports whether a line may contain an escape that starts with
// \ud or \uD, as those of surrogates do.
func mayEscapeHalves(line []byte) bool {
	return bytes.Contains(line, []byte(`\ud`)) || bytes.Contains(line, []byte(`\uD`))
}
