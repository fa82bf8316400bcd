//go:build unix

package filestore

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// lsofTime limits how long lsof may run.
const lsofTime = 3 * time.Second

// askLsof asks the program lsof, which most systems have, for a process of
// another program that has a file open for writing. known is false if lsof gives
// no answer.
func askLsof(ctx context.Context, name string) (pid int, known bool) {
	ctx, cancel := context.WithTimeout(ctx, lsofTime)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "lsof", "-w", "-F", "pca", "--", name)
	cmd.Stdout = &out
	err := cmd.Run()
	if cmd.ProcessState == nil || ctx.Err() != nil {
		return 0, false // not installed, or too slow
	}
	if err != nil && out.Len() == 0 {
		return 0, cmd.ProcessState.ExitCode() == 1 // no process has it open
	}
	return writerIn(out.String(), os.Getpid(), filepath.Base(os.Args[0])), true
}

// writerIn finds the process in the output of lsof: lines that start with p and
// the PID, c and the command, or a and the access mode of a descriptor.
func writerIn(fields string, self int, command string) int {
	pid, ours := 0, false
	for line := range strings.Lines(fields) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		switch value := line[1:]; line[0] {
		case 'p':
			pid, _ = strconv.Atoi(value)
			ours = pid == self
		case 'c':
			ours = ours || value != "" && strings.HasPrefix(command, value) // lsof truncates the command
		case 'a':
			if !ours && pid != 0 && (value == "w" || value == "u") {
				return pid
			}
		}
	}
	return 0
}
