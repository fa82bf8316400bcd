// Package console implements the input and output of one run of the command:
// its environment, standard output with its first error, notes on standard
// error, questions to a person, and progress.
//
// It knows nothing about sessions.
package console

import (
	"fmt"
	"io"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
)

// A Console is the input and output of one run of the command: its environment,
// the result, and the notes.
type Console struct {
	Env    Env
	Out    *Output
	Colors tone.Palette // for standard output
	// Quiet suppresses notes: a shell is asking, not a person.
	Quiet bool
	// Later are the notes for the end of a successful command.
	Later []string
	bar   bar
}

// New returns the console of an environment.
func New(env Env) *Console {
	a := &Console{Env: env}
	a.Out = a.output(env.Stdout, env.IsTerminal(env.Stdout))
	return a
}

// output returns an Output that removes the progress bar before it writes.
func (a *Console) output(w io.Writer, terminal bool) *Output {
	o := NewOutput(w, terminal)
	o.before = a.endBar
	return o
}

// Width returns the maximum number of columns of a line; 0 means no limit.
func (a *Console) Width() int {
	if !a.Out.Terminal {
		return 0
	}
	if w := a.Env.Width(); w > 0 {
		return w
	}
	return 80
}

// Note prints one line to standard error.
func (a *Console) Note(format string, args ...any) {
	if a.Quiet {
		return
	}
	if err := a.Out.Flush(); err != nil {
		return // the result has no reader; the error is reported at the end
	}
	fmt.Fprintf(a.Env.Stderr, "pith: %s\n", termsafe.Line(fmt.Sprintf(format, args...)))
}

// NoteLater prints a note at the end of a successful command. Next to an error
// it would only distract.
func (a *Console) NoteLater(format string, args ...any) {
	a.Later = append(a.Later, fmt.Sprintf(format, args...))
}

// Fact prints one line: a word and a text.
func (a *Console) Fact(word, text string) {
	text = termsafe.Line(text)
	if w := a.Width(); w > 0 && word != "file" && word != "parent" {
		text = termsafe.Fit(text, max(1, w-10)) // paths stay whole, for copying
	}
	a.Out.Print(a.Colors.Dim(termsafe.Pad(word, 10)) + text + "\n")
}

// When formats a time for a table: the age on a terminal, date and time
// otherwise.
func (a *Console) When(t time.Time) string {
	if !a.Out.Terminal || t.IsZero() {
		return humanize.Time(t)
	}
	return humanize.Age(a.Env.Now().Sub(t))
}
