package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A terminal is a pseudo-terminal with a program in it. It records when the
// program writes what.
type terminal struct {
	master *os.File
	cmd    *exec.Cmd
	begin  time.Time
	wrote  chan written
	seen   strings.Builder // everything that was written
}

// written is one piece of output.
type written struct {
	at   time.Time
	text string
}

// The size of the terminal.
const columns, lines = 120, 36

// The end of a frame is a pause of frameGap. A program that has written nothing
// for quiet has nothing more to show.
const (
	frameGap = 15 * time.Millisecond
	quiet    = 400 * time.Millisecond
)

// inTerminal starts a program in a new terminal with its own home and agent
// directory.
func inTerminal(ctx context.Context, home, agentDir, name string, args ...string) (*terminal, error) {
	master, slave, err := openTerminal()
	if err != nil {
		return nil, err
	}
	defer slave.Close()
	t := &terminal{master: master, cmd: exec.CommandContext(ctx, name, args...), wrote: make(chan written, 1024)}
	t.cmd.Env = []string{"HOME=" + home, "PI_CODING_AGENT_DIR=" + agentDir, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LC_ALL=C.UTF-8"}
	t.cmd.Dir = home
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = slave, slave, slave
	control(t.cmd)
	t.begin = time.Now()
	if err := t.cmd.Start(); err != nil {
		return nil, errors.Join(err, master.Close())
	}
	go func() {
		defer close(t.wrote)
		for {
			buf := make([]byte, 1<<16)
			n, err := master.Read(buf)
			if err != nil {
				return // the program ended
			}
			t.wrote <- written{time.Now(), string(buf[:n])}
		}
	}()
	return t, nil
}

// next returns the next output; ok is false if nothing comes for that long.
func (t *terminal) next(patience time.Duration) (w written, ok bool) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case w, ok = <-t.wrote:
		t.seen.WriteString(w.text)
	case <-timer.C:
	}
	return w, ok
}

// await returns the time from the start of the program until it had written a
// text.
func (t *terminal) await(text string) (time.Duration, error) {
	last := t.begin
	for {
		if strings.Contains(t.seen.String(), text) {
			return last.Sub(t.begin), nil
		}
		w, ok := t.next(patience)
		if !ok {
			return 0, fmt.Errorf("the terminal never showed %q; the program wrote %.300q", text, t.seen.String())
		}
		last = w.at
	}
}

// press sends a key and returns the time until the last byte of the frame that
// answers it.
func (t *terminal) press(key string) (time.Duration, error) {
	begin := time.Now()
	if _, err := t.master.WriteString(key); err != nil {
		return 0, err
	}
	w, ok := t.next(patience)
	if !ok {
		return 0, fmt.Errorf("the key %q changes nothing", key)
	}
	return t.frame(w, frameGap).Sub(begin), nil
}

// settle returns when the program wrote its last output before it is quiet.
func (t *terminal) settle() time.Time { return t.frame(written{at: time.Now()}, quiet) }

// frame returns the time of the last output before a pause.
func (t *terminal) frame(w written, pause time.Duration) time.Time {
	for {
		later, ok := t.next(pause)
		if !ok {
			return w.at
		}
		w = later
	}
}

// presses presses a key several times, each when the program is idle, and
// returns the sorted times.
func (t *terminal) presses(key string, times int) (all []time.Duration, err error) {
	for range times {
		d, err := t.press(key)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
		t.frame(written{}, 4*frameGap)
	}
	slices.Sort(all)
	return all, nil
}

// close ends the program and returns the peak of its memory.
func (t *terminal) close() int64 {
	peak := peakOf(t.cmd.Process.Pid)
	_ = t.cmd.Process.Kill() // it may have ended
	_ = t.cmd.Wait()         // killed
	_ = t.master.Close()
	for range t.wrote {
	}
	return peak
}
