package jsonl

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// The limits of a Condenser, in bytes.
const (
	// condensedElements is the size of the result from which on elements of
	// lists are left out, and condensedMost the same for members.
	condensedElements = 1 << 20
	condensedMost     = 2 << 20
	// condensedString is the number of bytes of a string that are kept, and
	// condensedShort the same once the result has that size.
	condensedString = 512 << 10
	condensedShort  = 1 << 10
	// condensedWord is the maximum length of a word that is removed at the end
	// of a cut string.
	condensedWord = 4 << 10
	// condensedNumber is the maximum length of a number. A longer one becomes
	// 0.
	condensedNumber = 64
	// condensedDepth is the maximum number of open containers.
	condensedDepth = 1 << 20
	// condensedCuts is the number of cuts that are recorded separately.
	condensedCuts = 1 << 10
)

// A Condenser reads a line in pieces and produces a shorter one with the same
// structure: long strings are cut, white space is removed, and once the result
// is long, so are elements and members. Memory is bounded whatever the line
// contains.
//
// The result is JSON if and only if the line is, up to condensedDepth. In a
// line that is not JSON, such as one with NUL bytes around a record, each text
// that starts like an object is condensed separately, and at least one byte
// between them is kept, so that a search for records in the result finds those
// of the line. The zero value is ready to use.
type Condenser struct {
	// Marks makes a cut string end with a note of how many bytes are missing.
	// Do not change it within a line.
	Marks bool

	out   []byte
	read  int64 // bytes of the line so far
	cuts  []cut
	owed  int64 // sum of the cuts
	state condenserState
	next  condenserState // state after the current string
	stack []byte         // '{' or '[' of each open container
	comma bool           // a comma is due before the next kept element
	drop  int            // depth of the element that is left out plus one, or 0
	brace bool           // lost at a brace that was not emitted yet

	token       []byte // the escape or number that is being read
	digit       numberState
	room        int     // number of bytes of the current string that may still be kept
	stringStart int     // start of the current string in out
	stringRead  int64   // start of the current string in the line
	recent      [2]byte // the last bytes read
}

// A cut is a position in the result before which bytes of the line are missing.
// The number is negative if the result has more.
type cut struct {
	at int
	n  int64
}

type condenserState uint8

const (
	wantValue condenserState = iota
	wantValueOrEnd
	wantName
	wantNameOrEnd
	wantColon
	wantEnd // a comma or the end of a container; white space after the last value
	inText
	inEscape
	inNumber
	inLiteral
	isLost // until something starts like an object
	isFull // until the end
)

// Reset prepares the Condenser for another line.
func (c *Condenser) Reset() {
	*c = Condenser{Marks: c.Marks, out: c.out[:0], cuts: c.cuts[:0], stack: c.stack[:0], token: c.token[:0]}
}

// Skippable reports whether any number of NUL bytes that follow would change
// nothing.
func (c *Condenser) Skippable() bool { return c.state >= isLost }

// Skip skips n NUL bytes. Skippable must be true.
func (c *Condenser) Skip(n int64) {
	c.read += n
	c.recent = [2]byte{}
}

// Bytes returns the condensed form of the line so far. It is valid until the
// next call of another method.
func (c *Condenser) Bytes() []byte {
	if c.state == inNumber {
		c.endNumber()
	}
	c.lostAtBrace()
	c.settle()
	return c.out
}

// SizeOf returns the number of bytes of the line that the bytes from start to
// end of the result represent.
func (c *Condenser) SizeOf(start, end int) int64 {
	n := int64(end - start)
	for _, cut := range c.cuts {
		if cut.at > start && cut.at <= end {
			n += cut.n
		}
	}
	return n
}

// Write adds the next piece of the line.
func (c *Condenser) Write(p []byte) {
	for i := 0; i < len(p); {
		n := c.step(p[i:])
		switch {
		case n > 1:
			c.recent = [2]byte{p[i+n-2], p[i+n-1]}
		case n == 1:
			c.recent = [2]byte{c.recent[1], p[i]}
		}
		c.read += int64(n)
		i += n
	}
}

// step reads at least one byte of p, or changes the state, and returns the
// number of bytes read.
func (c *Condenser) step(p []byte) int {
	b := p[0]
	switch c.state {
	case inText:
		return c.text(p)
	case inEscape:
		return c.escape(b)
	case inNumber:
		if next := c.digit.after(b); next != numberBad {
			if c.digit = next; len(c.token) <= condensedNumber {
				c.token = append(c.token, b)
			}
			return 1
		}
		if !c.endNumber() {
			return c.fail(b)
		}
		return 0
	case inLiteral:
		if b != c.token[0] {
			return c.fail(b)
		}
		c.emit(b)
		if c.token = c.token[1:]; len(c.token) == 0 {
			c.ended()
		}
		return 1
	case isLost:
		return c.lost(p)
	case isFull:
		return len(p)
	}
	if isSpace(b) {
		return 1
	}
	return c.structure(b)
}

