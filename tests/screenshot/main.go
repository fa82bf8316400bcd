// Command screenshot makes an SVG picture of a terminal's screen.
//
// It reads the output of `tmux capture-pane -pe`: text with the sequences that
// set colors and weights. It rejects other sequences, so that a picture never
// shows less than the terminal did.
//
//	tmux capture-pane -pe | go run ./tests/screenshot -title "the tree" > docs/tree.svg
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	title := flag.String("title", "a terminal", "what the picture shows, for those who cannot see it")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *title); err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, title string) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var rows [][]piece
	var now style
	for i, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		row, err := now.parse(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
		rows = append(rows, row)
	}
	_, err = io.WriteString(out, draw(rows, title))
	return err
}
