package index

import (
	"encoding/binary"
	"hash/crc32"
)

// The database has no sums of its own: a bit that turned in a page comes out as
// it is. So each value has one, which also ties it to the path that it is about.

// Sealed is a value with its sum behind it.
func Sealed(path string, value []byte) []byte {
	return binary.LittleEndian.AppendUint32(value, sumOf(path, value))
}

// Unsealed is the value that was sealed; ok is false for anything else.
func Unsealed(path string, b []byte) (value []byte, ok bool) {
	n := len(b) - 4
	if n < 0 || binary.LittleEndian.Uint32(b[n:]) != sumOf(path, b[:n]) {
		return nil, false
	}
	return b[:n], true
}

func sumOf(path string, value []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte(path)), crc32.IEEETable, value)
}
