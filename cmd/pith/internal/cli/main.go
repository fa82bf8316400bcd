package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/store/filestore"
)

const (
	// patience is how long a command may take to end after a signal. Whatever it does
	// then is undone or done later: files are replaced in one step, and an append that
	// is in progress is waited for.
	patience = 150 * time.Millisecond
	// closingPatience is the same for a command that ends in good order, and for an
	// append in progress.
	closingPatience = 3 * time.Second
)

// patienceOf returns how long the command with these arguments may take to end. One
// that keeps sessions open records the leaf, or a response that was interrupted.
func patienceOf(args []string) time.Duration {
	found, _, err := Root().Find([]string{firstWord(args)})
	if err != nil || !found.HasParent() || has(found, keeps) { // pith SESSION opens it
		return closingPatience
	}
	return patience
}

// Main runs the command of this process and returns its exit code.
//
// The first Ctrl+C, SIGTERM or SIGHUP ends the command in good order: it
// finishes its writes and closes its sessions (pitfall 38). The second signal
// ends the process immediately, and so does a command that takes too long to
// end. A second SIGHUP does not count, since a closing terminal may send two. A
// closed output pipe is not a signal but a write error, so that sessions are
// closed then too. A command may handle Ctrl+C itself: see Interrupts.
func Main() int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE)
	env := console.System()
	env.Interrupts = &console.Interrupts{}
	go func() {
		s := <-signals
		for s == os.Interrupt && env.Interrupts.Taken() {
			s = <-signals
		}
		end := &exit.SignalError{Signal: s}
		cancel(end)
		waitForAnother(signals, patienceOf(os.Args[1:]))
		freeze(signals)
		env.Interrupts.Leave()
		os.Exit(end.Code())
	}()
	return Run(ctx, env, os.Args[1:])
}

// freeze waits for an append in progress, until another signal comes.
func freeze(signals <-chan os.Signal) {
	frozen := make(chan struct{})
	go func() {
		filestore.Freeze()
		close(frozen)
	}()
	select {
	case <-frozen:
	case <-signals:
	case <-time.After(closingPatience):
	}
}

// waitForAnother waits for a second signal, for a time at most.
func waitForAnother(signals <-chan os.Signal, most time.Duration) {
	over := time.After(most)
	for {
		select {
		case s := <-signals:
			if s != syscall.SIGHUP {
				return
			}
		case <-over:
			return
		}
	}
}

// Run runs one command and returns its exit code. It prints the error, if there
// is one, as one line on standard error.
func Run(ctx context.Context, env console.Env, args []string) int {
	a := newApp(env)
	err := a.run(ctx, args)
	err = exit.CauseOf(ctx, err)
	if ferr := a.Out.Flush(); err == nil {
		err = ferr
	}
	if !exit.Silent(err) {
		a.Complain(err)
	}
	if errors.Is(err, exit.ErrDeclined) {
		return exit.OK
	}
	return exit.Code(err)
}

// Root returns the tree of commands, for manual pages and completions.
func Root() *cobra.Command { return newApp(console.System()).rootCommand() }

// An app is one run of the command.
type app struct{ *lookup.Sessions }

func newApp(env console.Env) *app { return &app{lookup.New(env)} }

// firstWord returns the first argument that is neither a flag nor the value of
// one.
func firstWord(args []string) string {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--session-dir":
			i++
		case arg != "" && arg[0] != '-':
			return arg
		}
	}
	return ""
}

// paged reports whether the output of a command goes through a pager.
func paged(root *cobra.Command, args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
		return true
	}
	cmd, rest, err := root.Find(args)
	if err != nil || slices.Contains(rest, "-i") || slices.Contains(rest, "--interactive") {
		return false
	}
	return has(cmd, pages)
}

// run builds the commands and runs the one that args name.
func (a *app) run(ctx context.Context, args []string) error {
	root := a.rootCommand()
	root.SetArgs(lookup.ShieldFilters(root, args))
	if paged(root, args) {
		defer a.Page().End()
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if word := firstWord(args); cmd == root && word != "" && !isRecency(word) && !looksLikeID(word) {
			return unknownCommand(root, []string{word}) // its flags are not those of pith
		}
		return flags.Explain(cmd, err)
	})
	root.SetIn(a.Env.Stdin)
	root.SetOut(a.Out)
	root.SetErr(a.Env.Stderr)
	defer a.CloseCache()
	if err := root.ExecuteContext(ctx); err != nil {
		return err
	}
	for _, text := range a.Later {
		a.Note("%s", text)
	}
	return nil
}
