package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Header is the first line of a session. It describes the session and is not
// part of its tree. Only the first five fields are pi's; the others come from
// older versions and other programs. Fields unknown to this package remain in
// Raw.
type Header struct {
	// Version is 1 if the file does not specify one (F20).
	Version   int
	ID        string
	Timestamp string
	// Cwd is the working directory, or "" if the file does not specify one
	// (F22).
	Cwd string
	// ParentSession is the session that this one was made from: a path or, in
	// oh-my-pi files, an id. Use Parent, which also considers BranchedFrom.
	ParentSession string
	BranchedFrom  string

	Provider, ModelID, ThinkingLevel string // pi_agent_rust and pi before 0.30
	Title                            string // oh-my-pi

	// LeafID is the leaf recorded by pi_agent_rust, if HasLeafID is set. An
	// empty LeafID then means before the first entry.
	LeafID    string
	HasLeafID bool

	// Internal marks a session that a workflow made (Atomic). It is set only
	// together with a complete Workflow.
	Internal bool
	Workflow *Workflow

	// Archived marks a translated session that is archived in its program.
	Archived bool

	// Source is the program that stores the session in its own format, such as
	// "claude", and Original is the file or database that holds it. The lines
	// of such a session are a read-only translation.
	Source, Original string

	// Raw is the line as decoded, nil for a header made in memory.
	Raw json.RawMessage
}

// A Workflow names the stage of an Atomic workflow that made a session.
type Workflow struct{ RunID, StageID, StageName string }

// Clone returns a copy that shares no memory with the header.
func (h *Header) Clone() *Header {
	c := *h
	c.Raw = slices.Clone(h.Raw)
	if h.Workflow != nil {
		w := *h.Workflow
		c.Workflow = &w
	}
	return &c
}

// Parent returns the session that this one was made from, or "".
func (h *Header) Parent() string {
	return cmp.Or(h.ParentSession, h.BranchedFrom)
}

// Time returns the time when the session was made. ok is false if the header
// has no valid timestamp; callers then fall back, for example to the first
// entry.
func (h *Header) Time() (t time.Time, ok bool) { return ParseTime(h.Timestamp) }

// NeedsMigration reports whether the file's version is older than [Version]. A
// file of the current version can still contain lines without ids: copies that
// pi made of version 1 files, and files of pi_agent_rust.
func (h *Header) NeedsMigration() bool { return h.Version < Version }

// Settings returns the initial model and thinking level of the session from a
// header of pi_agent_rust, or "" for missing ones. pi before 0.30 wrote such
// members too, into headers without a version, but does not use them. A header
// whose version comes after them was upgraded from such a header, and also
// returns "".
func (h *Header) Settings() (provider, modelID, level string) {
	for key := range jsonl.Members(h.Raw) {
		switch string(nameOf(key)) {
		case "version":
			return h.Provider, h.ModelID, h.ThinkingLevel
		case "provider", "modelId", "thinkingLevel":
			return "", "", ""
		}
	}
	return "", "", ""
}

// CheckWritable returns an error that wraps [ErrTooNew] if a newer program made
// the session, and a *[ForeignError] if the session is a translation. Such
// sessions are readable, but an appended entry would be lost or misread.
func (h *Header) CheckWritable() error {
	if h.Source != "" {
		return &ForeignError{Source: h.Source, Session: h.ID, Original: h.Original}
	}
	if h.Version > Version {
		return tooNewError(strconv.Itoa(h.Version))
	}
	return nil
}

// A tooNewError is the format version of a session that a newer program made.
type tooNewError string

func (e tooNewError) Error() string {
	return fmt.Sprintf("format version %s is newer than this pith (%d); upgrade pith", string(e), Version)
}

func (tooNewError) Unwrap() error { return ErrTooNew }

// DecodeHeader decodes the header line of a session. The error wraps
// [ErrSyntax] for a line that is not a JSON object, [ErrTooNew] for the first
// line of a version 4 file, and [ErrNotSession] for any other line without the
// type "session" and a string id. A version above [Version] is accepted here;
// see CheckWritable. A byte order mark before the line is ignored.
func DecodeHeader(line []byte) (*Header, error) {
	line = trimMark(line)
	first, err := scanFirst(line)
	switch {
	case err != nil:
		return nil, fmt.Errorf("session header: %w", err)
	case first == FirstV4:
		return nil, tooNewError("4 or above")
	case first != FirstHeader:
		return nil, fmt.Errorf("session header: the type is not %q: %w", TypeSession, ErrNotSession)
	}
	c := newCodec(reading, line)
	defer c.release()
	id, ok := jsonl.String(c.last("id"))
	if !ok {
		return nil, fmt.Errorf("session header: missing string id: %w", ErrNotSession)
	}
	h := &Header{ID: id, Version: asVersion(c.last("version")), Workflow: asWorkflow(c.last("workflow")), Raw: clip(line)}
	h.LeafID, h.HasLeafID = jsonl.String(c.last("leafId"))
	h.Internal = asBool(c.last("internal")) && h.Workflow != nil
	h.Archived = asBool(c.last("archived"))
	field(c, "timestamp", &h.Timestamp, textKind)
	field(c, "cwd", &h.Cwd, textKind)
	field(c, "parentSession", &h.ParentSession, textKind)
	field(c, "branchedFrom", &h.BranchedFrom, textKind)
	field(c, "provider", &h.Provider, textKind)
	field(c, "modelId", &h.ModelID, textKind)
	field(c, "thinkingLevel", &h.ThinkingLevel, textKind)
	field(c, "title", &h.Title, textKind)
	field(c, "source", &h.Source, textKind)
	field(c, "original", &h.Original, textKind)
	return h, nil
}

// asVersion reads a value that is missing, zero or not a number as 1. A
// fraction is rounded up, so that 3.5 is too new.
func asVersion(raw []byte) int {
	v := math.Ceil(asFloat(raw))
	return int(min(max(v, 1), math.MaxInt32))
}

func asWorkflow(raw []byte) *Workflow {
	w := Workflow{jsonl.LookupString(raw, "runId"), jsonl.LookupString(raw, "stageId"), jsonl.LookupString(raw, "stageName")}
	if w.RunID == "" || w.StageID == "" || w.StageName == "" {
		return nil
	}
	return &w
}

// AppendHeader appends the header of a new session as pi 1.5.0 writes it,
// without a line feed. It writes the fields and not Raw, because a header is
// written again only for another session; an existing one is kept or goes
// through [Migrator.Header]. A zero version is written as [Version]. An
// internal session keeps its workflow, which Atomic copies to sessions made
// from it.
func AppendHeader(dst []byte, h *Header) []byte {
	version := cmp.Or(h.Version, Version)
	o := openObject(dst)
	o.str("type", string(TypeSession))
	o.int("version", int64(version))
	o.str("id", h.ID)
	o.str("timestamp", h.Timestamp)
	o.str("cwd", h.Cwd)
	o.optStr("parentSession", h.ParentSession)
	if h.Internal && h.Workflow != nil {
		o.key("internal")
		o.buf = append(o.buf, "true"...)
		o.key("workflow")
		w := openObject(o.buf)
		w.str("runId", h.Workflow.RunID)
		w.str("stageId", h.Workflow.StageID)
		w.str("stageName", h.Workflow.StageName)
		o.buf = w.close()
	}
	return o.close()
}

var byteOrderMark = []byte("\ufeff")

func trimMark(line []byte) []byte { return bytes.TrimPrefix(line, byteOrderMark) }
