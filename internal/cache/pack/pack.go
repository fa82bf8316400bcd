// Package pack encodes a sequence of values as bytes and decodes it. Types are
// not stored: the reader must read the same types in the same order. Numbers
// are written by package encoding/binary, as uvarints and varints.
package pack

import (
	"encoding/binary"
	"errors"
)

// ErrMalformed means that the data was not written by this package.
var ErrMalformed = errors.New("corrupt packed data")

// AppendString appends a string.
func AppendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// AppendBool appends a bool.
func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// A Reader decodes values. Its strings share memory with the given text. After
// an error it returns zero values, and Done returns the error.
type Reader struct {
	text string
	bad  bool
}

// NewReader returns a reader of encoded values.
func NewReader(text string) Reader { return Reader{text: text} }

// Len returns the number of remaining bytes.
func (d *Reader) Len() int { return len(d.text) }

// Take returns the next n bytes.
func (d *Reader) Take(n int) string {
	if n > len(d.text) {
		d.text, d.bad = "", true
		return ""
	}
	out := d.text[:n]
	d.text = d.text[n:]
	return out
}

// Byte reads a byte.
func (d *Reader) Byte() byte {
	if b := d.Take(1); b != "" {
		return b[0]
	}
	return 0
}

// Bool reads a value written by AppendBool.
func (d *Reader) Bool() bool { return d.Byte() != 0 }

// Fixed reads a little-endian number of eight bytes.
func (d *Reader) Fixed() uint64 {
	b := d.Take(8)
	var v uint64
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

// Uint reads a uvarint.
func (d *Reader) Uint() uint64 {
	text := d.text
	if len(text) > 0 && text[0] < 0x80 {
		d.text = text[1:]
		return uint64(text[0])
	}
	var v uint64
	for i := 0; i < len(text) && i < binary.MaxVarintLen64; i++ {
		b := text[i]
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			d.text = text[i+1:]
			return v
		}
	}
	d.text, d.bad = "", true
	return 0
}

// Int reads a varint.
func (d *Reader) Int() int64 {
	v := d.Uint()
	return int64(v>>1) ^ -int64(v&1)
}

// String reads a value written by AppendString.
func (d *Reader) String() string {
	n := d.Uint()
	if n > uint64(len(d.text)) {
		d.text, d.bad = "", true
		return ""
	}
	return d.Take(int(n))
}

// Done returns ErrMalformed if an error occurred or if data remains.
func (d *Reader) Done() error {
	if d.bad || len(d.text) > 0 {
		return ErrMalformed
	}
	return nil
}
