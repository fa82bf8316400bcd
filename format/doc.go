// Package format is the session file format: the header, the entries, the
// messages and the content blocks of a session, and the encoding of each as one
// line of JSON.
//
// The package is pure. It opens no file, reads no clock and generates no ids;
// where an id is needed, the caller passes a function. It handles one line at a
// time. Other packages link the lines into a tree and decide which of them a
// model sees.
//
// A decoded value refers to the bytes that it came from, and the Append
// functions write those bytes again. So a line that was read and written back
// is unchanged, with its white space, key order, numbers, escapes and unknown
// fields. Changing a field of a decoded entry therefore does not change its
// line; make a new entry instead, or use [WithContent]. Decoding never copies
// the line: it must not be modified afterwards.
//
// Reading is tolerant. A field of the wrong type reads as its zero value, and
// an unknown type, role or block becomes an Unknown value that keeps its bytes.
// The only error is a line that is not a JSON object.
//
// A field is raw JSON if the format does not define its value: the details of
// tool results, summaries and extension messages, the data of a [Custom] entry
// and the arguments of a tool call belong to the tool or extension that wrote
// them. The sections and tools of a system message are raw because the order of
// their names matters, which a Go map does not keep.
//
// # Invariants
//
// The numbers are those of docs/reference/format.md, which states the whole
// format.
//
//	F1   One entry is one line; nothing this package writes contains a line feed.
//	F10  A line that was read is written back byte for byte.
//	F11  Names are compared exactly; of equal names in one object the last counts.
//	F12  A lone surrogate escape survives decoding and encoding.
//	F14  A line that must change changes in single members; the rest of it stays.
//	F20  A header without a version is version 1.
//	F26  A session of a version above [Version] is not written to.
//
// Stability: core. Its exported names are stable.
package format