// structure reads a byte outside strings and numbers.
func (c *Condenser) structure(b byte) int {
	switch c.state {
	case wantValue, wantValueOrEnd:
		if b == ']' && c.state == wantValueOrEnd {
			return c.close(b)
		}
		return c.value(b)
	case wantName, wantNameOrEnd:
		if b == '}' && c.state == wantNameOrEnd {
			return c.close(b)
		}
		if b != '"' {
			return c.fail(b)
		}
		c.begin()
		c.string(wantColon)
		return 1
	case wantColon:
		if b != ':' {
			return c.fail(b)
		}
		c.emit(b)
		c.state = wantValue
		return 1
	}
	switch {
	case len(c.stack) == 0:
		return c.fail(b)
	case b == ',' && c.stack[len(c.stack)-1] == '{':
		c.state = wantName
	case b == ',':
		c.state = wantValue
	default:
		return c.close(b)
	}
	if c.drop == 0 {
		c.comma = true
	}
	return 1
}

// value reads the first byte of a value.
func (c *Condenser) value(b byte) int {
	if n := len(c.stack); n > 0 && c.stack[n-1] == '[' {
		c.begin()
	}
	switch {
	case b == '"':
		c.string(wantEnd)
	case b == '{' || b == '[':
		if len(c.stack) == condensedDepth {
			return c.fail(b)
		}
		c.emit(b)
		c.stack = append(c.stack, b)
		if c.state = wantNameOrEnd; b == '[' {
			c.state = wantValueOrEnd
		}
	case b == 't':
		c.literal("true")
	case b == 'f':
		c.literal("false")
	case b == 'n':
		c.literal("null")
	default:
		if c.digit = numberStart.after(b); c.digit == numberBad {
			return c.fail(b)
		}
		c.state, c.token = inNumber, append(c.token[:0], b)
	}
	return 1
}

// begin decides whether a member or an element is kept.
func (c *Condenser) begin() {
	if c.drop != 0 {
		return
	}
	depth, most := len(c.stack), condensedMost
	if c.stack[depth-1] == '[' {
		most = condensedElements
	}
	if len(c.out) >= most {
		c.drop = depth + 1
		return
	}
	if c.comma {
		c.emit(',')
		c.comma = false
	}
}

func (c *Condenser) close(b byte) int {
	n := len(c.stack)
	if b != '}' && b != ']' || b-2 != c.stack[n-1] {
		return c.fail(b)
	}
	c.stack = c.stack[:n-1]
	if c.drop == 0 {
		c.comma = false
	}
	c.emit(b)
	c.ended()
	return 1
}

// ended is called after a value.
func (c *Condenser) ended() {
	c.state = wantEnd
	if c.drop == len(c.stack)+1 {
		c.drop = 0
	}
}

func (c *Condenser) literal(word string) {
	c.emit(word[0])
	c.state, c.token = inLiteral, append(c.token[:0], word[1:]...)
}

func (c *Condenser) string(next condenserState) {
	c.settle()
	c.emit('"')
	c.stringStart, c.stringRead = len(c.out), c.read+1
	c.state, c.next = inText, next
	if c.room = condensedString; len(c.out) >= condensedString {
		c.room = condensedShort
	}
}

// text reads a piece of a string.
func (c *Condenser) text(p []byte) int {
	n := nextSpecial(p, 0)
	if n > 0 {
		c.keep(p[:n])
		return n
	}
	switch p[0] {
	case '"':
		if c.room <= 0 {
			c.mark()
			c.settle()
		}
		c.emit('"')
		if c.state = c.next; c.state == wantEnd {
			c.ended()
		}
	case '\\':
		c.state, c.token = inEscape, append(c.token[:0], '\\')
	default:
		return c.fail(p[0])
	}
	return 1
}

// mark adds a note to a cut string, if there should be one.
func (c *Condenser) mark() {
	missing := c.read - c.stringRead - int64(len(c.out)-c.stringStart)
	if c.Marks && c.drop == 0 && missing > 0 {
		c.out = fmt.Appendf(c.out, "… (%d more bytes)", missing)
	}
}

// keep adds bytes of a string, as long as there is room.
func (c *Condenser) keep(p []byte) {
	if c.room <= 0 {
		return
	}
	p = p[:min(len(p), c.room)]
	c.room -= len(p)
	if c.drop == 0 {
		c.out = append(c.out, p...)
		if c.room == 0 {
			c.trim()
		}
	}
}

// trim removes the end of a cut string: a partial word, so that half a key does
// not look like text, or otherwise a partial character.
func (c *Condenser) trim() {
	end := c.out[max(len(c.out)-condensedWord, c.stringStart):]
	if i := bytes.LastIndexByte(end, ' '); i >= 0 {
		c.out = c.out[:len(c.out)-len(end)+i]
		return
	}
	for range utf8.UTFMax - 1 {
		last, size := utf8.DecodeLastRune(c.out)
		if last != utf8.RuneError || size != 1 {
			return
		}
		c.out = c.out[:len(c.out)-1]
	}
}

