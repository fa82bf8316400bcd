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

// lsofTime bounds how long the system may take to say who has a file open.
const lsofTime = 3 * time.Second

// askLsof asks the program lsof, which most systems have, for a process of another
// program that has a file open for writing. told is false when it gives no answer.
func askLsof(ctx context.Context, name string) (pid int, told bool) {
	ctx, cancel := context.WithTimeout(ctx, lsofTime)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "lsof", "-w", "-F", "pca", "--", name)
	cmd.Stdout = &out
	err := cmd.Run()
	if cmd.ProcessState == nil || ctx.Err() != nil {
		return 0, false // there is none, or it took too long
	}
	if err != nil && out.Len() == 0 {
		return 0, cmd.ProcessState.ExitCode() == 1 // nobody has it open
	}
	return writerIn(out.String(), os.Getpid(), filepath.Base(os.Args[0])), true
}

// writerIn finds the process in what lsof printed: lines that begin with p and the
// process, c and its command, a and the access that a descriptor of it has.
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
			ours = ours || value != "" && strings.HasPrefix(command, value) // lsof cuts it
		case 'a':
			if !ours && pid != 0 && (value == "w" || value == "u") {
				return pid
			}
		}
	}
	return 0
}
