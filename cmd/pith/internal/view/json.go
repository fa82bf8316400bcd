// Package view is the model of sessions, turns, entries and matches that all
// front ends show: the JSON of commands, RPC results, MCP results and web pages
// are encodings of these types, with the same field names.
//
// The package computes values from the catalog and from sessions. It prints
// nothing, and its strings are untrusted: front ends escape what they show.
//
// # Invariants
//
//	V1  A fact has one field name, whatever prints it.
//	V2  Unknown text and unknown times are null. Empty lists are [], never null.
//	V3  A session file is "path", a session's parent "parentSessionPath", an
//	    entry of something else "entryId".
package view

import (
	"bytes"
	"encoding/json"

	"github.com/pith-sessions/pith/inspect"
)

// Text is a string from a session. JSON keeps an unpaired surrogate.
type Text = inspect.Text

// Time is a time that is null in JSON if it is unknown.
type Time = inspect.Moment

// TextOrNull returns nil for the empty string.
func TextOrNull(s string) *Text {
	if s == "" {
		return nil
	}
	t := Text(s)
	return &t
}

// Texts converts a list. It never returns nil.
func Texts[S ~string | ~[]byte](list []S) []Text {
	out := make([]Text, len(list))
	for i, s := range list {
		out[i] = Text(s)
	}
	return out
}

// Marshal encodes v as JSON on one line, without HTML escapes.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}
