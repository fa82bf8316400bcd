package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long a command may take to end after a signal.
const patience = 3 * time.Second

// Main runs the command of this process and returns its exit code.
//
// The first Ctrl+C, SIGTERM or SIGHUP ends the command in good order: what it
// was writing is written, sessions are closed (pitfall 38). The second, or a
// command that takes too long to end, ends the process at once; a terminal that
// goes away may say so twice, which is not meant like that. A reader that
// goes away is not a signal but an error of the write, so that sessions are
// closed then too. A command may take Ctrl+C for itself: see Interrupts.
func Main() int {
	collectLate()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE)
	env := System()
	env.Interrupts = &Interrupts{}
	go func() {
		s := <-signals
		for s == os.Interrupt && env.Interrupts.taken() {
			s = <-signals
		}
		end := &SignalError{s}
		cancel(end)
		waitForAnother(signals)
		env.Interrupts.leave()
		os.Exit(end.code())
	}()
	return Run(ctx, env, os.Args[1:])
}

// waitForAnother waits for a second signal, as long as there is patience.
func waitForAnother(signals <-chan os.Signal) {
	over := time.After(patience)
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
func Run(ctx context.Context, env Env, args []string) int {
	a := newApp(env)
	err := causeOf(ctx, a.run(ctx, args))
	if ferr := a.out.flush(); err == nil {
		err = ferr
	}
	if !isSilent(err) {
		a.complain(err)
	}
	if errors.Is(err, errDeclined) {
		return ExitOK
	}
	return exitCode(err)
}
