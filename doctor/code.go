package doctor

import (
	"maps"
	"slices"
)

// A Code is the stable name of a kind of finding.
type Code string

// The kinds of findings about the bytes and lines of a file.
const (
	Torn         Code = "torn"
	NoNewline    Code = "no-newline"
	Fused        Code = "fused"
	Malformed    Code = "malformed"
	NulBytes     Code = "nul-bytes"
	Padded       Code = "padded"
	NotObject    Code = "not-object"
	NoType       Code = "no-type"
	NoMessage    Code = "no-message"
	BOM          Code = "bom"
	EarlyLine    Code = "early-line"
	LoneHalf     Code = "lone-surrogate"
	NotUTF8      Code = "not-utf8"
	BadTime      Code = "bad-time"
	TimeOrder    Code = "time-order"
	MissingHead  Code = "missing-header"
	ExtraHead    Code = "extra-header"
	HeaderTime   Code = "header-time"
	BadVersion   Code = "bad-version"
	OldVersion   Code = "old-version"
	TooNew       Code = "too-new"
	Empty        Code = "empty"
	NotSession   Code = "not-session"
	Unreadable   Code = "unreadable"
	OpenToOthers Code = "mode"
	Leftover     Code = "leftover"
)

// The kinds of findings about entries and their links.
const (
	NoID            Code = "no-id"
	DuplicateID     Code = "duplicate-id"
	MissingParent   Code = "missing-parent"
	SelfParent      Code = "self-parent"
	Cycle           Code = "cycle"
	OddParent       Code = "odd-parent"
	LabelTarget     Code = "label-target"
	KeptEntry       Code = "kept-entry"
	EditTarget      Code = "edit-target"
	BranchFrom      Code = "branch-from"
	OrphanResult    Code = "orphan-result"
	DuplicateResult Code = "duplicate-result"
	DanglingCall    Code = "dangling-call"
	HiddenHistory   Code = "hidden-history"
)

// A kind holds the properties common to all findings of a code.
type kind struct {
	severity Severity
	means    string // explanation for the user
	fix      string // effect of a repair; "" if there is none, or if it depends
}

const dropped = "leaves these bytes out; they stay in the kept file"

var kinds = map[Code]kind{
	Torn:        {Error, "the last write was cut off, so the last thing that was said or done may be missing", dropped},
	NoNewline:   {Note, "nothing is lost, but a program that appends without looking would spoil the last entry", "ends the last line"},
	Fused:       {Error, "pi skips the whole line, so what stands on it is missing there", "gives every whole entry a line of its own"},
	Malformed:   {Error, "the line cannot be read, so what it said is missing from the conversation", dropped},
	NulBytes:    {Warning, "a crash left empty space in the file; what should stand there was never written", dropped},
	Padded:      {Error, "pi skips the line, so the entry on it is missing there", "takes the NUL bytes away from the entry"},
	NotObject:   {Warning, "it is no entry, but pi takes it for one and may lose its place", dropped},
	NoType:      {Warning, "it is no entry, but pi takes it for one and may lose its place", dropped},
	NoMessage:   {Error, "pi stops with an error when it comes to this entry", "turns the entry into a note that no program shows; its place stays"},
	BOM:         {Error, "newer versions of pi do not take the file for a session", "takes the mark away"},
	EarlyLine:   {Warning, "something that cannot be read stands before the header", dropped},
	LoneHalf:    {Note, "half of a character stands in the text; it is shown, and sent to models, as a replacement character", "writes the replacement character, which everybody sees there anyway"},
	NotUTF8:     {Note, "the text holds bytes that are no characters; each is shown as a replacement character", "writes the replacement characters, which everybody sees there anyway"},
	BadTime:     {Warning, "when this happened is not known, and lists and branches may show it in the wrong order", "gives the entry the time of its message, or of the entry before it"},
	TimeOrder:   {Note, "a clock was set back or files were put together; branches may be shown in another order", ""},
	MissingHead: {Error, "no program opens the file as a session, and old versions of pi would write over it", "makes a header from what the file, its name and its neighbours tell"},
	ExtraHead:   {Warning, "a copy of a header stands between the entries; only the first counts", "leaves the copy out; it stays in the kept file"},
	HeaderTime:  {Warning, "when the session began is not known", "sets the time of the first entry"},
	BadVersion:  {Warning, "the header does not say which version of the format the file has", "brings the file to the present version"},
	OldVersion:  {Note, "the file is of an old version, which every program still reads", "brings the file to the present version, as the first write would"},
	TooNew:      {Error, "a newer program made the file: this one does not know it well enough to change it; update pith, or go on with the program that made it", ""},
	Empty:       {Note, "nothing was written yet; the first message makes it a session, and until then it can be deleted", ""},
	NotSession:  {Warning, "the file is something else and is left alone; if it does not belong here, move it away", ""},
	Unreadable:  {Error, "the file could not be looked at; once the reason is out of the way, look again", ""},
	OpenToOthers: {
		Note, "other users of this computer may be able to read the conversation", "makes the file private (mode 0600)",
	},
	Leftover: {Note, "a crash left an unfinished copy of a session behind; the session itself is not concerned", "removes it"},

	NoID:            {Error, "pi cannot link this entry, so what came before it is not shown", "gives the entry an id and the parent it had"},
	DuplicateID:     {Error, "pi takes one entry for the other, and may show the wrong branch or hang", "gives the earlier entry an id of its own; what hangs below it follows"},
	MissingParent:   {Error, "everything before this entry is missing from the conversation that leads here", ""},
	SelfParent:      {Error, "the entry names itself as the one before it: pi hangs when it opens the session here", ""},
	Cycle:           {Error, "entries lead in a circle: pi hangs when it opens the session here", ""},
	OddParent:       {Note, "the entry begins a conversation, but pi does not count it among the beginnings", "writes that it has no parent"},
	LabelTarget:     {Note, "the label is shown nowhere", ""},
	KeptEntry:       {Error, "models see only the summary of what came before, not the messages that were to be kept", "keeps what pi would have kept there: about the last 20,000 tokens"},
	EditTarget:      {Warning, "the change of what models see has no effect", "makes it a change of nothing; the entry stays in its place"},
	BranchFrom:      {Note, "the summary names a branch that is not in the file; the summary itself counts", ""},
	OrphanResult:    {Note, "a tool's result stands without its call; models get it as plain text", "makes it a message that quotes the result, and keeps the whole of it in the details"},
	DuplicateResult: {Note, "a tool's call was answered twice; models get the first answer", "makes it a message that quotes the result, and keeps the whole of it in the details"},
	DanglingCall:    {Note, "a tool was called and never answered; models are told that it was interrupted", "adds a result that says so; what came behind the call comes behind the result"},
	HiddenHistory:   {Error, "pi opens the session at an old place, and the newest conversation seems to be gone", "records the newest place as the last line, so that every program resumes there"},
}

// Codes returns all kinds of findings, sorted.
func Codes() []Code { return slices.Sorted(maps.Keys(kinds)) }

// Known reports whether the code exists.
func (c Code) Known() bool {
	_, ok := kinds[c]
	return ok
}

// Severity returns the severity of findings of that code.
func (c Code) Severity() Severity { return kinds[c].severity }
