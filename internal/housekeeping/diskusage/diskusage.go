// Package diskusage measures what takes the space in session files: images,
// tool output, thinking, text, the state of extensions; and in the artifacts
// and backups next to them.
//
// The package only reads, and counts bytes as stored: base64 and escapes count
// in full, because they take space on disk.
//
// # Invariants
//
//	W1  The bytes of all kinds but the last two add up to the size of the file,
//	    whatever it contains.
//	W2  Memory does not grow with the file.
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

// A Kind is the purpose of bytes.
type Kind int

// The kinds of content.
const (
	Images     Kind = iota // in any message
	ToolOutput             // tool results with their details, and command output
	ToolCalls              // names and arguments of tool calls
	Thinking
	Text      // of user and assistant
	Summaries // compactions and branch summaries
	Custom    // entries of extensions
	Structure // everything else: ids, times, models, usage, labels, names
	Damaged   // lines that contain no entry
	Artifacts // files in the directory next to the session file that has its name
	Backups   // earlier versions of the file that are stored next to it
	kinds
)

var names = [...]string{"images", "toolOutput", "toolCalls", "thinking", "text", "summaries", "custom", "structure", "damaged", "artifacts", "backups"}

// String returns the kind's stable name.
func (k Kind) String() string { return names[k] }

// Kinds returns all kinds, in the order of their constants.
func Kinds() []Kind {
	out := make([]Kind, kinds)
	for i := range out {
		out[i] = Kind(i)
	}
	return out
}

// A Share is the space of one kind.
type Share struct {
	// Count is the number of items: blocks, results, entries; entries for
	// Structure, lines for Damaged, files for Artifacts.
	Count int
	Bytes int64
}

// A Weight is the content of one or several sessions by kind.
type Weight [kinds]Share

// Total returns the sum in bytes.
func (w *Weight) Total() int64 {
	var n int64
	for _, s := range w {
		n += s.Bytes
	}
	return n
}

// Add adds another weight.
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

// Options configure how sessions are measured. The zero value is ready to use.
type Options struct {
	// CacheDir is a directory in which weights are stored, so that a file is
	// measured again only after it changed: see [catalog.Index.Dir]. If it is
	// empty, nothing is stored.
	CacheDir string
	// Progress is called after each session, on the goroutine of Measure.
	Progress func(done, total int)
	// Skipped is called, on the same goroutine, for each session that could not
	// be read to its end. The part that was read counts.
	Skipped func(path string, err error)
}

// Measure measures sessions; the result has one weight for each, in their
// order. An error means that ctx ended.
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
		if w.weight.unpack(text) != nil { // stored by another program
			w.err = s.file(ctx, infos[i].Path)
			w.weight = s.Weight
		}
		artifacts := trash.Measure(infos[i].Path)
		w.weight[Artifacts] = Share{artifacts.Files, artifacts.Bytes}
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

// A scale measures files, one after the other.
type scale struct {
	lines  envelope.Lines
	record envelope.Record
	take   func(*envelope.Record)
	whole  *envelope.Line // the current line
	rest   int64          // number of its bytes that belong to no record
	Weight
}

func (s *scale) file(ctx context.Context, path string) error {
	s.Weight, s.take = Weight{}, s.entry
	_, err := s.lines.File(ctx, path, s.line)
	return err
}

const (
	// keptFile is the name of the cache file with the weights.
	keptFile = "space.db"
	// keptVersion increases with every change of the measurement or of its
	// stored form.
	keptVersion = 1
)

// KeptFiles returns the paths of the files that this package creates in a cache
// directory, whether they exist or not.
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
