package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/sessiondir"
)

// An app is one run of the command: its surroundings and the global flags.
type app struct {
	env Env
	out *output

	sessionDir string
	noColor    bool
	colors     palette // of standard output
	command    string  // that is run, with its parents; "" before one was found
	quiet      bool    // notes are left out: a shell asks, not a person
	later      []string
	cache      cache
}

func newApp(env Env) *app {
	return &app{env: env, out: newOutput(env.Stdout, env.IsTerminal(env.Stdout))}
}

// run builds the commands and runs the one that args name.
func (a *app) run(ctx context.Context, args []string) error {
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.env.Stdin)
	root.SetOut(a.out)
	root.SetErr(a.env.Stderr)
	defer a.closeCache()
	if err := root.ExecuteContext(ctx); err != nil {
		return err
	}
	for _, text := range a.later {
		a.note("%s", text)
	}
	return nil
}

// setUp settles what depends on the global flags.
func (a *app) setUp(cmd *cobra.Command) {
	a.command = cmd.CommandPath()
	if a.sessionDir != "" {
		cwd, err := a.env.Cwd()
		if err != nil {
			cwd = "" // matters for a relative path alone, which then stays relative
		}
		a.sessionDir = sessiondir.ExpandPath(a.sessionDir, cwd)
	}
	a.colors = palette{a.out.terminal && !a.noColor && a.env.Getenv("NO_COLOR") == "" && a.env.Getenv("TERM") != "dumb"}
}

// width is how many columns a line may take; 0 means any number.
func (a *app) width() int {
	if !a.out.terminal {
		return 0
	}
	if w := a.env.Width(); w > 0 {
		return w
	}
	return 80
}

// complain prints an error as one line.
func (a *app) complain(err error) {
	text := err.Error()
	if exitCode(err) == ExitUsage && !strings.Contains(text, "--help") {
		text += "; see " + cmp.Or(a.command, "pith") + " --help"
	}
	if errors.Is(err, fs.ErrPermission) && !strings.Contains(text, "permissions") {
		text += "; check the permissions of the file and its folder"
	}
	var file *pith.FileError
	if errors.Is(err, pith.ErrNotSession) && errors.As(err, &file) && a.command != "pith doctor" && !strings.Contains(text, "pith doctor ") {
		text += "; see " + a.hint("doctor", file.Path)
	}
	fmt.Fprintf(a.env.Stderr, "pith: %s\n", termsafe.Line(text))
}

// note prints one line beside the result.
func (a *app) note(format string, args ...any) {
	if a.quiet {
		return
	}
	if err := a.out.flush(); err != nil {
		return // nobody reads the result; the error is reported at the end
	}
	fmt.Fprintf(a.env.Stderr, "pith: %s\n", termsafe.Line(fmt.Sprintf(format, args...)))
}

// noteLater prints a note at the end of a command that succeeds. Beside an error
// it would only be in the way.
func (a *app) noteLater(format string, args ...any) {
	a.later = append(a.later, fmt.Sprintf(format, args...))
}

// cwd is the working directory, or an error that says what to do (pitfall 176).
func (a *app) cwd() (string, error) {
	dir, err := a.env.Cwd()
	if err != nil {
		return "", fmt.Errorf("the current directory cannot be found (was it deleted?); change to another one: %v", cause(err))
	}
	return dir, nil
}

// listing are the options of every look into the catalog.
func (a *app) listing() catalog.Options {
	o := a.places()
	o.Index = a.sessionIndex()
	return o
}

// places say where sessions are. The index stays closed.
func (a *app) places() catalog.Options {
	return catalog.Options{Dir: a.sessionDir, Getenv: a.env.Getenv, Home: a.env.home()}
}

// engine are the options with which every session is opened or made.
func (a *app) engine() pith.Options {
	return pith.Options{Dir: a.sessionDir, Now: a.env.Now, Tables: a.tables()}
}

// errDeclined ends a command that the user called off.
var errDeclined = errors.New("nothing was changed")
