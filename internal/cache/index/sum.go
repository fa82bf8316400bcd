package index

import (
	"encoding/binary"
	"hash/crc32"
)

// Values are stored with a checksum, because SQLite does not notice a changed
// byte within a row. The checksum covers the name of the value, so that a
// value that ends up under another name is noticed too.

const sumSize = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(name string, value []byte) uint32 {
	return crc32.Update(crc32.Checksum([]byte(name), castagnoli), castagnoli, value)
}

// withSum returns a copy of a value with its checksum appended.
func withSum(name string, value []byte) []byte {
	b := append(make([]byte, 0, len(value)+sumSize), value...)
	return binary.LittleEndian.AppendUint32(b, sumOf(name, value))
}

// checked returns the value that was given to withSum under the same name; ok
// is false for anything else.
func checked(name string, b []byte) (value []byte, ok bool) {
	n := len(b) - sumSize
	if n < 0 {
		return nil, false
	}
	return b[:n], binary.LittleEndian.Uint32(b[n:]) == sumOf(name, b[:n])
}
