package console

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
)

// CanAsk reports whether a person can answer.
func (a *Console) CanAsk() bool {
	return a.Env.IsTerminal(a.Env.Stdin) && a.Env.IsTerminal(a.Env.Stderr)
}

// Confirm asks a person for confirmation; [exit.ErrDeclined] means no.
func (a *Console) Confirm(ctx context.Context, what string) error {
	return a.ConfirmBy(ctx, what, a.ReadLine)
}

// ConfirmBy is like Confirm, but reads the answer with a function instead of
// from standard input.
func (a *Console) ConfirmBy(ctx context.Context, what string, answer func(context.Context) (string, error)) error {
	fmt.Fprintf(a.Env.Stderr, "%s? [y/N] ", what)
	text, err := answer(ctx)
	if err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "y", "yes":
		return nil
	}
	return exit.ErrDeclined
}

// TextArgument returns an argument, or standard input for "-".
func (a *Console) TextArgument(ctx context.Context, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := a.ReadInput(ctx)
	if err != nil {
		return "", err
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if strings.TrimSpace(text) == "" {
		return "", exit.Usagef("standard input is empty")
	}
	return text, nil
}

// ReadInput reads standard input to its end, or until the command ends.
func (a *Console) ReadInput(ctx context.Context) ([]byte, error) {
	var data []byte
	var failed error
	if err := unlessEnded(ctx, func() { data, failed = io.ReadAll(a.Env.Stdin) }); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, fmt.Errorf("read standard input: %w", failed)
	}
	return data, nil
}

// ReadLine reads a typed line, and nothing after it. At the end of the input it
// returns "".
func (a *Console) ReadLine(ctx context.Context) (string, error) {
	var line []byte
	err := unlessEnded(ctx, func() {
		for b := []byte{0}; b[0] != '\n'; line = append(line, b[0]) {
			if _, err := io.ReadFull(a.Env.Stdin, b); err != nil {
				return
			}
		}
	})
	if err != nil {
		fmt.Fprintln(a.Env.Stderr)
		return "", err
	}
	return string(line), nil
}

// unlessEnded waits for read, or for the end of the command: then the variables
// that read sets must not be accessed. A read of a terminal cannot be canceled;
// its goroutine ends with the process.
func unlessEnded(ctx context.Context, read func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		read()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
