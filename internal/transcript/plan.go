// Package transcript converts a path through a session into the context that a
// model sees.
//
// It works in two separate steps. [Build] makes the context exactly as pi does:
// the latest compaction, the range it keeps, edits, summaries. [Repair] then
// makes it acceptable to any provider and reports every change. [ForModel],
// which comes last, translates one message at a time from pith's own roles to
// those that models support.
//
// The package does no I/O: it asks its caller for the few lines it needs.
//
// # Invariants
//
//	C1  A context depends only on the path, not on other branches.
//	C2  Building costs a few steps per entry of the path; only the lines that decide
//	    something are read.
//	C3  A message that is not edited keeps its bytes.
//	C4  No provider rejects the output of Repair for its form; a context that is
//	    already acceptable is returned unchanged.
package transcript

import (
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Path is the path from a root to a leaf. Positions count from the root.
type Path interface {
	Len() int
	At(pos int) *journal.Entry
	// Line returns the entry's line as in the log. It is valid until the next
	// call.
	Line(pos int) ([]byte, error)
}

// A Plan determines which entries of a path make up a context, and how.
type Plan struct {
	Steps []Step
	// First is the position from which on entries of the path are included.
	First int
	// Boundary is the position of the compaction with which the context starts,
	// or -1.
	Boundary int
	// ThinkingLevel is the last one set on the path, or "off".
	ThinkingLevel string
	// Model is the last one chosen or responding on the path, or nil.
	Model *format.Model
	Notes []Note // about what is missing

	of    format.Program
	lines []Step // the messages that a compaction of Atomic keeps as lines
	edits map[string]*format.ContextEdit
}

// An Origin identifies the program of a path's file. Where programs differ, a
// context is made as the file's own program makes it (F110).
type Origin struct {
	Program format.Program
	// Header contains the settings that apply unless an entry changes them. It
	// may be nil.
	Header *format.Header
}

// A Step is one entry that may contribute to a context.
type Step struct {
	Pos  int // on the path
	From Source
}

// A Source determines how an entry becomes messages.
type Source uint8

const (
	// FromMessage: the entry's own message.
	FromMessage Source = iota
	// FromCustom: a custom_message entry.
	FromCustom
	// FromBranchSummary: the summary of an abandoned branch.
	FromBranchSummary
	// FromCompaction: the system message at the boundary, if any, and the summary.
	FromCompaction
	// FromLines: a compaction of Atomic, with the messages that it keeps as lines,
	// or before them if it is a summary.
	FromLines
	// FromNotes: the notebook of oh-my-pi.
	FromNotes
)

// A Note means that a compaction does not name the first entry that it keeps, or
// that entry is not before it on the path, so nothing before the compaction is
// kept (pitfall 88).
type Note struct {
	ID string // the id that it names, or ""
}

func (n Note) String() string {
	if n.ID == "" {
		return "the compaction does not specify which messages it keeps; only its summary remains of the earlier conversation"
	}
	return fmt.Sprintf("the compaction keeps messages from entry %q, which is not on this path; only its summary remains of the earlier conversation", n.ID)
}

// lastOf returns the last position before the given one of an entry of a kind, or
// -1. The kinds of resets count as one.
func lastOf(p Path, kind journal.Kind, before int) int {
	for pos := before - 1; pos >= 0; pos-- {
		if k := p.At(pos).Kind; k == kind || k.Resets() && kind.Resets() {
			return pos
		}
	}
	return -1
}

// find returns the first position in [from, before) of an entry with that id,
// which is not empty, or -1.
func find(p Path, id string, from, before int) int {
	for pos := from; pos < before; pos++ {
		if p.At(pos).ID == id {
			return pos
		}
	}
	return -1
}

// Build plans the context at the end of a path.
func Build(p Path, from Origin) (*Plan, error) {
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
	for i := start; i < p.Len(); i++ {
		if err := plan.add(p, i); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// begin returns the position after the last reset, or the first entry that the
// reset keeps, and adds the notebook that applies there.
func (plan *Plan) begin(p Path) (start int, err error) {
	reset := lastOf(p, journal.KindResetBoundary, p.Len())
	start = reset + 1
	if reset >= 0 && p.At(reset).Kind == journal.KindReset {
		line, err := p.Line(reset)
		if err != nil {
			return 0, err
		}
		if id := jsonl.LookupString(line, "firstKeptEntryId"); id != "" {
			if kept := find(p, id, 0, reset); kept >= 0 {
				start = kept
			}
		}
	}
	plan.First = start
	if plan.of != format.OhMyPi {
		return start, nil
	}
	for i := p.Len() - 1; i >= start; i-- {
		if p.At(i).Flags&journal.IsContextNotes == 0 {
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

// boundary returns the last compaction that counts, or -1. Atomic ignores those
// without lines.
func (plan *Plan) boundary(p Path) int {
	i := lastOf(p, journal.KindCompaction, p.Len())
	for plan.of == format.Atomic && i >= 0 && p.At(i).Flags&journal.IsVerbatim == 0 {
		i = lastOf(p, journal.KindCompaction, i)
	}
	return i
}

// settings determines model and thinking level: the last of each on the path,
// or else those of the header.
func (plan *Plan) settings(p Path, h *format.Header) error {
	if h != nil {
		provider, model, level := h.Settings()
		if level != "" {
			plan.ThinkingLevel = level
		}
		if provider != "" || model != "" {
			plan.Model = &format.Model{Provider: provider, ModelID: model}
		}
	}
	if i := lastOf(p, journal.KindThinkingLevelChange, p.Len()); i >= 0 {
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

// chosenModel uses the model that was chosen last. In oh-my-pi responses of
// other models do not change the choice: they come from a substitute.
func (plan *Plan) chosenModel(p Path) (done bool, err error) {
	for i := lastOf(p, journal.KindModelChange, p.Len()); i >= 0; i = lastOf(p, journal.KindModelChange, i) {
		if done, err := plan.takeModel(p, i); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// model uses the model that was chosen last or responded last. Responses are
// many, so they are searched from the end of the path back to the last choice.
func (plan *Plan) model(p Path) error {
	for end := p.Len(); end > 0; {
		chosen := lastOf(p, journal.KindModelChange, end)
		for i := end - 1; i >= max(chosen, 0); i-- {
			if e := p.At(i); i != chosen && (e.Kind != journal.KindMessage || e.Role != journal.RoleAssistant) {
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

// takeModel uses the model that an entry sets. done is false if it sets none,
// such as a change for a side role of oh-my-pi (smol, slow, fallback). A
// response without a model sets no other one.
func (plan *Plan) takeModel(p Path, i int) (done bool, err error) {
	entry, err := decode(p, i)
	switch e := entry.(type) {
	case *format.ModelChange:
		if e.Role == "" || e.Role == "default" {
			plan.Model = &format.Model{Provider: e.Provider, ModelID: e.ModelID}
			return true, err
		}
	case *format.MessageEntry:
		if a, ok := e.Message.(*format.Assistant); ok {
			if a.Provider != "" || a.Model != "" {
				plan.Model = &format.Model{Provider: a.Provider, ModelID: a.Model}
			}
			return true, err
		}
	}
	return false, err
}

// compacted plans the boundary and the range that it keeps. System messages of
// that range are part of the boundary's own and are not repeated (pitfall 95).
func (plan *Plan) compacted(p Path, start, boundary int) error {
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
		from = 0 // there a compaction is not limited by a reset before it
	}
	if c.FirstKeptEntryID != "" {
		if i := find(p, c.FirstKeptEntryID, from, boundary); i >= 0 {
			kept = i
		}
	}
	if plan.of == format.Atomic && isSummary(c.Details) {
		plan.Steps = append(plan.Steps, Step{boundary, FromLines})
		return plan.keep(p, kept, boundary)
	}
	if plan.of == format.Atomic {
		err := plan.keep(p, kept, boundary)
		plan.lines = plan.Steps
		plan.Steps = nil
		plan.Steps = append(plan.Steps, Step{boundary, FromLines})
		return err
	}
	plan.Steps = append(plan.Steps, Step{boundary, FromCompaction})
	if plan.of == format.OhMyPi {
		plan.lastRequest(p, c, start, kept)
		if replayed(c) {
			kept = max(find(p, replayThrough(c), start, boundary)+1, start)
			if kept == start {
				kept = boundary // the provider replays all of it
			}
			return plan.keep(p, kept, boundary)
		}
		if c.FirstKeptEntryID == "" && summarizedByProvider(c) {
			if i := find(p, replayThrough(c), from, boundary); i >= 0 {
				return plan.keep(p, i+1, boundary)
			}
		}
	}
	if kept == boundary && !keepsNone(c, p.At(boundary).ID) {
		plan.Notes = append(plan.Notes, Note{c.FirstKeptEntryID})
	}
	return plan.keep(p, kept, boundary)
}

// keep adds the entries that a compaction keeps.
func (plan *Plan) keep(p Path, kept, boundary int) error {
	plan.First = kept
	for i := kept; i < boundary; i++ {
		if e := p.At(i); e.Kind == journal.KindMessage && e.Role == journal.RoleSystem {
			continue
		}
		if err := plan.add(p, i); err != nil {
			return err
		}
	}
	return nil
}

// keepsNone reports whether a compaction states that it keeps nothing: by its
// own id (pitfall 89), or by null as Atomic writes it.
func keepsNone(c *format.Compaction, own string) bool {
	if c.FirstKeptEntryID != "" {
		return c.FirstKeptEntryID == own
	}
	raw, ok := jsonl.Lookup(c.Raw, "firstKeptEntryId")
	return ok && jsonl.IsNull(raw)
}

// add adds one selected entry. An older compaction inside the range contributes
// nothing (pitfall 87).
func (plan *Plan) add(p Path, i int) error {
	switch e := p.At(i); e.Kind {
	case journal.KindMessage:
		plan.Steps = append(plan.Steps, Step{i, FromMessage})
	case journal.KindCustomMessage:
		plan.Steps = append(plan.Steps, Step{i, FromCustom})
	case journal.KindBranchSummary:
		plan.Steps = append(plan.Steps, Step{i, FromBranchSummary})
	case journal.KindContextEdit:
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
	// The path may reuse the line; the decoded entry must stay valid.
	return format.DecodeEntry(append([]byte(nil), line...))
}
