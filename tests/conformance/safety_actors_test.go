//go:build unix

package conformance_test

import (
	"bufio"
	"bytes"
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
	"time"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// The safety tests start the test binary again, in one of these roles, to have
// real processes that write to a session, stop and die.
var actorRoles = map[string]func(args []string) error{
	"begin": actBegin,
	"go on": actGoOn,
	"say":   actSay,
	"fork":  actFork,
	"lock":  actLock,
	"list":  actList,
}

const actorVariable = "PITH_CONFORMANCE_ROLE"

func TestMain(m *testing.M) {
	role := os.Getenv(actorVariable)
	if role == "" {
		code := pgtest.Main(m)
		running.close()
		removePithCommand()
		os.Exit(code)
	}
	if err := actorRoles[role](os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// actBegin starts a session in the directory DIR and appends messages until it
// is killed. It prints the path of the file and then the ID of each
// acknowledged message. SIZES is as in sizesNamed.
func actBegin(args []string) error {
	s, err := pith.Create(pith.Options{Cwd: "/home/u/p", Dir: args[0]})
	if err != nil {
		return err
	}
	fmt.Println(s.File())
	return speak(s, 1_000_000, sizesNamed(args[1]), func(id string) { fmt.Println(id) })
}

// actGoOn opens FILE with the conflict policy POLICY, says so, waits for a line
// and appends COUNT messages of SIZES. It prints for each, after it was
// acknowledged, its id, the length that it believed the file had and the offset
// at which it was written; and at the end how often it was refused as stale.
func actGoOn(args []string) error {
	policy := map[string]pith.ConflictPolicy{"follow": pith.FollowNew, "refuse": pith.Refuse}[args[1]]
	witness := &witness{Store: filestore.New(filestore.Options{})}
	s, err := pith.Open(context.Background(), args[0], pith.Options{OnConflict: policy, Store: witness})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	count, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	refused := 0
	err = speakThrough(s, count, sizesNamed(args[3]), func() { refused++; s.Follow() }, func(id string) {
		fmt.Println(id, witness.at, witness.off)
	})
	fmt.Println("refused", refused)
	return err
}

// actSay opens FILE, prints "open", appends one message and prints its id.
func actSay(args []string) error {
	s, err := pith.Open(context.Background(), args[0], pith.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Println("open")
	return speak(s, 1, sizesNamed("small"), func(id string) { fmt.Println(id) })
}

// actFork copies the session FILE into the directory DIR, and extracts its
// active path next to it, again and again until it is killed. It prints the
// path of each new file.
func actFork(args []string) error {
	s, err := pith.Open(context.Background(), args[0], pith.Options{})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for {
		copied, err := pith.ForkFrom(context.Background(), args[0], pith.Options{Cwd: "/home/u/q", Dir: args[1]})
		if err != nil {
			return err
		}
		fmt.Println(copied.File())
		extracted, err := s.Clone(context.Background(), s.LeafID())
		if err != nil {
			return err
		}
		fmt.Println(extracted.File())
		if err := errors.Join(copied.Close(), extracted.Close()); err != nil {
			return err
		}
	}
}

// actLock takes the lock of FILE, as an append does, and holds it until it is
// killed.
func actLock(args []string) error {
	f, err := os.OpenFile(args[0], os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	fmt.Println("locked")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, f.Close())
}

// sizes are how long a text may get, one after the other.
type sizes []int

func sizesNamed(name string) sizes {
	return map[string]sizes{
		"small": {300},
		"mixed": {300, 2_000, 300, 70_000, 300, 20_000},
		"big":   {300, 150_000, 2_000_000},
		"huge":  {3_000_000},
	}[name]
}

func (s sizes) of(n int) int { return 1 + rand.IntN(s[n%len(s)]) }

// speak appends messages and reports each acknowledged one.
func speak(s *pith.Session, count int, sz sizes, acknowledged func(id string)) error {
	return speakThrough(s, count, sz, nil, acknowledged)
}

// speakThrough is speak; when an append is refused because others have
// continued, it calls decide and appends again.
func speakThrough(s *pith.Session, count int, sz sizes, decide func(), acknowledged func(id string)) error {
	for n := range count {
		m, err := utterance(n, sz.of(n))
		if err != nil {
			return err
		}
		for {
			id, err := s.AppendMessage(context.Background(), m)
			if decide != nil && isStale(err) {
				decide()
				continue
			}
			if err != nil {
				return err
			}
			acknowledged(id)
			break
		}
	}
	return nil
}

// utterance returns a user message of many blocks, so that a truncated write
// can end after a block as well as inside one.
func utterance(n, size int) (format.Message, error) {
	const block = 400
	var b bytes.Buffer
	b.WriteString(`{"role":"user","content":[`)
	for at := 0; at < size; at += block {
		if at > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"type":"text","text":"%d.%d %s"}`, n, at, strings.Repeat("x", min(block, size-at)))
	}
	fmt.Fprintf(&b, `],"timestamp":%d}`, 1_770_000_000_000+n)
	return format.DecodeMessage(b.Bytes())
}

// A witness is a store that remembers the last append.
type witness struct {
	store.Store
	at, off int64
}

func (w *witness) Open(ctx context.Context, name string) (store.Log, error) {
	log, err := w.Store.Open(ctx, name)
	return &witnessLog{log, w}, err
}

func (w *witness) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	log, err := w.Store.Replace(ctx, old.(*witnessLog).Log, size, fill, backup)
	return &witnessLog{log, w}, err
}

type witnessLog struct {
	store.Log
	w *witness
}

func (l *witnessLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	off, err := l.Log.Append(ctx, at, p)
	l.w.at, l.w.off = at, off
	return off, err
}

// An actor is a process in a role.
type actor struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  *bufio.Scanner
	stderr strings.Builder
}

func startActor(t *testing.T, role string, args ...string) *actor {
	t.Helper()
	a := &actor{cmd: exec.Command(os.Args[0], args...)}
	a.cmd.Env = append(os.Environ(), actorVariable+"="+role, "GORACE=atexit_sleep_ms=0")
	a.cmd.Stderr = &a.stderr
	var err error
	if a.stdin, err = a.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	a.lines = bufio.NewScanner(stdout)
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.stdin.Close()
		a.cmd.Process.Kill() // fails only when it is gone already
		a.cmd.Wait()
	})
	return a
}

// next returns the next line that the actor prints.
func (a *actor) next(t *testing.T) string {
	t.Helper()
	if !a.lines.Scan() {
		t.Fatalf("%q ended: %v %s", a.cmd.Args, a.cmd.Wait(), a.stderr.String())
	}
	return a.lines.Text()
}

// release lets an actor continue that waits for a line.
func (a *actor) release(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(a.stdin, "go\n"); err != nil {
		t.Fatal(err)
	}
}

// rest returns what the actor prints until it ends by itself, well.
func (a *actor) rest(t *testing.T) []string {
	t.Helper()
	lines := a.printed()
	if err := a.cmd.Wait(); err != nil {
		t.Errorf("%q: %v %s", a.cmd.Args, err, a.stderr.String())
	}
	return lines
}

// killAfter returns what the actor prints until it is killed. An actor that
// ends by itself before must not have failed.
func (a *actor) killAfter(t *testing.T, d time.Duration) []string {
	t.Helper()
	timer := time.AfterFunc(d, func() { a.cmd.Process.Kill() })
	defer timer.Stop()
	lines := a.printed()
	a.cmd.Wait()
	if state := a.cmd.ProcessState; state.Exited() && !state.Success() {
		t.Errorf("%q: %v %s", a.cmd.Args, state, a.stderr.String())
	}
	return lines
}

// killWriting kills the actor as soon as the file grows, in the middle of a
// write if that is large, and returns what it printed.
func (a *actor) killWriting(t *testing.T, path string) []string {
	t.Helper()
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	a.release(t)
	for {
		if now, err := os.Stat(path); err != nil || now.Size() > before.Size() {
			break
		}
	}
	a.cmd.Process.Kill()
	lines := a.printed()
	a.cmd.Wait()
	return lines
}

func (a *actor) printed() []string {
	var lines []string
	for a.lines.Scan() {
		lines = append(lines, a.lines.Text())
	}
	return lines
}

// signal stops or continues the actor.
func (a *actor) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := a.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}
