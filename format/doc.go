// Package format is the session file format: the header, the entries, the
// messages and the content blocks that a session holds, and how each is written
// as one line of JSON.
//
// The package is pure. It opens no file, reads no clock and makes no ids; where
// an id is needed the caller passes a function. It knows lines one at a time:
// how they hang together in a tree, and which of them a model sees, is decided
// elsewhere.
//
// A decoded value is a view of the bytes that it came from. Those bytes are kept
// and are what the Append functions write again, so a line that was read and
// written back is the same line, with its white space, key order, numbers,
// escapes and unknown fields. Changing a field of a decoded value therefore does
// not change what is written; make a new value instead, or use [WithContent].
// Decoding never copies the line: it must not be modified afterwards.
//
// Reading is tolerant. A field of the wrong type reads as its zero value, an
// unknown type, role or block becomes an Unknown value that keeps its bytes, and
// the only error is a line that is not a JSON object.
//
// A field stays raw JSON where the format leaves open what it holds: the details of
// results, summaries and messages of extensions, the data of a [Custom] entry and the
// arguments of a call belong to the tool or extension that wrote them, and each has a
// form of its own. The sections and tools of a system message stay raw because the
// order of their names counts, which no map of Go keeps.
//
// # Invariants
//
// The numbers are those of docs/reference/format.md, which states the whole format.
//
//	F1   One entry is one line; nothing this package writes contains a line feed.
//	F10  A line that was read is written back byte for byte.
//	F11  Names are compared exactly; of equal names in one object the last counts.
//	F12  A lone surrogate escape survives decoding and encoding.
//	F14  A line that must change changes in single members; the rest of it stays.
//	F20  A header without a version is version 1.
//	F26  A session of a version above [Version] is not written to.
//
// Stability: core. Its exported names stay.
package format
