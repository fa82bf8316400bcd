package filestore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Tests start the test binary again, in one of these roles, to have real
// processes that write, hold locks and die.
var roles = map[string]func(args []string) error{
	"append":   roleAppend,
	"lockless": roleLockless,
	"fill":     roleFill,
	"lock":     roleLock,
}

const roleVariable = "PITH_FILESTORE_TEST_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := roles[role](os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A child is a process in a role. It prints its actions in lines on its stdout;
// one that waits does so until it is killed.
type child struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	stderr strings.Builder
}

func start(t *testing.T, role string, args ...string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0], args...)}
	c.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	c.cmd.Stderr = &c.stderr
	stdin, err := c.cmd.StdinPipe() // stays open: a child waits for its end
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(stdout)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		c.cmd.Process.Kill()
		c.cmd.Wait()
	})
	return c
}

// next returns the next line that the child printed.
func (c *child) next(t *testing.T) string {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("child ended: %v %s", c.cmd.Wait(), c.stderr.String())
	}
	return c.lines.Text()
}

// kill ends the child immediately and returns the rest of its output.
func (c *child) kill(t *testing.T) []string {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatalf("kill: %v", err)
	}
	var rest []string
	for c.lines.Scan() {
		rest = append(rest, c.lines.Text())
	}
	c.cmd.Wait()
	return rest
}

// finish waits for a child that ends by itself, and must end well.
func (c *child) finish(t *testing.T) {
	t.Helper()
	for c.lines.Scan() {
	}
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("child: %v %s", err, c.stderr.String())
	}
}

// roleAppend appends lines as a well-behaved writer does: FILE WRITER COUNT SIZE.
// It prints the number of each line after the append was acknowledged.
func roleAppend(args []string) error {
	count, size := number(args[2]), number(args[3])
	l, err := filestore.New(filestore.Options{}).Open(context.Background(), args[0])
	if err != nil {
		return err
	}
	defer l.Close()
	for i := range count {
		if err := appendLine(l, line(args[1], i, rand.IntN(size))); err != nil {
			return err
		}
		fmt.Println(i)
	}
	return nil
}

// appendLine appends as soon as no other writer is in the way, and seals a torn
// tail before.
func appendLine(l store.Log, line []byte) error {
	for {
		size, err := l.Size(context.Background())
		if err != nil {
			return err
		}
		p := line
		last := make([]byte, 1)
		if _, err := l.ReadAt(last, max(size-1, 0)); err != nil && err != io.EOF {
			return err
		}
		if size > 0 && last[0] != '\n' {
			p = append([]byte("\n"), line...)
		}
		off, err := l.Append(context.Background(), size, p)
		if errors.Is(err, store.ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		back := make([]byte, len(p))
		if _, err := l.ReadAt(back, off); err != nil || string(back) != string(p) {
			return fmt.Errorf("Append(%d) = %d, but it is not there (%v)", size, off, err)
		}
		return nil
	}
}

// roleLockless appends lines as pi does, which takes no locks and opens the
// file for each: FILE WRITER COUNT SIZE.
func roleLockless(args []string) error {
	count, size := number(args[2]), number(args[3])
	for i := range count {
		if err := appendLockless(args[0], line(args[1], i, rand.IntN(size))); err != nil {
			return err
		}
		fmt.Println(i)
	}
	return nil
}

func appendLockless(name string, p []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(p)
	return errors.Join(err, f.Close())
}

// roleFill creates a log and gets stuck half way: FILE.
func roleFill(args []string) error {
	_, err := filestore.New(filestore.Options{}).Create(context.Background(), args[0], func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 200<<10)); err != nil {
			return err
		}
		fmt.Println("filling")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
	return err
}

// line makes a line whose wholeness can be checked. It carries no line break.
func line(writer string, n, size int) []byte {
	return fmt.Appendf(nil, "<%s %d %d %s>\n", writer, n, size, strings.Repeat("x", size))
}

// parseLine returns writer and number of a line, if it is whole.
func parseLine(s string) (writer string, n int, ok bool) {
	f := strings.Split(strings.TrimSuffix(s, "\n"), " ")
	if len(f) != 4 {
		return "", 0, false
	}
	writer = strings.TrimPrefix(f[0], "<")
	n = number(f[1])
	return writer, n, s == string(line(writer, n, number(f[2])))
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return max(n, 0)
}
