package pi

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

//go:embed host.mjs
var script []byte

// ErrClosed is returned by calls on a closed Host.
var ErrClosed = errors.New("pi host is closed")

// Undefined is JavaScript's undefined as an argument of a call, for which pi
// distinguishes it from null: a cleared label, an omitted details.
var Undefined = json.RawMessage(`{"$undefined":true}`)

// A Host is a running pi session manager. It is safe for concurrent use; pi
// serves calls one after the other.
type Host struct {
	version Version
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	errors  *tail
	done    chan struct{} // closed when the child is gone and reaped

	writeMu sync.Mutex // held for one request line

	mu      sync.Mutex // guards all below
	nextID  int64
	waiting map[int64]chan<- response
	ended   error // why there are no more answers; nil while the child runs
}

// Start runs an installed pi. dir becomes its home: pi's own files and every
// session without an explicit directory go there. The caller must Close the
// Host; the end of ctx kills it as well.
func Start(ctx context.Context, in Installation, dir string) (*Host, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("start pi %s: %w", in.Version, err)
	}
	main := filepath.Join(dir, "host.mjs")
	if err := os.WriteFile(main, script, 0o600); err != nil {
		return nil, fmt.Errorf("start pi %s: %w", in.Version, err)
	}
	h := &Host{
		version: in.Version,
		cmd:     exec.CommandContext(ctx, in.Node, main, in.Module),
		errors:  &tail{limit: 4096},
		done:    make(chan struct{}),
		waiting: make(map[int64]chan<- response),
	}
	h.cmd.Dir = dir
	h.cmd.Env = childEnv(dir)
	h.cmd.Stderr = h.errors
	h.cmd.WaitDelay = 5 * time.Second
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start pi %s: %w", in.Version, err)
	}
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start pi %s: %w", in.Version, err)
	}
	if err := h.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start pi %s: %w", in.Version, err)
	}
	go h.read(stdout)
	return h, nil
}

// childEnv returns the whole environment of the child, without anything that
// could lead it to the user's own sessions.
func childEnv(dir string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + dir,
		"USERPROFILE=" + dir,
		"TMPDIR=" + os.TempDir(),
		"TZ=UTC",
		"PI_CODING_AGENT_DIR=" + filepath.Join(dir, "agent"),
	}
}

// Version returns the release that h runs.
func (h *Host) Version() Version { return h.version }

// Pid returns the child's process id.
func (h *Host) Pid() int { return h.cmd.Process.Pid }

// Close kills the child and waits until it is gone. Pending calls end with
// ErrClosed. Closing twice is harmless.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.ended == nil {
		h.ended = ErrClosed
	}
	h.mu.Unlock()
	h.stdin.Close()
	h.cmd.Process.Kill() // Fails only if the child is gone already.
	<-h.done
	return nil
}

// A response is one line of the host script.
type response struct {
	ID     int64           `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	} `json:"error"`
}

// read delivers every answer to its caller until the child is gone, and then
// ends all pending calls.
func (h *Host) read(stdout io.Reader) {
	defer close(h.done)
	in := bufio.NewReaderSize(stdout, 1<<16)
	var bad error
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var r response
		if err := json.Unmarshal(line, &r); err != nil {
			bad = fmt.Errorf("pi %s answered %.200q: %w", h.version, line, err)
			h.cmd.Process.Kill() // Fails only if the child is gone already.
			break
		}
		h.mu.Lock()
		answer := h.waiting[r.ID]
		delete(h.waiting, r.ID)
		h.mu.Unlock()
		if answer != nil { // The caller may have given up.
			answer <- r
		}
	}
	err := h.cmd.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ended != nil:
	case bad != nil:
		h.ended = bad
	default:
		h.ended = fmt.Errorf("pi %s ended by itself: %v: %s", h.version, err, lastLines(h.errors.String(), 8))
	}
	for id, answer := range h.waiting {
		close(answer)
		delete(h.waiting, id)
	}
}

// A tail is a writer that keeps the end of its input.
type tail struct {
	limit int

	mu  sync.Mutex // guards buf
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	t.buf = t.buf[max(0, len(t.buf)-t.limit):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
