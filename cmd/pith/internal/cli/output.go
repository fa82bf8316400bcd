package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// An output is standard output. It keeps its first error, so that callers may
// print without looking, and ask once.
type output struct {
	w        *bufio.Writer
	terminal bool
	err      error
}

func newOutput(w io.Writer, terminal bool) *output {
	return &output{w: bufio.NewWriterSize(w, 32<<10), terminal: terminal}
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = lost(err)
	return n, o.err
}

func (o *output) printf(format string, args ...any) { _, _ = fmt.Fprintf(o, format, args...) }

func (o *output) print(s string) { _, _ = io.WriteString(o, s) }

// failed reports whether going on printing is useless.
func (o *output) failed() bool { return o.err != nil }

func (o *output) flush() error {
	if o.err == nil {
		o.err = lost(o.w.Flush())
	}
	if o.err != nil {
		return fmt.Errorf("write the result: %w", o.err)
	}
	return nil
}

// A lostReader is the error of a result that nobody reads any more. Other pipes
// break too: that of a model's answer, say.
type lostReader struct{ error }

func (e lostReader) Unwrap() error { return e.error }

// lost marks the error of writing a result if its reader went away.
func lost(err error) error {
	if isBrokenPipe(err) {
		return lostReader{err}
	}
	return err
}

// json prints a value as one line of JSON.
func (o *output) json(v any) error {
	text, err := marshal(v)
	if err != nil {
		return err
	}
	_, _ = o.Write(append(termsafe.JSON(text), '\n'))
	return nil
}

// rawJSON prints a piece of JSON as it is; on a terminal what a terminal would
// obey is escaped, which does not change the value.
func (o *output) rawJSON(text []byte) {
	if o.terminal {
		text = termsafe.JSON(text)
	}
	_, _ = o.Write(text)
}

// jsonArray prints the elements of a list as they come, without the brackets
// around them. raw is an element as JSON.
func jsonArray[T any](o *output, list iter.Seq2[T, error], raw func(T) []byte) error {
	first := true
	for element, err := range list {
		if err != nil {
			return err
		}
		if o.failed() {
			return nil
		}
		if !first {
			o.print(",")
		}
		first = false
		o.rawJSON(raw(element))
	}
	return nil
}

// marshal is a value as JSON on one line, without the escapes that HTML needs.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

// A jsText is a string from a session, written as JavaScript writes it: half a
// surrogate pair stays what it is.
type jsText string

// MarshalJSON implements json.Marshaler.
func (t jsText) MarshalJSON() ([]byte, error) { return jsonl.AppendString(nil, string(t)), nil }

// jsTextOrNull is null for the empty string.
func jsTextOrNull(s string) *jsText {
	if s == "" {
		return nil
	}
	t := jsText(s)
	return &t
}
