package format

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// lineIDLength is the length of the ids that pi makes.
const lineIDLength = 8

// LineID makes an id for an entry that was written without one. It depends on
// nothing but the session, the position and the line, so that an old file shows
// the same ids each time it is opened and keeps them when it is migrated. index
// counts the parsed lines of the file, the header being 0. When taken reports that
// an id is in use the next eight digits of the hash are tried, and after those of
// many hashes a whole one is taken; taken may be nil.
func LineID(sessionID string, index int, line []byte, taken func(id string) bool) string {
	h := sha256.New()
	h.Write([]byte(sessionID))
	var position [9]byte // the leading zero byte ends the session id
	binary.BigEndian.PutUint64(position[1:], uint64(index))
	h.Write(position[:])
	h.Write(line)
	sum := h.Sum(nil)
	for range 64 {
		digits := hex.EncodeToString(sum)
		for ; len(digits) >= lineIDLength; digits = digits[lineIDLength:] {
			if id := digits[:lineIDLength]; taken == nil || !taken(id) {
				return id
			}
		}
		next := sha256.Sum256(sum)
		sum = next[:]
	}
	return hex.EncodeToString(sum)
}
