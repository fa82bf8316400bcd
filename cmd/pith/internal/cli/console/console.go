// Package console is how one run of the command reads and writes: the world
// around it, standard output and its first error, notes beside the result,
// questions to a person, and how far long work has come.
//
// It knows nothing of sessions.
package console

import (
	"fmt"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
)

// A Console is where one run of the command reads and writes: its surroundings,
// the result, and the notes beside it.
type Console struct {
	Env    Env
	Out    *Output
	Colors tone.Palette // of standard output
	// Quiet leaves notes out: a shell asks, not a person.
	Quiet bool
	// Later are the notes for the end of a command that succeeds.
	Later []string
}

// New is the console in a world.
func New(env Env) *Console {
	return &Console{Env: env, Out: NewOutput(env.Stdout, env.IsTerminal(env.Stdout))}
}

// Width is how many columns a line may take; 0 means any number.
func (a *Console) Width() int {
	if !a.Out.Terminal {
		return 0
	}
	if w := a.Env.Width(); w > 0 {
		return w
	}
	return 80
}

// Note prints one line beside the result.
func (a *Console) Note(format string, args ...any) {
	if a.Quiet {
		return
	}
	if err := a.Out.Flush(); err != nil {
		return // nobody reads the result; the error is reported at the end
	}
	fmt.Fprintf(a.Env.Stderr, "pith: %s\n", termsafe.Line(fmt.Sprintf(format, args...)))
}

// NoteLater prints a note at the end of a command that succeeds. Beside an error
// it would only be in the way.
func (a *Console) NoteLater(format string, args ...any) {
	a.Later = append(a.Later, fmt.Sprintf(format, args...))
}

// Fact prints one line: a word and what there is to say.
func (a *Console) Fact(word, text string) {
	text = termsafe.Line(text)
	if w := a.Width(); w > 0 && word != "file" && word != "parent" {
		text = termsafe.Fit(text, max(1, w-10)) // paths stay whole: they are there to be copied
	}
	a.Out.Print(a.Colors.Dim(termsafe.Pad(word, 10)) + text + "\n")
}

// When is a moment as a table shows it: how long ago on a terminal, date and
// time elsewhere.
func (a *Console) When(t time.Time) string {
	if !a.Out.Terminal || t.IsZero() {
		return humanize.Time(t)
	}
	return humanize.Age(a.Env.Now().Sub(t))
}
