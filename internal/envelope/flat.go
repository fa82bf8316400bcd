package envelope

// This file defines the form in which tables and trees are stored: consecutive
// numbers, strings and lists, where lists can be used in place. Nothing is
// decoded, and only requested data is touched. Lists have the memory layout of
// this machine, because the form is for caches. Every item is aligned to a
// multiple of 8 bytes if the data is. The reader checks that items fit into the
// data, not that they are correct: no input makes it panic or read outside the
// data.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unsafe"
)

// ErrFlat means that data was not written by a FlatWriter.
var ErrFlat = errors.New("corrupt data")

const word = 8

// A FlatWriter writes to w. After the first error all writes do nothing.
type FlatWriter struct {
	w   io.Writer
	err error
}

// NewFlatWriter returns a FlatWriter that writes to w.
func NewFlatWriter(w io.Writer) *FlatWriter { return &FlatWriter{w: w} }

// Err returns the first write error.
func (w *FlatWriter) Err() error { return w.err }

func (w *FlatWriter) bytes(p []byte) {
	if w.err == nil && len(p) > 0 {
		_, w.err = w.w.Write(p)
	}
}

// Int writes a number.
func (w *FlatWriter) Int(n int64) {
	var b [word]byte
	binary.NativeEndian.PutUint64(b[:], uint64(n))
	w.bytes(b[:])
}

// String writes a string.
func (w *FlatWriter) String(s string) { WriteFlatList(w, []byte(s)) }

// WriteFlatList writes a list, given in pieces. T must contain no pointers.
func WriteFlatList[T any](w *FlatWriter, pieces ...[]T) {
	count, size := 0, int(sizeOf[T]())
	for _, list := range pieces {
		count += len(list)
	}
	w.Int(int64(count))
	for _, list := range pieces {
		w.bytes(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*size))
	}
	var zeros [word]byte
	w.bytes(zeros[:padded(count*size)-count*size])
}

func sizeOf[T any]() int64 { return int64(unsafe.Sizeof(*new(T))) }

// stringOf returns bytes that never change as a string, without a copy.
func stringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func padded(n int) int { return (n + word - 1) / word * word }

// A FlatReader reads the output of a FlatWriter, in the same order. After the
// first error it returns zero values.
type FlatReader struct {
	data []byte
	err  error
}

// NewFlatReader returns a reader of data, which must be aligned to a multiple
// of 8 in memory. The lists that are read share its memory.
func NewFlatReader(data []byte) *FlatReader {
	r := &FlatReader{data: data}
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%word != 0 {
		r.fail("data that is not aligned")
	}
	return r
}

// Err returns the first read error. It matches ErrFlat.
func (r *FlatReader) Err() error { return r.err }

func (r *FlatReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrFlat, what)
	}
	r.data = nil
}

// Check sets the error unless ok is true.
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

// Count reads the number of items that follow, each of which takes some data.
func (r *FlatReader) Count() int { return r.Index(0, len(r.data)/word) }

// String reads a string. It returns a copy.
func (r *FlatReader) String() string { return string(ReadFlatList[byte](r)) }

// ReadFlatList reads a list. It shares the memory of the data.
func ReadFlatList[T any](r *FlatReader) []T {
	count := r.Int()
	size := sizeOf[T]()
	if count < 0 || count > int64(len(r.data))/size || int64(padded(int(count*size))) > int64(len(r.data)) {
		r.fail("a list that is longer than the data")
		return nil
	}
	if count == 0 {
		return nil
	}
	list := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(r.data))), int(count))
	r.data = r.data[padded(int(count*size)):]
	return list
}