func (c *Condenser) escape(b byte) int {
	n := len(c.token)
	switch {
	case n == 1 && b != 'u' && meaning[b] == 0, n > 1 && !isHex(b):
		return c.fail(b)
	}
	if c.token = append(c.token, b); c.token[1] == 'u' && len(c.token) < len(`\u0000`) {
		return 1
	}
	if c.state = inText; len(c.token) > c.room && c.room > 0 {
		if c.room = 0; c.drop == 0 {
			c.trim()
		}
	}
	c.keep(c.token)
	return 1
}

func isHex(b byte) bool { return b-'0' <= 9 || b|0x20-'a' <= 5 }

// endNumber ends the current number. It returns false if the number is
// incomplete.
func (c *Condenser) endNumber() bool {
	if !c.digit.whole() {
		return false
	}
	if len(c.token) > condensedNumber {
		c.token = append(c.token[:0], '0')
	}
	if c.drop == 0 {
		c.out = append(c.out, c.token...)
	}
	c.ended()
	return true
}

// fail is called at the byte where the line turns out not to be JSON. A record
// that follows one that was cut off inside a string starts with a brace and a
// quote that seem to end that string.
func (c *Condenser) fail(b byte) int {
	begins := c.recent == [2]byte{'{', '"'} && c.state != inText
	if c.comma && c.drop == 0 {
		c.out = append(c.out, ',')
	}
	if isSpace(c.recent[1]) && c.read > 0 {
		c.out = append(c.out, ' ')
	}
	if c.state == inNumber || c.state == inEscape {
		c.out = append(c.out, c.token...)
	}
	if c.stack, c.comma, c.drop = c.stack[:0], false, 0; len(c.out) >= condensedMost {
		c.state = isFull
		return 0
	}
	if begins {
		if !bytes.HasSuffix(c.out, []byte(`{"`)) {
			c.out = append(c.out, `{"`...)
		}
		c.object()
		return 0
	}
	c.state = isLost
	if c.brace = b == '{'; c.brace {
		return 0
	}
	c.out = append(c.out, b)
	return 1
}

// lost looks for text that starts like an object.
func (c *Condenser) lost(p []byte) int {
	if c.recent[1] == '{' && p[0] == '"' {
		c.brace = false
		c.settle()
		c.out = append(c.out, `{"`...)
		c.object()
		return 1
	}
	i := bytes.Index(p, []byte(`{"`))
	if i > 0 || i < 0 && len(p) > 1 || c.recent[1] == '{' {
		c.lostAtBrace()
	}
	if i >= 0 {
		return i + 1
	}
	return len(p)
}

// lostAtBrace emits the brace at which the line turned out not to be JSON,
// unless an object starts with it.
func (c *Condenser) lostAtBrace() {
	if c.brace {
		c.brace, c.out = false, append(c.out, '{')
	}
}

// object is called after the first two bytes of an object.
func (c *Condenser) object() {
	c.stack = append(c.stack[:0], '{')
	c.state, c.next, c.room, c.stringStart = inText, wantColon, condensedShort, len(c.out)
}

// emit adds a byte to the result, unless it belongs to an element that is left
// out.
func (c *Condenser) emit(b byte) {
	if c.drop == 0 {
		c.out = append(c.out, b)
	}
}

// settle records how many bytes of the line are missing so far.
func (c *Condenser) settle() {
	missing := c.read - int64(len(c.out)) - c.owed
	if missing == 0 {
		return
	}
	c.owed += missing
	if n := len(c.cuts); n > 0 && (n == condensedCuts || c.cuts[n-1].at == len(c.out)) {
		c.cuts[n-1].n += missing
		return
	}
	c.cuts = append(c.cuts, cut{len(c.out), missing})
}

// A numberState is the state of the grammar of a number.
type numberState uint8

const (
	numberBad numberState = iota
	numberStart
	numberSign
	numberZero
	numberInt
	numberPoint
	numberFraction
	numberE
	numberExpSign
	numberExponent
)

// whole reports whether a number may end here.
func (s numberState) whole() bool {
	return s == numberZero || s == numberInt || s == numberFraction || s == numberExponent
}

func (s numberState) after(b byte) numberState {
	digit := b-'0' <= 9
	switch s {
	case numberStart, numberSign:
		switch {
		case b == '0':
			return numberZero
		case digit:
			return numberInt
		case b == '-' && s == numberStart:
			return numberSign
		}
	case numberZero, numberInt, numberFraction:
		switch {
		case digit && s != numberZero:
			return s
		case b == '.' && s != numberFraction:
			return numberPoint
		case b|0x20 == 'e':
			return numberE
		}
	case numberPoint:
		if digit {
			return numberFraction
		}
	case numberE, numberExpSign, numberExponent:
		switch {
		case digit:
			return numberExponent
		case s == numberE && (b == '+' || b == '-'):
			return numberExpSign
		}
	}
	return numberBad
}
