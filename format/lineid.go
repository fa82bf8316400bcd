package format

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// lineIDLength is the length of the ids that pi generates.
const lineIDLength = 8

// LineID returns an id for an entry that was written without one. It depends
// only on the session, the position and the line, so an old file shows the same
// ids on each open and keeps them when it is migrated. index is the index of
// the line in the parsed lines of the file; the header is 0. If taken reports
// that an id is in use, LineID tries the next eight digits of the hash and,
// after many hashes, returns a whole one. taken may be nil.
func LineID(sessionID string, index int, line []byte, taken func(id string) bool) string {
	h := sha256.New()
	h.Write([]byte(sessionID))
	var position [9]byte // the leading zero byte terminates the session id
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
