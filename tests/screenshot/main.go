// Command screenshot makes the pictures of the terminal app in docs: it starts pith
// with the sessions of pith demo in tmux, presses keys like a person, and draws the
// screens as SVG, one of them as a picture that moves.
//
//	go run ./tests/screenshot docs
//
// It reads the output of `tmux capture-pane -pe`: text with the sequences that
// set colors and weights. It rejects other sequences, so that a picture never
// shows less than the terminal did.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("name the directory for the pictures")
	}
	pictures, err := record(ctx)
	for name, text := range pictures {
		err = errors.Join(err, os.WriteFile(filepath.Join(args[0], name), []byte(text), 0o644))
	}
	return err
}

// parse splits a captured screen into rows.
func parse(screen string) (rows [][]piece, err error) {
	var now style
	for i, line := range strings.Split(strings.TrimRight(screen, "\n"), "\n") {
		row, err := now.parse(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}
