package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
)

// A task is one piece of work for pith, done by a child process.
type task struct {
	Name string `json:"name"`
	Path string `json:"path"` // a file to open or a folder to use
	N    int    `json:"n,omitempty"`
	// Tables is the folder of saved tables; empty for none.
	Tables string `json:"tables,omitempty"`
	// Index is the folder of the index of sessions; empty for none.
	Index string `json:"index,omitempty"`
	// Query and Order are those of a search.
	Query string `json:"query,omitempty"`
	Order string `json:"order,omitempty"`
}

// tasks does each task by its name.
var tasks = map[string]func(context.Context, task) (sample, error){
	"open":         openTask,
	"open+context": openContextTask,
	"context":      contextTask,
	"tree":         treeTask,
	"table":        tableTask,
	"plan":         planTask,
	"plan+files":   planFilesTask,
	"path":         pathTask,
	"list":         listTask(catalog.Options{}),
	"list+text":    listTask(catalog.Options{Text: true}),
	"list+index":   listIndexTask,
	"words":        wordsTask,
	"search":       searchTask,
	"search+again": searchAgainTask,
	"scan":         scanTask,
	"usage":        usageTask,
	"append":       appendTask(pith.Options{}),
	"append+sync":  appendTask(pith.Options{Sync: true}),
}

// A sample is what one task cost. Time and allocations are of the timed part,
// the peak is of the whole process.
type sample struct {
	Wall       time.Duration `json:"wall"`
	CPU        time.Duration `json:"cpu"`
	Peak       int64         `json:"peak"` // bytes of resident memory
	Allocs     int64         `json:"allocs"`
	AllocBytes int64         `json:"allocBytes"`

	Entries  int `json:"entries,omitempty"`
	Messages int `json:"messages,omitempty"`
	Sessions int `json:"sessions,omitempty"`
	Tokens   int `json:"tokens,omitempty"`
	Hits     int `json:"hits,omitempty"`
	// Bytes of session files that the work was about.
	Bytes int64 `json:"bytes,omitempty"`
}

// timed runs the part of a task that counts.
func (s *sample) timed(do func() error) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu, start := ownCPU(), time.Now()
	if err := do(); err != nil {
		return err
	}
	s.Wall = time.Since(start)
	s.CPU = ownCPU() - cpu
	runtime.ReadMemStats(&after)
	s.Allocs = int64(after.Mallocs - before.Mallocs)
	s.AllocBytes = int64(after.TotalAlloc - before.TotalAlloc)
	return nil
}

// time is the sample as an amount of seconds.
func (s sample) time() value { return value{s.Wall.Seconds(), s.CPU} }

// rate is the sample as bytes of session a second and core: of CPU time, where
// that is known, so that it does not matter how many cores there were.
func (s sample) rate() value {
	took := s.CPU
	if took == 0 {
		took = s.Wall
	}
	return value{amount: float64(s.Bytes) / took.Seconds()}
}

// memory is the sample as an amount of bytes.
func (s sample) memory() value { return value{amount: float64(s.Peak)} }

// runTask is what a child process does: one task, and its sample on stdout.
func runTask(ctx context.Context, text string, stdout io.Writer) error {
	var t task
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return fmt.Errorf("task %q: %w", text, err)
	}
	do, ok := tasks[t.Name]
	if !ok {
		return fmt.Errorf("no task %q", t.Name)
	}
	s, err := do(ctx, t)
	if err != nil {
		return fmt.Errorf("task %s: %w", t.Name, err)
	}
	s.Peak = ownPeak()
	return json.NewEncoder(stdout).Encode(s)
}

// inChild does a task in a fresh process of this program.
func inChild(ctx context.Context, t task) (sample, error) {
	var s sample
	text, err := json.Marshal(t)
	if err != nil {
		return s, err
	}
	self, err := os.Executable()
	if err != nil {
		return s, err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, self, taskArgument, string(text))
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return s, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(out, &s); err != nil {
		return s, fmt.Errorf("task %s printed %.200q: %w", t.Name, out, err)
	}
	return s, nil
}
