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
	TooLong      Code = "too-long"
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

const dropped = "remove these bytes; the backup keeps them"

var kinds = map[Code]kind{
	Torn:        {Error, "the last write was interrupted; the last message or result may be missing", dropped},
	NoNewline:   {Note, "nothing is lost, but a program that appends without checking would damage the last entry", "add the newline"},
	Fused:       {Error, "pi skips the whole line, so these entries are missing there", "put each complete entry on its own line"},
	Malformed:   {Error, "the line cannot be read; its content is missing from the conversation", dropped},
	NulBytes:    {Warning, "a crash left empty space in the file; the data was never written", dropped},
	Padded:      {Error, "pi skips the line, so the entry on it is missing there", "remove the NUL bytes"},
	NotObject:   {Warning, "it is not an entry, but pi treats it as one and may lose the current entry", dropped},
	NoType:      {Warning, "it is not an entry, but pi treats it as one and may lose the current entry", dropped},
	NoMessage:   {Error, "pi stops with an error at this entry", "turn the entry into a hidden note; the tree does not change"},
	BOM:         {Error, "newer versions of pi do not recognize the file as a session", "remove the byte order mark"},
	EarlyLine:   {Warning, "there is unreadable data before the header", dropped},
	TooLong:     {Error, "pith reads lines of at most 256 MB; the content of this one is missing from the conversation", dropped},
	LoneHalf:    {Note, "the text contains half of a character; it is shown, and sent to models, as a replacement character", ""},
	NotUTF8:     {Note, "the text contains bytes that are not characters; each is shown as a replacement character", ""},
	BadTime:     {Warning, "its time is unknown; lists and branches may show it in the wrong order", "use the time of its message, or of the previous entry"},
	TimeOrder:   {Note, "a clock was set back or files were merged; branches may be shown in another order", ""},
	MissingHead: {Error, "no program opens the file as a session, and old versions of pi would overwrite it", "make a header from the file, its name and other sessions"},
	ExtraHead:   {Warning, "there is another header between the entries; only the first counts", "remove it; the backup keeps it"},
	HeaderTime:  {Warning, "the start time of the session is unknown", "use the time of the first entry"},
	BadVersion:  {Warning, "the header does not specify the format version", "upgrade the file to the current version"},
	OldVersion:  {Note, "the file has an old format, which every program still reads", "upgrade the file to the current version, as the first write would"},
	TooNew:      {Error, "a newer program made the file, and this pith cannot change it safely; upgrade pith, or continue with that program", ""},
	Empty:       {Note, "nothing was written yet; the first message makes it a session, and until then it can be deleted", ""},
	NotSession:  {Warning, "the file is something else and is not changed; if it does not belong here, move it away", ""},
	Unreadable:  {Error, "the file could not be checked; solve the problem and check again", ""},
	OpenToOthers: {
		Note, "other users of this computer may be able to read the conversation", "make the file private (mode 0600)",
	},
	Leftover: {Note, "a crash left an unfinished copy of a session; the session itself is not affected", "remove it"},

	NoID:            {Error, "pi cannot link this entry, so the entries before it are not shown", "give the entry an ID and its original parent"},
	DuplicateID:     {Error, "pi confuses the two entries and may show the wrong branch or hang", "give the earlier entry a new ID and update its children"},
	MissingParent:   {Error, "everything before this entry is missing from its branch", ""},
	SelfParent:      {Error, "the entry is its own parent; pi hangs when it opens the session here", ""},
	Cycle:           {Error, "the entries form a cycle; pi hangs when it opens the session here", ""},
	OddParent:       {Note, "the entry is a root, but pi does not treat it as one", "set its parent to null"},
	LabelTarget:     {Note, "the label is not shown", ""},
	KeptEntry:       {Error, "models see only the summary, not the messages to keep", "keep what pi would have kept: about the last 20,000 tokens"},
	EditTarget:      {Warning, "the context edit has no effect", ""},
	BranchFrom:      {Note, "the summary refers to a branch that is not in the file; the summary itself is still used", ""},
	OrphanResult:    {Note, "the tool result has no call; models get it as plain text", "make it a message that quotes the result, and keep all of it in the details"},
	DuplicateResult: {Note, "the tool call has two results; models get the first", "make it a message that quotes the result, and keep all of it in the details"},
	DanglingCall:    {Note, "the tool was interrupted or is still running; models get a result that reports an interruption", ""},
	HiddenHistory:   {Warning, "programs continue at an older entry; the later messages are on another branch", ""},
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
