package ops_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/tools"
)

// changing are the system calls that change files.
const changing = "?write,?pwrite64,?fsync,?fdatasync,?ftruncate,?rename,?renameat,?renameat2,?link,?linkat,?unlink,?unlinkat,?mkdir,?mkdirat,?rmdir,?fchmod,?fchmodat,?utimensat"

// traced runs the process that works, under strace with more arguments.
func (v victim) traced(ctx context.Context, what string, args ...string) error {
	cmd := exec.CommandContext(ctx, "strace", append(append([]string{"-f", "-qq", "-e", "trace=" + changing, "-e", "signal=none"}, args...), os.Args[0])...)
	cmd.Env = append(os.Environ(), "WORK_AND_DIE="+what+":"+v.dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return err
}

// A step is a system call, and how many of its kind the thread made up to it.
type step struct {
	call  string
	count int
}

// steps returns what the process does to files while it works.
func (v victim) steps(t *testing.T, what string) (all []step) {
	t.Helper()
	log := filepath.Join(v.dir, "log")
	tools.Need(t, "kills at each step", v.traced(t.Context(), what, "-o", log))
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	counts, worker := map[string]int{}, ""
	for line := range strings.Lines(string(text)) {
		thread, rest, _ := strings.Cut(line, " ")
		call, arguments, ok := strings.Cut(strings.TrimSpace(rest), "(")
		if !ok {
			continue
		}
		counts[thread+call]++
		switch {
		case strings.HasPrefix(arguments, `1, "go\n"`):
			worker = thread
		case thread == worker:
			all = append(all, step{call, counts[thread+call]})
		}
	}
	return all
}

// Work that is killed at any of its steps loses nothing and can be completed.
func TestKilledAtSteps(t *testing.T) {
	tools.Require(t, "strace")
	most := 16 // of each, others each time
	if testing.Short() {
		most = 4
	}
	for _, what := range []string{"remove", "restore", "rename", "rename in two files", "install"} {
		t.Run(what, func(t *testing.T) {
			prepared := func() (victim, map[string]string) {
				v := newVictim(t)
				was := v.state(t)
				if what == "restore" {
					v.done(t, "remove")
				}
				return v, was
			}
			v, _ := prepared()
			all := v.steps(t, what)
			if len(all) == 0 {
				t.Fatal("it does nothing")
			}
			stride, killed := (len(all)+most-1)/most, 0
			for i := rand.N(stride); i < len(all); i += stride {
				v, was := prepared()
				err := v.traced(t.Context(), what, "-o", "/dev/null", "-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", all[i].call, all[i].count))
				if dead := (*exec.ExitError)(nil); errors.As(err, &dead) && !dead.Exited() {
					killed++
				} else if err != nil {
					t.Fatal(err)
				}
				v.holds(t, what, was)
			}
			if t.Logf("killed %d times between %d steps", killed, len(all)); killed == 0 {
				t.Error("it was never killed")
			}
		})
	}
}
