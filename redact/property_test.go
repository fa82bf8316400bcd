package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// checkLine holds a result against what every result must keep.
func checkLine(t testing.TB, in, out []byte, found []redact.Finding) {
	t.Helper()
	if (len(found) == 0) != bytes.Equal(in, out) {
		t.Errorf("Line(%q) = %q with %d findings", in, out, len(found))
	}
	if !json.Valid(in) {
		return
	}
	if !json.Valid(out) {
		t.Errorf("Line(%q) = %q, which is no JSON", in, out)
		return
	}
	if was, is := skeleton(in), skeleton(out); was != is {
		t.Errorf("Line(%q) = %q: more than strings changed", in, out)
	}
	for _, f := range found {
		if f.Path == "" || f.Offset < 0 || f.Offset > len(in) {
			t.Errorf("Line(%q): no place in %+v", in, f)
		}
	}
}

// skeleton is a text of JSON without what stands in its strings.
func skeleton(line []byte) string {
	var out []byte
	inString := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '"':
			inString = !inString
			out = append(out, '"')
		case !inString:
			out = append(out, line[i])
		case line[i] == '\\':
			i++
		}
	}
	return fmt.Sprintf("%s", out)
}
