package format

import (
	"bytes"
	"encoding/json"
	"time"
)

// An Entry is one line of a session after the header: a *[MessageEntry],
// *[ModelChange], *[ThinkingLevelChange], *[Compaction], *[BranchSummary],
// *[Custom], *[CustomMessage], *[Label], *[SessionInfo], *[UsageEntry],
// *[ContextEdit] or *[UnknownEntry].
type Entry interface {
	// Head returns the fields common to all entries. The caller may change the
	// result for an entry made in memory; the bytes of a decoded entry do not
	// change.
	Head() *Base

	kind() Type // the type that its Go type implies
	record
}

// A Base is the envelope of an entry.
type Base struct {
	// Type is the type as read. An entry made in memory is written with the
	// type that its Go type implies; only UnknownEntry writes this field.
	Type Type
	// ID is an opaque string. pi generates eight hex digits, other programs do
	// not. It is empty for a line of an old file without ids; see LineID.
	ID string
	// ParentID is empty for a root: null, missing or not a string.
	ParentID  string
	Timestamp string
	// Raw is the line as decoded, nil for an entry made in memory.
	Raw json.RawMessage
}

// Head implements [Entry] for the types that embed a Base.
func (b *Base) Head() *Base { return b }

// Time returns the time of the entry. ok is false if it has no valid timestamp.
func (b *Base) Time() (t time.Time, ok bool) { return ParseTime(b.Timestamp) }

// A MessageEntry is a message of the conversation.
type MessageEntry struct {
	Base
	// Message is never nil after decoding: a line without a message holds an
	// UnknownMessage.
	Message Message
}

// A ModelChange switches the model.
type ModelChange struct {
	Base
	// Provider and ModelID are also read from oh-my-pi's "model", "provider/id".
	Provider, ModelID string
	// Role is the purpose of the model (oh-my-pi, pi_agent_rust).
	Role string
}

// A ThinkingLevelChange sets the thinking level of the model.
type ThinkingLevelChange struct {
	Base
	Level string
}

// A Compaction replaces earlier entries by a summary for the model.
type Compaction struct {
	Base
	Summary string
	// FirstKeptEntryID is the first entry before the compaction that the model
	// still sees. The compaction's own id means that the model sees none.
	FirstKeptEntryID string
	TokensBefore     int64
	// Details belong to the program that made the summary: those of pi and pith
	// list files, those of extensions can be anything.
	Details json.RawMessage
	// FromHook is true if an extension made the summary; nil if unknown.
	FromHook *bool
	Usage    *Usage
	// SystemMessage is the prompt and the tools in force at this entry.
	SystemMessage json.RawMessage
}

// A BranchSummary is a summary of an abandoned branch for the model.
type BranchSummary struct {
	Base
	// FromID is the leaf of the abandoned branch, or "root" if there was none.
	// Atomic, and pi before 0.84.3, wrote the destination instead.
	FromID, Summary string
	Details         json.RawMessage // as in [Compaction]
	FromHook        *bool
	Usage           *Usage
}

// LeftAt returns the leaf of the abandoned branch, or "" if unknown: Atomic,
// oh-my-pi and old pi wrote the destination, which is the entry's parent.
func (b *BranchSummary) LeftAt() string {
	if b.FromID == b.ParentID || b.FromID == "root" && b.ParentID == "" {
		return ""
	}
	return b.FromID
}

// A Custom entry holds extension state. Models do not see it.
type Custom struct {
	Base
	CustomType string
	Data       json.RawMessage // any JSON
}

// A CustomMessage is an extension message that the model sees.
type CustomMessage struct {
	Base
	CustomType string
	Content    Content
	Display    bool
	Details    json.RawMessage
	// ExcludeFromContext hides it from the model (Atomic).
	ExcludeFromContext bool
}

// A Label marks another entry. An empty label removes the mark.
type Label struct {
	Base
	TargetID, Label string
}

// A SessionInfo names the session. An empty name clears it.
type SessionInfo struct {
	Base
	Name string
}

// A UsageEntry records the usage of a model call outside the conversation.
type UsageEntry struct {
	Base
	Kind, Provider, Model string
	Usage                 Usage
	Note                  string
}

// A ContextEdit changes how the model sees another entry.
type ContextEdit struct {
	Base
	TargetID string
	// Replacement is the new content; nil hides the entry.
	Replacement *Content
}

// An UnknownEntry has no type, or a type unknown to this package. It is part of
// the tree like any other entry. Header lines after the first also decode as
// UnknownEntry.
type UnknownEntry struct{ Base }

// TypeOf returns the type with which an entry is written: that of the decoded
// line, otherwise the one that its Go type implies.
func TypeOf(e Entry) Type {
	if len(e.Head().Raw) > 0 {
		return e.Head().Type
	}
	return e.kind()
}

func (e *MessageEntry) kind() Type        { return TypeMessage }
func (e *ModelChange) kind() Type         { return TypeModelChange }
func (e *ThinkingLevelChange) kind() Type { return TypeThinkingLevelChange }
func (e *Compaction) kind() Type          { return TypeCompaction }
func (e *BranchSummary) kind() Type       { return TypeBranchSummary }
func (e *Custom) kind() Type              { return TypeCustom }
func (e *CustomMessage) kind() Type       { return TypeCustomMessage }
func (e *Label) kind() Type               { return TypeLabel }
func (e *SessionInfo) kind() Type         { return TypeSessionInfo }
func (e *UsageEntry) kind() Type          { return TypeUsage }
func (e *ContextEdit) kind() Type         { return TypeContextEdit }
func (e *UnknownEntry) kind() Type        { return e.Type }

// JSON encodes a value for a raw field of an entry or a message, such as
// Details. It uses encoding/json without escaping <, > and &. A json.RawMessage
// or []byte is returned unchanged; nil returns nil.
func JSON(v any) (json.RawMessage, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return v, nil
	case []byte:
		return v, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
