package pgstore_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/store/pgstore"
)

// Tests start the test binary again, in one of these roles, to have real processes
// that write and die. Each gets the connection string, the schema, the name of a log
// or session, and its own name.
var roles = map[string]func(s *pgstore.Store, name, self string) error{
	"append":  roleAppend,
	"fill":    roleFill,
	"session": roleSession,
}

const roleVariable = "PITH_PGSTORE_TEST_ROLE"

func playRole(role string) {
	args := os.Args[1:]
	s, err := pgstore.Connect(context.Background(), args[0], pgstore.Options{Schema: args[1]})
	if err == nil {
		err = roles[role](s, args[2], args[3])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// roleAppend appends lines for ever. It prints the number of each line after the append
// was acknowledged.
func roleAppend(s *pgstore.Store, name, self string) error {
	l, err := s.Open(context.Background(), name)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		if err := persist(l, numbered(self, i)); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// roleFill begins to make a log and never finishes.
func roleFill(s *pgstore.Store, name, _ string) error {
	_, err := s.Create(context.Background(), name, func(w io.Writer) error {
		if err := writeLines(w, 9<<20); err != nil {
			return err
		}
		fmt.Println("half")
		select {}
	})
	return err
}

// numbered is a line that can be recognised.
func numbered(writer string, i int) []byte {
	return fmt.Appendf(nil, "%s %d %s\n", writer, i, strings.Repeat("x", i%3000))
}

// counted checks that the lines of each writer are whole, in order, and there once, and
// returns how many there are.
func counted(t *testing.T, content []byte) map[string]int {
	t.Helper()
	found := map[string]int{}
	for line := range strings.Lines(string(content)) {
		writer, _, _ := strings.Cut(line, " ")
		if want := string(numbered(writer, found[writer])); line != want {
			t.Fatalf("the log holds %.40q where %.40q should be", line, want)
		}
		found[writer]++
	}
	return found
}

// A child is a process in a role.
type child struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	stderr strings.Builder
}

func startRole(t *testing.T, role string, args ...string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0], args...)}
	c.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	c.cmd.Stderr = &c.stderr
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(stdout)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.kill() })
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

// kill ends the child immediately, with SIGKILL, and returns the number of its
// lines that were not read yet.
func (c *child) kill() (rest int) {
	_ = c.cmd.Process.Kill() // it may have ended
	for c.lines.Scan() {
		rest++
	}
	_ = c.cmd.Wait() // it was killed
	return rest
}
