package catalog

import (
	"bytes"
	"errors"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/edits"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/prices"
	"github.com/pith-sessions/pith/internal/spending"
	"github.com/pith-sessions/pith/sessiondir"
)

// facts collects the facts of a session, line by line in file order.
type facts struct {
	query query

	hasHeader bool // a header was found
	stopped   bool // the rest of the file is not read
	head      format.Header
	slot      string // oh-my-pi's title slot
	sign      journal.Signature

	entries, findings, messages int

	named bool // an entry named the session or cleared its name
	name  string
	title string // the last title_change record of oh-my-pi

	model     string
	spent     format.Spent
	unknown   prices.Unknown   // the part of spent without a recorded cost
	responses spending.Scanner // if the query asks for them
	touches   edits.Scanner    // if the query asks for them
	at        edits.Span       // the line of the record
	ends      ends

	activity int64  // milliseconds of the last user or assistant message; 0 before the first
	first    string // first user text
	stopgap  string // first text of other roles
	text     []byte

	record journal.Record
	taker  func(*journal.Record) // f.take, allocated once
	failed error                 // why the last record cannot start a session
}

// errEnough is returned by a line callback to stop reading.
var errEnough = errors.New("enough was read")

// keptText is the capacity up to which the text buffer is reused.
const keptText = 4 << 20

var byteOrderMark = []byte("\xef\xbb\xbf")

func (f *facts) reset(q query) {
	f.ends.reset()
	f.responses.Reset()
	f.touches.Reset()
	f.unknown.Reset()
	*f = facts{query: q, unknown: f.unknown, text: f.text[:0], ends: f.ends, responses: f.responses, taker: f.taker}
	if cap(f.text) > keptText {
		f.text = nil
	}
}

// line handles a line of size bytes at an offset.
func (f *facts) line(line []byte, off, size int64) error {
	if off == 0 {
		line = bytes.TrimPrefix(line, byteOrderMark) // pitfall 7
	}
	if f.taker == nil {
		f.taker = f.take
	}
	if f.hasEnough() {
		return errEnough
	}
	f.at = edits.Span{At: off, Size: size}
	if fault := f.record.Each(line, f.taker); fault != 0 && !f.stopped {
		f.findings++
	}
	if f.failed == nil && f.hasEnough() {
		return errEnough
	}
	return f.failed
}

// hasEnough reports whether nothing in the rest of the file is needed.
func (f *facts) hasEnough() bool { return f.stopped && !f.query.spent && !f.query.touched }

// take adds a record. Anything that is not a record is skipped. The first
// record decides the kind of the file.
func (f *facts) take(r *journal.Record) {
	switch {
	case f.failed != nil:
	case f.stopped:
		f.collect(r, f.spentBy(r))
	case f.hasHeader:
		f.entry(r)
	default:
		f.failed = f.opening(r.Line())
	}
}

// opening handles a record before the header was found.
func (f *facts) opening(record []byte) error {
	switch format.ClassifyFirst(record) {
	case format.FirstTitleSlot:
		if title, ok := format.DecodeTitleSlot(record); ok && f.slot == "" {
			f.slot = title
			f.sign.TakeSlot()
		}
		return nil
	case format.FirstHeader:
		h, err := format.DecodeHeader(record)
		if err != nil {
			return err
		}
		return f.begin(h)
	case format.FirstV4:
		if err := f.begin(v4Header(record)); err != nil {
			return err
		}
		f.stopped = true
		return nil
	}
	return pith.ErrNotSession
}

func (f *facts) begin(h *format.Header) error {
	f.hasHeader, f.head = true, *h
	f.sign.TakeHeader(h)
	f.head.Raw = nil // it points into the buffer
	f.model = format.ModelName(h.Provider, h.ModelID)
	switch {
	case !f.query.wants(h.Cwd, h.Internal):
		return errUnwanted
	case f.query.headOnly:
		f.stopped = true
	}
	return nil
}

// entry handles a record after the header.
func (f *facts) entry(r *journal.Record) {
	if !r.IsEntry() {
		f.findings++
		return
	}
	if f.entries == 0 && r.IsEvent() {
		f.failed = pith.ErrNotSession // the event stream of a run may start with a header
		return
	}
	f.entries++
	f.sign.TakeRecord(r)
	kind := r.Kind()
	var at state
	var decides bool
	switch kind {
	case journal.KindMessage:
		at, decides = f.message(r)
	case journal.KindSessionInfo:
		name, _ := jsonl.String(r.Member("name"))
		f.named, f.name = true, format.TrimName(name)
	case journal.KindForeignNote:
		if string(r.Type()) == string(format.TypeTitleChange) {
			f.title, _ = jsonl.String(r.Member("title"))
		}
	case journal.KindModelChange:
		f.modelChange(r.Line())
	}
	spent := f.spentBy(r)
	f.spent = f.spent.Plus(spent)
	if spent.Unpriced > 0 {
		model, at := f.responses.Call(r)
		f.unknown.Add(model, at, spent)
	}
	f.collect(r, spent)
	f.ends.add(r.ID(), r.Parent(), at, decides)
}

// spentBy returns what a record says that it consumed.
func (f *facts) spentBy(r *journal.Record) (spent format.Spent) {
	if usage := r.Usage(); usage != nil {
		spent = format.DecodeSpent(usage)
	}
	return spent
}

// collect adds what the query asks for of a record.
func (f *facts) collect(r *journal.Record, spent format.Spent) {
	if f.query.spent {
		f.responses.Record(r, spent)
	}
	if f.query.touched {
		f.touches.Record(r, f.at)
	}
}

// modelChange reads pi's two members or oh-my-pi's single member.
func (f *facts) modelChange(line []byte) {
	model := format.ModelName(jsonl.LookupString(line, "provider"), jsonl.LookupString(line, "modelId"))
	if model == "" {
		model = jsonl.LookupString(line, "model")
	}
	if model != "" {
		f.model = model
	}
}

// info returns the facts of a file of which size bytes were read.
func (f *facts) info(of *file, size int64) Info {
	path, written := of.path(), of.modified
	info := Info{
		Path: path, Root: of.root(), Size: size, Inode: Inode(of.inode),
		ID: f.head.ID, Cwd: f.head.Cwd, Name: f.displayName(path), ParentSession: f.head.Parent(),
		Created: written, Modified: sessiondir.LastUsed(&f.head, f.activity, written), FileTime: written,
		MessageCount: f.messages, FirstMessage: f.firstMessage(),
		Version: f.head.Version, Internal: f.head.Internal, Archived: f.head.Archived,
		Entries: f.entries, Findings: f.findings, Model: f.model,
		Spent: f.unknown.Estimate(f.spent), Branches: f.ends.count(), Status: stateNames[f.ends.state],
	}
	if info.Name == "" && !f.named && info.Root == RootOhMyPi {
		info.Name = storedTitle(path, info.ID)
	}
	if f.query.text {
		info.Text = string(f.text)
	}
	if t, ok := f.head.Time(); ok { // pitfall 22
		info.Created = t
	}
	return info
}

func (f *facts) displayName(path string) string {
	if f.slot == "" && f.head.Title == "" && f.title == "" && f.name == "" {
		return "" // the same for every program
	}
	return journal.Titles{Slot: f.slot, Header: f.head.Title, Record: f.title, Named: f.named, Name: f.name}.Of(f.sign.Program(path))
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
