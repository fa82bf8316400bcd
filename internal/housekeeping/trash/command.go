package trash

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"time"
)

// runCommand passes a file to the system's trash and reports whether the file
// is gone. The result of the command is ignored: some commands report failure
// after success, and some success after failure.
func runCommand(o Options, path string) bool {
	if o.Command == "" {
		return false
	}
	program, err := exec.LookPath(o.Command)
	if err != nil {
		return false
	}
	limit := cmp.Or(o.CommandLimit, 5*time.Second)
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	// The path is absolute, so it cannot be taken for a flag.
	cmd := exec.CommandContext(ctx, program, path)
	cmd.WaitDelay = time.Second
	_ = cmd.Run()
	_, err = os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
