// Package transcript turns a path through a session into what a model sees.
//
// It works in two steps that are never mixed. [Build] makes the context exactly
// as pi does: the latest compaction, the range it keeps, edits, summaries.
// [Repair] then makes it acceptable to any provider and reports every change.
// [ForModel] is the translation of pith's own roles to those that models know,
// for one message at a time; it comes last.
//
// The package is pure: it asks its caller for the few lines it needs and never
// touches a file.
//
// # Invariants
//
//	C1  A context depends on the path alone, not on other branches.
//	C2  Building costs one step per entry of the path, along a Route one per entry of the context; only the lines that decide something are read.
//	C3  A message that is not edited keeps its bytes.
//	C4  What Repair returns no provider refuses for its form; such a context Repair returns as it is.
package transcript

import (
	"fmt"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Path is the way from a root to a leaf. Positions count from the root.
type Path interface {
	Len() int
	At(pos int) envelope.Entry
	// ID is the entry's id; "" when it has none.
	ID(pos int) string
	// Line is the entry's line as it stands in the log. It stays valid until
	// the next call.
	Line(pos int) ([]byte, error)
}

// A Model names a model as a session records it.
type Model struct {
	Provider string
	ModelID  string
}

// A Plan says which entries of a path make up a context, and how.
type Plan struct {
	Steps []Step
	// First is the position from which on entries of the path are taken.
	First int
	// Boundary is the position of the compaction that the context begins with; -1
	// when there is none.
	Boundary int
	// ThinkingLevel is the last one set on the path; "off" when none was.
	ThinkingLevel string
	// Model is the last one chosen or answering on the path; nil when none was.
	Model *Model
	Notes []Note

	of    format.Program
	lines []Step // what a compaction of Atomic keeps as lines
	edits map[string]*format.ContextEdit
}

// An Origin says whose file a path comes from. Where programs differ, a context is
// made as the file's own program makes it (F110).
type Origin struct {
	Program format.Program
	// Header says what holds where no entry says otherwise. It may be nil.
	Header *format.Header
}

// A Step is one entry that may contribute to a context.
type Step struct {
	Pos  int // on the path
	From Source
}

// Source says how an entry becomes messages.
type Source uint8

const (
	// FromMessage: the entry's own message.
	FromMessage Source = iota
	// FromCustom: a custom_message entry.
	FromCustom
	// FromBranchSummary: the summary of a branch that was left.
	FromBranchSummary
	// FromCompaction: the system message at the boundary, if any, and the summary.
	FromCompaction
	// FromLines: a compaction of Atomic, with the messages that it keeps as lines.
	FromLines
	// FromNotes: the notebook of oh-my-pi.
	FromNotes
)

// A NoteKind says what about a path a reader should know.
type NoteKind uint8

// What a context can lack.
const (
	// KeptMissing: a compaction does not say from which entry on it keeps
	// messages, or that entry is not before it on the path, so nothing before the
	// compaction is kept (pitfall 88).
	KeptMissing NoteKind = iota + 1
)

// A Note is something that a context lacks and that its reader should know.
type Note struct {
	Kind NoteKind
	Pos  int    // the entry that says so
	ID   string // what it names; "" when it names nothing
}

func (n Note) String() string {
	if n.ID == "" {
		return "the compaction does not say which messages it keeps: only its summary is left of what came before"
	}
	return fmt.Sprintf("the compaction keeps messages from entry %q on, which is not on this path: only its summary is left of what came before", n.ID)
}

// Build plans the context at the end of a path. Of a [Route] it touches only what
// is in the context; along another path it walks.
func Build(path Path, from Origin) (*Plan, error) {
	p, ok := path.(Route)
	if !ok {
		p = walked{path}
	}
	plan := &Plan{ThinkingLevel: "off", Boundary: -1, of: from.Program}
	if err := plan.settings(p, from.Header); err != nil {
		return nil, err
	}
	start, err := plan.begin(p)
	if err != nil {
		return nil, err
	}
	if boundary := plan.boundary(p); boundary >= start {
		if err := plan.compacted(p, start, boundary); err != nil {
			return nil, err
		}
		start = boundary + 1
	}
	plan.Steps = slices.Grow(plan.Steps, p.Len()-start)
	for i := start; i < p.Len(); i++ {
		if err := plan.add(p, i); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// begin finds the position behind the last reset, or what that one keeps, and takes
// the notebook that holds there.
func (plan *Plan) begin(p Route) (start int, err error) {
	reset := p.LastOf(envelope.KindResetBoundary, p.Len())
	start = reset + 1
	if reset >= 0 && p.At(reset).Kind == envelope.KindReset {
		line, err := p.Line(reset)
		if err != nil {
			return 0, err
		}
		if id := jsonl.LookupString(line, "firstKeptEntryId"); id != "" {
			if kept := p.Find(id, 0, reset); kept >= 0 {
				start = kept
			}
		}
	}
	plan.First = start
	if plan.of != format.OhMyPi {
		return start, nil
	}
	for i := p.Len() - 1; i >= start; i-- {
		if p.At(i).Flags&envelope.IsContextNotes == 0 {
			continue
		}
		line, err := p.Line(i)
		if err != nil {
			return 0, err
		}
		if text, ok := notebook(line); ok {
			if text != "" {
				plan.Steps = append(plan.Steps, Step{i, FromNotes})
			}
			break
		}
	}
	return start, nil
}

// boundary is the last compaction that counts, or -1. Atomic passes over those that
// hold no lines.
func (plan *Plan) boundary(p Route) int {
	i := p.LastOf(envelope.KindCompaction, p.Len())
	for plan.of == format.Atomic && i >= 0 && p.At(i).Flags&envelope.IsVerbatim == 0 {
		i = p.LastOf(envelope.KindCompaction, i)
	}
	return i
}

// settings finds model and thinking level: the last of each on the path, else what
// the header says.
func (plan *Plan) settings(p Route, h *format.Header) error {
	if h != nil {
		provider, model, level := h.Settings()
		if level != "" {
			plan.ThinkingLevel = level
		}
		if provider != "" || model != "" {
			plan.Model = &Model{provider, model}
		}
	}
	if i := p.LastOf(envelope.KindThinkingLevelChange, p.Len()); i >= 0 {
		entry, err := decode(p, i)
		if err != nil {
			return err
		}
		if change, ok := entry.(*format.ThinkingLevelChange); ok && change.Level != "" { // oh-my-pi writes null
			plan.ThinkingLevel = change.Level
		}
	}
	if plan.of == format.OhMyPi {
		if done, err := plan.chosenModel(p); done || err != nil {
			return err
		}
	}
	return plan.model(p)
}

// chosenModel is the one that was chosen last. In oh-my-pi answers of others do not
// change the choice: they come from a model that stood in.
func (plan *Plan) chosenModel(p Route) (done bool, err error) {
	for i := p.LastOf(envelope.KindModelChange, p.Len()); i >= 0; i = p.LastOf(envelope.KindModelChange, i) {
		if done, err := plan.takeModel(p, i); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// model is the one that was chosen last or answered last. Answers are many, so
// they are looked for from the end of the path back to the last choice.
func (plan *Plan) model(p Route) error {
	for end := p.Len(); end > 0; {
		chosen := p.LastOf(envelope.KindModelChange, end)
		for i := end - 1; i >= max(chosen, 0); i-- {
			if e := p.At(i); i != chosen && (e.Kind != envelope.KindMessage || e.Role != envelope.RoleAssistant) {
				continue
			}
			if done, err := plan.takeModel(p, i); done || err != nil {
				return err
			}
		}
		end = chosen
	}
	return nil
}

// takeModel takes the model that an entry says the conversation goes on with. done
// is false when it says nothing about that, as a change for a side role of oh-my-pi
// (smol, slow, fallback). An answer that names no model leaves none.
func (plan *Plan) takeModel(p Path, i int) (done bool, err error) {
	entry, err := decode(p, i)
	switch e := entry.(type) {
	case *format.ModelChange:
		if e.Role == "" || e.Role == "default" {
			plan.Model = &Model{e.Provider, e.ModelID}
			return true, err
		}
	case *format.MessageEntry:
		if a, ok := e.Message.(*format.Assistant); ok {
			if a.Provider != "" || a.Model != "" {
				plan.Model = &Model{a.Provider, a.Model}
			}
			return true, err
		}
	}
	return false, err
}

// compacted plans the boundary and the range that it keeps. System messages of
// that range are part of the boundary's own and are not repeated (pitfall 95).
func (plan *Plan) compacted(p Route, start, boundary int) error {
	entry, err := decode(p, boundary)
	if err != nil {
		return err
	}
	plan.First, plan.Boundary = boundary, boundary
	c, ok := entry.(*format.Compaction)
	if !ok {
		plan.Steps = append(plan.Steps, Step{boundary, FromCompaction})
		return nil
	}
	kept, from := boundary, start
	if plan.of == format.OhMyPi {
		from = 0 // there a compaction is not bound by a reset before it
	}
	if c.FirstKeptEntryID != "" {
		if i := p.Find(c.FirstKeptEntryID, from, boundary); i >= 0 {
			kept = i
		}
	}
	if plan.of == format.Atomic {
		err := plan.keep(p, kept, boundary)
		plan.lines = plan.Steps
		plan.Steps = []Step{{boundary, FromLines}}
		return err
	}
	plan.Steps = append(plan.Steps, Step{boundary, FromCompaction})
	if plan.of == format.OhMyPi {
		plan.lastRequest(p, c, start, kept)
		if replayed(c) {
			kept = max(p.Find(replayThrough(c), start, boundary)+1, start)
			if kept == start {
				kept = boundary // all of it is in what the provider replays
			}
			return plan.keep(p, kept, boundary)
		}
		if c.FirstKeptEntryID == "" && summarizedByProvider(c) {
			if i := p.Find(replayThrough(c), from, boundary); i >= 0 {
				return plan.keep(p, i+1, boundary)
			}
		}
	}
	if kept == boundary && !keepsNone(c, p.ID(boundary)) {
		plan.Notes = append(plan.Notes, Note{KeptMissing, boundary, c.FirstKeptEntryID})
	}
	return plan.keep(p, kept, boundary)
}

// keep takes the entries that a compaction keeps.
func (plan *Plan) keep(p Route, kept, boundary int) error {
	plan.First = kept
	for i := kept; i < boundary; i++ {
		if e := p.At(i); e.Kind == envelope.KindMessage && e.Role == envelope.RoleSystem {
			continue
		}
		if err := plan.add(p, i); err != nil {
			return err
		}
	}
	return nil
}

// keepsNone reports whether a compaction says that it keeps nothing: by its own
// id (pitfall 89), or by null as Atomic writes it.
func keepsNone(c *format.Compaction, own string) bool {
	if c.FirstKeptEntryID != "" {
		return c.FirstKeptEntryID == own
	}
	raw, ok := jsonl.Lookup(c.Raw, "firstKeptEntryId")
	return ok && jsonl.IsNull(raw)
}

// add takes one selected entry. An older compaction inside the range
// contributes nothing (pitfall 87).
func (plan *Plan) add(p Path, i int) error {
	switch e := p.At(i); e.Kind {
	case envelope.KindMessage:
		plan.Steps = append(plan.Steps, Step{i, FromMessage})
	case envelope.KindCustomMessage:
		plan.Steps = append(plan.Steps, Step{i, FromCustom})
	case envelope.KindBranchSummary:
		plan.Steps = append(plan.Steps, Step{i, FromBranchSummary})
	case envelope.KindContextEdit:
		entry, err := decode(p, i)
		if err != nil {
			return err
		}
		if edit, ok := entry.(*format.ContextEdit); ok && edit.TargetID != "" {
			if plan.edits == nil {
				plan.edits = make(map[string]*format.ContextEdit)
			}
			plan.edits[edit.TargetID] = edit
		}
	}
	return nil
}

func decode(p Path, pos int) (format.Entry, error) {
	line, err := p.Line(pos)
	if err != nil {
		return nil, err
	}
	// The line is the path's to reuse; what is decoded of it stays.
	return format.DecodeEntry(append([]byte(nil), line...))
}
