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
	// Head is what all entries have. The result may be changed for an entry made
	// in memory; of a decoded one the bytes stay as they are.
	Head() *Base

	record
}

// A Base is the envelope of an entry.
type Base struct {
	// Type is the type as read. When an entry made in memory is written, its Go
	// type decides; only UnknownEntry writes this field.
	Type Type
	// ID is an opaque string. pi makes eight hex digits, others do not. It is empty
	// for a line of an old file that has none; see LineID.
	ID string
	// ParentID is empty for a root: null, missing or not a string.
	ParentID  string
	Timestamp string
	// Raw is the line as decoded, nil for an entry made in memory.
	Raw json.RawMessage
}

// Head implements [Entry] for the types that embed a Base.
func (b *Base) Head() *Base { return b }

// Time is when the entry was made. ok is false when it does not say.
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
	// Role is the use the model is meant for (oh-my-pi, pi_agent_rust).
	Role string
	// Joined makes one member of both when the entry is written, as oh-my-pi reads it.
	// Decoding does not set it.
	Joined bool
}

// A ThinkingLevelChange switches how much the model thinks.
type ThinkingLevelChange struct {
	Base
	Level string
}

// A Compaction replaces what came before it, for the model, by a summary.
type Compaction struct {
	Base
	Summary string
	// FirstKeptEntryID is the first entry before the compaction that the model still
	// sees. The compaction's own id means that it sees none.
	FirstKeptEntryID string
	TokensBefore     int64
	// Details are those of who made the summary: pi's and pith's list files, an
	// extension's may be anything.
	Details json.RawMessage
	// FromHook is true when an extension made the summary; nil when not said.
	FromHook *bool
	Usage    *Usage
	// SystemMessage is the prompt and the tools as they were at this point.
	SystemMessage json.RawMessage
}

// A BranchSummary tells the model about a branch that was left.
type BranchSummary struct {
	Base
	// FromID is the leaf that was left, "root" when there was none. Atomic, and pi
	// before 0.84.3, wrote the destination instead.
	FromID, Summary string
	Details         json.RawMessage // as those of a [Compaction]
	FromHook        *bool
	Usage           *Usage
}

// LeftAt is the leaf that was left; "" when nobody knows: Atomic, oh-my-pi and old pi
// wrote where it goes on instead, which is its parent.
func (b *BranchSummary) LeftAt() string {
	if b.FromID == b.ParentID || b.FromID == "root" && b.ParentID == "" {
		return ""
	}
	return b.FromID
}

// A Custom entry is the state of an extension. No model sees it.
type Custom struct {
	Base
	CustomType string
	Data       json.RawMessage // of any form
}

// A CustomMessage is text that an extension shows to the model.
type CustomMessage struct {
	Base
	CustomType string
	Content    Content
	Display    bool
	Details    json.RawMessage
	// ExcludeFromContext keeps it from the model (Atomic).
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

// A UsageEntry is the cost of a call of a model outside the conversation.
type UsageEntry struct {
	Base
	Kind, Provider, Model string
	Usage                 Usage
	Note                  string
}

// A ContextEdit changes what the model sees of another entry.
type ContextEdit struct {
	Base
	TargetID string
	// Replacement is the new content; nil hides the entry.
	Replacement *Content
}

// An UnknownEntry has a type that this package does not know, or none. It has its
// place in the tree like any other. Header lines after the first read as one too.
type UnknownEntry struct{ Base }

// The compiler checks here that every type is an Entry.
var _ = []Entry{
	(*MessageEntry)(nil), (*ModelChange)(nil), (*ThinkingLevelChange)(nil), (*Compaction)(nil),
	(*BranchSummary)(nil), (*Custom)(nil), (*CustomMessage)(nil), (*Label)(nil), (*SessionInfo)(nil),
	(*UsageEntry)(nil), (*ContextEdit)(nil), (*UnknownEntry)(nil),
}

// TypeOf is the type that an entry is written with: that of the line which it was
// decoded from, else the one that its Go type says.
func TypeOf(e Entry) Type {
	if len(e.Head().Raw) > 0 {
		return e.Head().Type
	}
	switch e.(type) {
	case *MessageEntry:
		return TypeMessage
	case *ModelChange:
		return TypeModelChange
	case *ThinkingLevelChange:
		return TypeThinkingLevelChange
	case *Compaction:
		return TypeCompaction
	case *BranchSummary:
		return TypeBranchSummary
	case *Custom:
		return TypeCustom
	case *CustomMessage:
		return TypeCustomMessage
	case *Label:
		return TypeLabel
	case *SessionInfo:
		return TypeSessionInfo
	case *UsageEntry:
		return TypeUsage
	case *ContextEdit:
		return TypeContextEdit
	}
	return e.Head().Type
}

// JSON is a value for a raw field of an entry or a message, such as Details: as
// encoding/json writes it, but with <, > and & as they are. A json.RawMessage or
// []byte is JSON already and stays as it is; nil is nil.
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
