package transcript

import (
	"bytes"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// sendable returns raw with every character that cannot be sent replaced by
// U+FFFD: the escape of an unpaired surrogate, which UTF-8 cannot express, and
// bytes that are not UTF-8 (pitfall 19). Other bytes stay. If there is nothing
// to replace, the result is raw itself.
func sendable(raw []byte) ([]byte, bool) {
	out := jsonl.Decoded(joinedHalves(raw))
	return out, len(out) > 0 && &out[0] != &raw[0]
}

// joinedHalves replaces unpaired surrogates. A replacement has the same length
// as the original.
func joinedHalves(raw []byte) []byte {
	if !jsonl.HasLoneHalf(raw) {
		return raw
	}
	out := bytes.Clone(raw)
	for i := jsonl.NextLoneHalf(raw, 0); i >= 0; i = jsonl.NextLoneHalf(raw, i+6) {
		copy(out[i+2:], "fffd")
	}
	return out
}
