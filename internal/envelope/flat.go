package envelope

// This file is the form in which tables and trees are kept: numbers, strings and
// lists one behind the other, in which lists can be used where they lie. Nothing is
// decoded and nothing is touched that nobody asks for. Lists are written as they are
// in the memory of this machine: it is for caches. Everything begins at a multiple
// of 8 bytes, if the data does. The reader checks that what it is given fits into
// the data, not that it is right: no input makes it panic or read outside the data.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// ErrFlat says that data is not what a FlatWriter wrote.
var ErrFlat = errors.New("not what was written")

const word = 8

// A FlatWriter writes to w. The first error stays, and everything after it does nothing.
type FlatWriter struct {
	w   io.Writer
	err error
}

// NewFlatWriter writes to w.
func NewFlatWriter(w io.Writer) *FlatWriter { return &FlatWriter{w: w} }

// Err is the first error of writing.
func (w *FlatWriter) Err() error { return w.err }

func (w *FlatWriter) bytes(p []byte) {
	if w.err == nil && len(p) > 0 {
		_, w.err = w.w.Write(p)
	}
}

var zeros [4096]byte

func (w *FlatWriter) zeros(n int) {
	for n > 0 && w.err == nil {
		w.bytes(zeros[:min(n, len(zeros))])
		n -= len(zeros)
	}
}

// Int writes a number.
func (w *FlatWriter) Int(n int64) {
	var b [word]byte
	binary.NativeEndian.PutUint64(b[:], uint64(n))
	w.bytes(b[:])
}

// String writes a string.
func (w *FlatWriter) String(s string) { WriteFlatList(w, []byte(s), 0) }

// WriteFlatList writes a list, and room for so many more elements that a list which
// is used where it lies can grow before it must be copied. T must hold no pointers.
func WriteFlatList[T any](w *FlatWriter, list []T, room int) {
	w.Int(int64(len(list)))
	w.Int(int64(room))
	size := int(sizeOf[T]())
	w.bytes(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*size))
	w.zeros(padded((len(list)+room)*size) - len(list)*size)
}

// sizeOf is how many bytes a T takes in memory.
func sizeOf[T any]() int64 { return int64(unsafe.Sizeof(*new(T))) }

// stringOf returns bytes that never change as a string, without a copy.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func padded(n int) int { return (n + word - 1) / word * word }

// A FlatReader reads what a FlatWriter wrote, in the same order. The first error stays,
// and everything after it is zero.
type FlatReader struct {
	data []byte
	err  error
}

// NewFlatReader reads data, which must begin at a multiple of 8 in memory and is used
// by the lists that are read from it.
func NewFlatReader(data []byte) *FlatReader {
	r := &FlatReader{data: data}
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%word != 0 {
		r.fail("data that is not aligned")
	}
	return r
}

// Err is the first error of reading. It matches ErrFlat.
func (r *FlatReader) Err() error { return r.err }

func (r *FlatReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrFlat, what)
	}
	r.data = nil
}

// Check fails the reader unless what it has read so far is as it must be.
func (r *FlatReader) Check(ok bool, what string) {
	if !ok {
		r.fail(what)
	}
}

// Int reads a number.
func (r *FlatReader) Int() int64 {
	if len(r.data) < word {
		r.fail("the data ends too early")
		return 0
	}
	n := binary.NativeEndian.Uint64(r.data)
	r.data = r.data[word:]
	return int64(n)
}

// Index reads a number that must be in [low, high).
func (r *FlatReader) Index(low, high int) int {
	n := r.Int()
	if n < int64(low) || n >= int64(high) {
		r.fail("a number that is out of range")
		return low
	}
	return int(n)
}

// Count reads how many things follow, each of which takes some data.
func (r *FlatReader) Count() int { return r.Index(0, len(r.data)/word) }

// String reads a string. It is a copy.
func (r *FlatReader) String() string { return string(ReadFlatList[byte](r)) }

// ReadFlatList reads a list. It lies in the data, and so does its room for more.
func ReadFlatList[T any](r *FlatReader) []T {
	count, room := r.Int(), r.Int()
	size := sizeOf[T]()
	most := int64(len(r.data)) / size
	if count < 0 || room < 0 || count > most || room > most-count || int64(padded(int((count+room)*size))) > int64(len(r.data)) {
		r.fail("a list that is longer than the data")
		return nil
	}
	list := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(r.data))), int(count+room))
	r.data = r.data[padded(int((count+room)*size)):]
	if count+room == 0 {
		return nil
	}
	return list[:count]
}
