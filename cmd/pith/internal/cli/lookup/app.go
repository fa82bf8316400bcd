package lookup

import (
	"os"
	"sync"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/redact"
)

// App returns what the use cases work on in this run. They note files that they skip,
// and show their progress until the next output.
func (a *Sessions) App() *ops.App {
	return &ops.App{
		Environment: a.Environment(), Cwd: a.Env.Here(), Dir: a.SessionDir, Sources: a.Sources, Force: a.Force, Now: a.Env.Now,
		Index: a.SessionIndex, Words: sync.OnceValue(a.WordIndex), Marks: a.OpenMarks, Trash: a.Trash,
		Secrets: redact.Sources{AgentDir: a.Environment().AgentDir(), Environ: os.Environ()},
		Skipped: func(path string, err error) { a.Note("note: skipped %s: %v", path, ops.Cause(err)) },
		Working: func(w ops.Work) {
			unit := humanize.Number
			if w.Bytes {
				unit = humanize.Bytes
			}
			a.Console.Working(w.What, w.Done, w.Total, unit)
		},
	}
}
