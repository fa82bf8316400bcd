package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A task is one piece of work for pith, done by a child process.
type task struct {
	Name  string `json:"name"`
	Path  string `json:"path"` // a file to open or a directory to use
	N     int    `json:"n,omitempty"`
	Index string `json:"index,omitempty"` // the directory of the index; empty for none
}

// A sample is the cost and result of one task. The time is that of the measured
// part, the peak that of the whole process.
type sample struct {
	Took   time.Duration  `json:"took"`
	Peak   int64          `json:"peak"` // bytes of resident memory
	Counts map[string]int `json:"counts"`
	// Times are those of separately measured parts.
	Times map[string]time.Duration `json:"times,omitempty"`
}

// time measures do.
func (s *sample) time(do func() error) error {
	start := time.Now()
	err := do()
	s.Took += time.Since(start)
	return err
}

// runTask runs one task in a child process and writes its sample to stdout.
func runTask(ctx context.Context, text string, stdout io.Writer) error {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return fmt.Errorf("task %q: %w", text, err)
	}
	do, ok := tasks[t.Name]
	if !ok {
		return fmt.Errorf("no task %q", t.Name)
	}
	s := sample{Counts: map[string]int{}}
	if err := do(ctx, t, &s); err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	s.Peak = ownPeak()
	return json.NewEncoder(stdout).Encode(s)
}

// inChild runs a task in a new process of this program.
func inChild(ctx context.Context, t task) (s sample, err error) {
	text, err := json.Marshal(t)
	if err != nil {
		return s, err
	}
	self, err := os.Executable()
	if err != nil {
		return s, err
	}
	cmd := exec.CommandContext(ctx, self, taskArgument, string(text))
	out, err := output(cmd)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(out, &s); err != nil {
		return s, fmt.Errorf("task %s printed %.200q: %w", t.Name, out, err)
	}
	return s, nil
}

// output runs a command. Its error includes the command's standard error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %.300s", err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
