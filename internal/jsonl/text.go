package jsonl

import "math/bits"

// A text is a JSON text that is read from front to back, each string once, with
// an index of the ends of strings. The zero value is ready to use; all calls
// must pass the same b.
//
// Nearly all bytes of a session are inside strings. The index makes skipping
// one cheap: no branch depends on the escapes in it, and its end is known
// before the reader comes to it, so that the processor can work on several
// strings at the same time.
type text struct {
	window
	start int // of the window, in b
	next  int // index of the next string of the window to read

	fault int      // offset of the first fault in a string, or 0
	deep  []uint64 // see push
}

// skipString moves over the next string literal that was not skipped yet. See
// skip.go for the result.
func (t *text) skipString(b []byte) int {
	if t.next >= t.count {
		if fault := t.findEnds(b); fault < 0 {
			return fault
		}
	}
	t.next++
	return t.end(t.next - 1)
}

// end returns the offset in the text at which the n-th string of the window
// ends. n must be less than count: the remainder only avoids a bounds check.
func (t *text) end(n int) int { return t.start + int(t.ends[n&(endsRoom-1)]) }

// findEnds moves the window to the next part in which strings end. If there is
// none, it returns the fault of the string that does not end.
func (t *text) findEnds(b []byte) int {
	for {
		if t.fault != 0 {
			return ^t.fault
		}
		if t.start += t.blocks * blockSize; t.start >= len(b) {
			return ^len(b)
		}
		index(b, t.start, &t.window)
		if t.suspects != 0 {
			t.findFault(b)
		}
		if t.count > 0 {
			t.next = 0
			return 0
		}
	}
}

// findFault looks in the suspects of the window for the first that breaks its
// string. From there on no string ends.
func (t *text) findFault(b []byte) {
	for blocks := t.suspects; blocks != 0; blocks &= blocks - 1 {
		n := bits.TrailingZeros64(blocks)
		for rest := t.suspect[n%windowBlocks]; rest != 0; rest &= rest - 1 {
			at := n*blockSize + bits.TrailingZeros64(rest)
			if t.fault = faultOfSuspect(b, t.start+at); t.fault != 0 {
				for t.count > 0 && int(t.ends[t.count-1]) > at {
					t.count--
				}
				return
			}
		}
	}
}

// faultOfSuspect returns the offset of the fault at the suspect b[i], or 0 if
// there is none: inside a string no offset is 0.
func faultOfSuspect(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	if b[i] < ' ' {
		return i
	}
	if end := skipEscape(b, i-1); end < 0 {
		return ^end
	}
	return 0
}
