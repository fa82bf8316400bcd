// Package diskusage says what takes the space in session files: images, tool output,
// thinking, text, the state of extensions; and in the artifacts and backups beside them.
//
// The package only reads, and weighs bytes as they stand in the file: base64 and
// escapes count as they are written, because that is what a disk holds.
//
// # Invariants
//
//	W1  The bytes of all kinds but the last two add up to the size of the file,
//	    whatever is in it.
//	W2  Memory does not grow with the file.
//
// Stability: outside the core. Its exported names may still change.
package diskusage

import (
	"context"
	"encoding/binary"
	"os"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache/pack"
	"github.com/pith-sessions/pith/internal/cache/scans"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/parallel"
)

// A Kind is what bytes are there for.
type Kind int

// The kinds.
const (
	Images     Kind = iota // wherever they are
	ToolOutput             // results of tools, with their details, and of commands
	ToolCalls              // what was asked of tools
	Thinking
	Text      // of user and assistant
	Summaries // compactions and summaries of branches
	Custom    // entries of extensions
	Structure // everything around it: ids, times, models, usage, labels, names
	Damaged   // lines that hold no entry
	Artifacts // files in the folder beside the session's that has its name
	Backups   // former states of the file that were kept beside it
	kinds
)

var names = [...]string{"images", "toolOutput", "toolCalls", "thinking", "text", "summaries", "custom", "structure", "damaged", "artifacts", "backups"}

// String is the kind's stable name.
func (k Kind) String() string { return names[k] }

// Kinds are all kinds, in the order of their constants.
func Kinds() []Kind {
	out := make([]Kind, kinds)
	for i := range out {
		out[i] = Kind(i)
	}
	return out
}

// A Share is what one kind takes.
type Share struct {
	// Count is how many pieces there are: blocks, results, entries; for Structure
	// it is entries, for Damaged lines, for Artifacts files.
	Count int
	Bytes int64
}

// A Weight is what is in a session, or in several, by kind.
type Weight [kinds]Share

// Total is all of it, in bytes.
func (w *Weight) Total() int64 {
	var n int64
	for _, s := range w {
		n += s.Bytes
	}
	return n
}

// Add adds what others hold.
func (w *Weight) Add(o *Weight) {
	for k := range w {
		w[k].Count += o[k].Count
		w[k].Bytes += o[k].Bytes
	}
}

func (w *Weight) put(k Kind, bytes int64) {
	w[k].Count++
	w[k].Bytes += bytes
}

// Options change how sessions are weighed. The zero value works.
type Options struct {
	// CacheDir is a folder in which weights are kept, so that files are weighed again
	// only when they changed: see [catalog.Index.Dir]. "" keeps nothing.
	CacheDir string
	// Progress is called after each session, from the goroutine of Measure.
	Progress func(done, total int)
	// Skipped is called likewise for each session that could not be read to its
	// end. What was read of it counts.
	Skipped func(path string, err error)
}

// Measure weighs sessions; the result has one weight for each, in their order.
// An error means that the context ended.
func Measure(ctx context.Context, infos []catalog.Info, o Options) ([]Weight, error) {
	type weighed struct {
		weight Weight
		err    error
	}
	kept := scans.Open(ctx, o.CacheDir, keptFile, keptVersion)
	defer kept.Close(ctx)
	weigh := func(ctx context.Context, s *scale, i int) (w weighed) {
		var text string
		text, w.err = kept.Of(infos[i].Path, func() ([]byte, error) {
			err := s.file(ctx, infos[i].Path)
			return s.Weight.pack(), err
		})
		if w.weight.unpack(text) != nil { // kept by somebody else
			w.err = s.file(ctx, infos[i].Path)
			w.weight = s.Weight
		}
		beside := trash.Measure(infos[i].Path)
		w.weight[Artifacts] = Share{beside.Files, beside.Bytes}
		for _, path := range trash.Backups(infos[i].Path) {
			if kept, err := os.Lstat(path); err == nil {
				w.weight.put(Backups, kept.Size())
			}
		}
		return w
	}
	out := make([]Weight, 0, len(infos))
	for w := range parallel.InOrder(ctx, len(infos), weigh) {
		if w.err != nil && ctx.Err() == nil && o.Skipped != nil {
			o.Skipped(infos[len(out)].Path, w.err)
		}
		out = append(out, w.weight)
		if o.Progress != nil {
			o.Progress(len(out), len(infos))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// A scale weighs one file after the other.
type scale struct {
	lines  envelope.Lines
	record envelope.Record
	take   func(*envelope.Record)
	whole  *envelope.Line // the present line
	rest   int64          // how many bytes of it no record has taken
	Weight
}

func (s *scale) file(ctx context.Context, path string) error {
	s.Weight, s.take = Weight{}, s.entry
	_, err := s.lines.File(ctx, path, s.line)
	return err
}

const (
	// keptFile is where weights are kept.
	keptFile = "space.db"
	// keptVersion rises with every change of what weighs what or of how it is kept.
	keptVersion = 1
)

// KeptFiles are the files in a cache folder that this package makes, whether they
// exist or not.
func KeptFiles(dir string) []string { return scans.Files(dir, keptFile) }

// ClearKept empties these files, so that every session is read again.
func ClearKept(ctx context.Context, dir string) error {
	return scans.Clear(ctx, dir, keptFile, keptVersion)
}

func (w *Weight) pack() (b []byte) {
	for _, s := range w {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(s.Count)), s.Bytes)
	}
	return b
}

func (w *Weight) unpack(text string) error {
	d := pack.NewReader(text)
	for k := range w {
		w[k] = Share{int(d.Int()), d.Int()}
	}
	return d.Done()
}
