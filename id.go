package pith

import (
	"crypto/rand"
	"encoding/hex"
)

// newEntryID makes the eight hex digits that pi's entries have, and falls back
// to a longer id in the unlikely case that none is free.
func newEntryID(taken func(string) bool) string {
	var b [16]byte
	for range 100 {
		fill(b[:4])
		if id := hex.EncodeToString(b[:4]); !taken(id) {
			return id
		}
	}
	fill(b[:])
	return hex.EncodeToString(b[:])
}

// fill never fails: crypto/rand ends the process if the system has no randomness.
func fill(b []byte) { _, _ = rand.Read(b) }
