package catalog

import (
	"bytes"
	"errors"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// facts gathers what a list says about a session, line by line in file order.
type facts struct {
	query query

	begun   bool // a header was found
	stopped bool // the rest of the file is not read
	head    format.Header
	slot    string // oh-my-pi's title slot

	entries, findings, messages int

	named bool // an entry gave the session a name, or took it away
	name  string
	title string // oh-my-pi's record of its titles

	model string
	spent Spending
	ends  ends

	activity int64  // milliseconds of the last message of user or assistant; 0 before it
	first    string // first text of the user
	stopgap  string // first text of others
	text     []byte

	spans [len(entryKeys)]jsonl.Span
}

var entryKeys = [...]string{"type", "id", "parentId", "timestamp", "message"}

const (
	keyType    = 0
	keyID      = 1
	keyParent  = 2
	keyTime    = 3
	keyMessage = 4
)

var entryScanner = jsonl.NewKeys(entryKeys[:]...)

// errEnough is what a line's taker returns to end the reading.
var errEnough = errors.New("enough was read")

// keptText is up to which a buffer that a long text made large is kept.
const keptText = 4 << 20

// maxHead is how far into a file a header is looked for, as sessiondir.ReadHeader does.
const maxHead = 64 << 20

var byteOrderMark = []byte("\xef\xbb\xbf")

func (f *facts) reset(q query) {
	ends := f.ends
	ends.reset()
	*f = facts{query: q, text: f.text[:0], ends: ends}
	if cap(f.text) > keptText {
		f.text = nil
	}
}

// line takes the next line of the file.
func (f *facts) line(line []byte, off int64) error {
	if off == 0 {
		line = bytes.TrimPrefix(line, byteOrderMark) // pitfall 7
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	shape, _ := entryScanner.Scan(line, f.spans[:])
	if !f.begun {
		return f.beforeHeader(shape, line, off)
	}
	switch shape {
	case jsonl.Object:
		f.object(line)
	case jsonl.Other:
		f.findings++
	case jsonl.Invalid:
		f.findings++
		f.salvage(line)
	}
	return nil
}

// beforeHeader takes a line before the header was found. What is not an object
// is passed over, as everywhere; the first object decides what the file is.
func (f *facts) beforeHeader(shape jsonl.Shape, line []byte, off int64) error {
	if shape != jsonl.Object {
		f.findings++
		if off > maxHead {
			return pith.ErrNotSession
		}
		record, ok := envelope.FirstRecord(line)
		if shape == jsonl.Other || !ok {
			return nil
		}
		if err := f.beforeHeader(jsonl.Object, record, off); err != nil || !f.begun {
			return err
		}
		_, rest, _ := bytes.Cut(line, record)
		f.salvage(rest)
		return nil
	}
	switch format.ClassifyFirst(line) {
	case format.FirstTitleSlot:
		if slot, ok := format.DecodeTitleSlot(line); ok && f.slot == "" {
			f.slot = slot.Title
		}
		return nil
	case format.FirstHeader:
		h, err := format.DecodeHeader(line)
		if err != nil {
			return err
		}
		return f.begin(h)
	case format.FirstV4:
		if err := f.begin(v4Header(line)); err != nil {
			return err
		}
		f.stopped = true
		return errEnough
	}
	return pith.ErrNotSession
}

func (f *facts) begin(h *format.Header) error {
	f.begun, f.head = true, *h
	f.head.Raw = nil // it points into the buffer
	f.model = joinModel(h.Provider, h.ModelID)
	switch {
	case !f.query.wants(h.Cwd, h.Internal):
		return errUnwanted
	case f.query.headOnly:
		f.stopped = true
		return errEnough
	}
	return nil
}

// object takes a record; f.spans point at its members.
func (f *facts) object(line []byte) {
	typ, ok := envelope.Text(f.spans[keyType].Of(line))
	if !ok || string(typ) == string(format.TypeSession) {
		f.findings++
		return
	}
	f.entries++
	id, _ := envelope.Text(f.spans[keyID].Of(line))
	parent, _ := envelope.Text(f.spans[keyParent].Of(line))
	var at state
	var decides bool
	switch format.Type(typ) {
	case format.TypeMessage:
		at, decides = f.message(line)
	case format.TypeSessionInfo:
		f.named, f.name = true, format.TrimName(jsonl.LookupString(line, "name"))
	case format.TypeTitleChange:
		f.title = jsonl.LookupString(line, "title")
	case format.TypeModelChange:
		f.modelChange(line)
	case format.TypeCompaction, format.TypeBranchSummary, format.TypeUsage:
		f.spent.addMember(line)
	}
	note := format.Type(typ) == format.TypeLabel || format.Type(typ) == format.TypeSessionInfo
	f.ends.add(id, parent, at, decides, note)
}

// modelChange knows pi's two members and oh-my-pi's one.
func (f *facts) modelChange(line []byte) {
	model := joinModel(jsonl.LookupString(line, "provider"), jsonl.LookupString(line, "modelId"))
	if model == "" {
		model = jsonl.LookupString(line, "model")
	}
	if model != "" {
		f.model = model
	}
}

// info is the outcome for a file of which so many bytes were read.
func (f *facts) info(of *file, size int64) Info {
	written := of.modified
	info := Info{
		Path: of.path, Root: of.root, Size: size, Inode: of.inode,
		ID: f.head.ID, Cwd: f.head.Cwd, Name: f.displayName(), ParentSession: f.head.Parent(),
		Created: written, Modified: written, FileTime: written,
		MessageCount: f.messages, FirstMessage: f.firstMessage(),
		Version: f.head.Version, Internal: f.head.Internal,
		Entries: f.entries, Findings: f.findings, Model: f.model,
		Spent: f.spent, Branches: f.ends.count(), Status: stateNames[f.ends.stand],
	}
	if f.query.text {
		info.Text = string(f.text)
	}
	if t, ok := f.head.Time(); ok { // pitfall 22
		info.Created, info.Modified = t, t
	}
	if f.head.Version > format.Version && f.messages == 0 {
		info.Modified = written // its messages could not be read
	}
	if f.activity > 0 {
		info.Modified = time.UnixMilli(f.activity).UTC()
	}
	return info
}

func (f *facts) displayName() string {
	switch {
	case f.named:
		return f.name
	case f.slot != "":
		return f.slot
	case f.head.Title != "":
		return f.head.Title
	}
	return f.title
}

func (f *facts) firstMessage() string {
	switch {
	case f.first != "":
		return f.first
	case f.stopgap != "":
		return f.stopgap
	}
	return NoMessages
}
