package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// textArgument is an argument, or what standard input holds for "-".
func (a *app) textArgument(ctx context.Context, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := a.readInput(ctx)
	if err != nil {
		return "", err
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if strings.TrimSpace(text) == "" {
		return "", usagef("standard input holds no text")
	}
	return text, nil
}

// readInput reads standard input to its end, or until the command is ended.
func (a *app) readInput(ctx context.Context) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() { // a read of a terminal cannot be called off; it ends with the process
		data, err := io.ReadAll(a.env.Stdin)
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return nil, fmt.Errorf("read standard input: %w", r.err)
		}
		return r.data, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
