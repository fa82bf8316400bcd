package jsonl

import (
	"math/bits"
	"strings"
)

// windowBlocks is how many blocks are indexed at a time. A window of 2 KiB holds
// most lines whole.
const windowBlocks = 32

// text is a JSON text that is read from front to back, each string once, with
// an index of where the strings end. The zero value is ready for use; all calls
// must give the same b.
//
// Nearly all bytes of a session are inside strings. The index makes it cheap to
// skip one: no branch depends on the escapes in it, and where it ends is known
// before the reader comes to it, so that the processor can work on several
// strings at the same time.
type text struct {
	// ends has a bit for each string that was not read yet and ends in the
	// block at base: bit i if its last quote is b[base+i].
	ends uint64
	base int

	window [windowBlocks]block
	start  int // of the window, in b
	size   int // of the window, in blocks
	next   int // the block after the one at base
	carry  carry

	fault int      // where the first broken string is broken, or 0
	deep  []uint64 // see push
}

// skipString moves over the next string literal that was not skipped yet. See
// skip.go for the result.
func (t *text) skipString(b []byte) int {
	if t.ends == 0 {
		if fault := t.findEnds(b); fault < 0 {
			return fault
		}
	}
	end := t.base + bits.TrailingZeros64(t.ends) + 1
	t.ends &= t.ends - 1
	return end
}

// findEnds sets ends and base for the next block that has any ends. If there is
// none, it returns the fault of the string that does not end.
func (t *text) findEnds(b []byte) int {
	for {
		for n := t.next; n < t.size; n++ {
			if ends := t.window[n%windowBlocks].closing; ends != 0 {
				t.ends, t.base, t.next = ends, t.start+n*blockSize, n+1
				return 0
			}
		}
		if t.fault != 0 {
			return ^t.fault
		}
		if t.start += t.size * blockSize; t.start >= len(b) {
			return ^len(b)
		}
		t.fill(b)
	}
}

// fill indexes the window at start, which is in b.
func (t *text) fill(b []byte) {
	rest := b[t.start:]
	t.size, t.next = min(len(rest)/blockSize, windowBlocks), 0
	index(rest, t.window[:t.size], &t.carry)
	if rest = rest[t.size*blockSize:]; t.size < windowBlocks && len(rest) > 0 {
		last := blank
		copy(last[:], rest)
		index(last[:], t.window[t.size:t.size+1], &t.carry)
		t.size++
	}
	if t.carry.suspect != 0 {
		t.carry.suspect = 0
		t.findFault(b)
	}
}

// blank fills up a last block that is not whole. Spaces are never suspect, except
// as the letter of an escape that is cut off.
var blank = [blockSize]byte([]byte(strings.Repeat(" ", blockSize)))

// findFault looks among the suspects of the window for the first that breaks its
// string. From there on no string ends.
func (t *text) findFault(b []byte) {
	for n := range t.window[:t.size] {
		for rest := t.window[n].suspect; rest != 0; rest &= rest - 1 {
			bit := bits.TrailingZeros64(rest)
			if t.fault = faultOfSuspect(b, t.start+n*blockSize+bit); t.fault != 0 {
				t.window[n].closing &= 1<<bit - 1
				t.size = n + 1
				return
			}
		}
	}
}

// faultOfSuspect returns where the string around the suspect b[i] is broken, or 0
// if it is not: inside a string no offset is 0.
func faultOfSuspect(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	if b[i] < ' ' {
		return i
	}
	if end := skipLongEscape(b, i-1); end < 0 {
		return ^end
	}
	return 0
}
