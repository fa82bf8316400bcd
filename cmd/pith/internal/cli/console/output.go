package console

import (
	"bufio"
	"fmt"
	"io"
	"iter"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// An Output is standard output. It keeps its first error, so that callers may
// print without checking, and check once.
type Output struct {
	w        *bufio.Writer
	Terminal bool
	err      error
	before   func() // called before something is written; may be nil
}

func NewOutput(w io.Writer, terminal bool) *Output {
	return &Output{w: bufio.NewWriterSize(w, 32<<10), Terminal: terminal}
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	o.ready()
	n, err := o.w.Write(p)
	o.err = Lost(err)
	return n, o.err
}

func (o *Output) Printf(format string, args ...any) { _, _ = fmt.Fprintf(o, format, args...) }

func (o *Output) Print(s string) { _, _ = io.WriteString(o, s) }

func (o *Output) ready() {
	if o.before != nil {
		o.before()
	}
}

// Failed reports whether further output is useless.
func (o *Output) Failed() bool { return o.err != nil }

func (o *Output) Flush() error {
	o.ready()
	if o.err == nil {
		o.err = Lost(o.w.Flush())
	}
	if o.err != nil {
		return fmt.Errorf("write output: %w", o.err)
	}
	return nil
}

// Lost marks the error of writing a result if its reader is gone.
func Lost(err error) error {
	if isBrokenPipe(err) {
		return exit.Unread(err)
	}
	return err
}

// JSON prints a value as one line of JSON.
func (o *Output) JSON(v any) error {
	text, err := present.JSON(v)
	if err != nil {
		return err
	}
	_, _ = o.Write(append(termsafe.JSON(text), '\n'))
	return nil
}

// RawJSON prints JSON unchanged; on a terminal, characters that it would obey
// are escaped, which does not change the value.
func (o *Output) RawJSON(text []byte) {
	if o.Terminal {
		text = termsafe.JSON(text)
	}
	_, _ = o.Write(text)
}

// JSONArray prints the elements of a list as they arrive, without the brackets
// around them. raw returns an element as JSON.
func JSONArray[T any](o *Output, list iter.Seq2[T, error], raw func(T) []byte) error {
	first := true
	for element, err := range list {
		if err != nil {
			return err
		}
		if o.Failed() {
			return nil
		}
		if !first {
			o.Print(",")
		}
		first = false
		o.RawJSON(raw(element))
	}
	return nil
}
