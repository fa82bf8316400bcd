package jsonl

// A Span is a half-open byte range. The zero Span means absent.
type Span struct{ Start, End int }

// Present reports whether s refers to a value. No JSON value is empty, so every
// value that was found ends after offset 0.
func (s Span) Present() bool { return s.End > 0 }

// Of returns the bytes of b in the range s, or nil if s is absent. The result
// shares memory with b.
func (s Span) Of(b []byte) []byte {
	if s.End <= 0 {
		return nil
	}
	return b[s.Start:s.End:s.End]
}
