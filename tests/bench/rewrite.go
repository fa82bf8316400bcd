package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The comments around the printed part of a document.
const (
	printedBegin = "<!-- Printed by: go run ./tests/bench -->\n"
	printedEnd   = "<!-- End of the printed part. -->\n"
)

// rewrite replaces the printed part of a document.
func rewrite(path, printed string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(data), printedBegin)
	_, after, ended := strings.Cut(rest, printedEnd)
	if !begun || !ended {
		return fmt.Errorf("%s has no printed part: it begins with %q and ends with %q", path, printedBegin, printedEnd)
	}
	return os.WriteFile(path, []byte(before+printedBegin+"\n"+printed+"\n"+printedEnd+after), 0o644)
}

// charts shows what draw draws.
const charts = `
![How much of each goal is used, on a logarithmic scale. A bar to the right of the middle is a missed goal.](limits.svg)

![How costs grow with sizes, as multiples of the smallest. The dashed line is linear growth.](growth.svg)
`

// draw writes the charts into a directory.
func (b *bench) draw(dir string) error {
	for name, chart := range map[string]string{"limits.svg": b.limitsChart(), "growth.svg": b.growthChart()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(chart), 0o644); err != nil {
			return err
		}
	}
	return nil
}
