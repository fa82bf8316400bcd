package jsonl

// Span is a half-open byte range. The zero Span means absent.
type Span struct{ Start, End int }

// Present reports whether s points at something. No JSON value is empty, so
// every value that was found ends after offset 0.
func (s Span) Present() bool { return s.End > 0 }

// Of returns the bytes of b that s points at, or nil when s is absent. The
// result shares memory with b.
func (s Span) Of(b []byte) []byte {
	if s.End <= 0 {
		return nil
	}
	return b[s.Start:s.End:s.End]
}
