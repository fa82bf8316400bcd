package format

import "encoding/json"

// Version is the format version that this package writes. It reads versions 1
// to 3; see [Migrator] for the differences.
const Version = 3

// LeafCustomType is the customType of the custom entry that records the leaf of
// a session. Unlike every other custom entry, it is considered when the leaf is
// chosen after loading.
const LeafCustomType = "pith/leaf"

// LeafData returns the data of a leaf entry: the id of the leaf, or null for
// "", which means before the first entry.
func LeafData(id string) json.RawMessage {
	o := openObject(nil)
	if id == "" {
		o.null("leaf")
	} else {
		o.str("leaf", id)
	}
	return o.close()
}

// Custom types of oh-my-pi known to pith.
const (
	// ContextNotesType is the notebook that precedes the rest of a context.
	ContextNotesType = "experimental_context_notes"
	// SessionExitType is written whenever the program closes a session.
	SessionExitType = "session_exit"
)

// VerbatimStrategy is the strategy in the details of an Atomic compaction,
// whose summary consists of lines of the conversation. Atomic ignores every
// other compaction.
const VerbatimStrategy = "verbatim-lines"

// A Type is the "type" member of a line.
type Type string

// The types that pi writes.
const (
	TypeSession             Type = "session" // the header
	TypeMessage             Type = "message"
	TypeModelChange         Type = "model_change"
	TypeThinkingLevelChange Type = "thinking_level_change"
	TypeCompaction          Type = "compaction"
	TypeBranchSummary       Type = "branch_summary"
	TypeCustom              Type = "custom"
	TypeCustomMessage       Type = "custom_message"
	TypeLabel               Type = "label"
	TypeSessionInfo         Type = "session_info"
	TypeUsage               Type = "usage"
	TypeContextEdit         Type = "context_edit"
)

// Types that other writers of the format use. They decode as [UnknownEntry].
const (
	TypeTitle               Type = "title"                 // oh-my-pi: fixed-size slot before the header
	TypeTitleChange         Type = "title_change"          // oh-my-pi
	TypeModelUsage          Type = "model_usage"           // oh-my-pi
	TypeServiceTierChange   Type = "service_tier_change"   // oh-my-pi
	TypeResetBoundary       Type = "reset_boundary"        // oh-my-pi
	TypeModeChange          Type = "mode_change"           // oh-my-pi
	TypeSessionInit         Type = "session_init"          // oh-my-pi
	TypeCredentialPin       Type = "credential_pin"        // oh-my-pi
	TypeArchive             Type = "archive"               // oh-my-pi
	TypeTTSRInjection       Type = "ttsr_injection"        // oh-my-pi
	TypeSessionSummary      Type = "session_summary"       // Atomic
	TypeContextCompaction   Type = "context_compaction"    // Atomic, retired
	TypeContextWindowChange Type = "context_window_change" // Atomic, retired
	TypeLeaf                Type = "leaf"                  // OpenClaw: targetId is the leaf
	TypeReset               Type = "reset"                 // OpenClaw: the context starts over
	TypeForeignRecord       Type = "foreign_record"        // pith: a record of another agent, of a kind that pith does not know
)

// Bookkeeping reports whether an entry only describes the session and does not
// continue the conversation. customType matters only for custom entries.
// Unknown types count as conversation.
func Bookkeeping(t Type, customType string) bool {
	switch t {
	case TypeLabel, TypeSessionInfo, TypeUsage,
		TypeSessionSummary, TypeTitle, TypeTitleChange, TypeModelUsage, TypeCredentialPin, TypeArchive, TypeForeignRecord:
		return true
	case TypeCustom:
		return customType != LeafCustomType
	}
	return false
}

// A Role is the "role" member of a message.
type Role string

// The roles that pi writes or derives.
const (
	RoleSystem            Role = "system"
	RoleUser              Role = "user"
	RoleAssistant         Role = "assistant"
	RoleToolResult        Role = "toolResult"
	RoleBashExecution     Role = "bashExecution"
	RoleCustom            Role = "custom"
	RoleBranchSummary     Role = "branchSummary"     // derived for a context; pi_agent_rust stores it
	RoleCompactionSummary Role = "compactionSummary" // likewise
)

// Roles of older versions and of other writers.
const (
	RoleHookMessage     Role = "hookMessage"     // version 2; reads as RoleCustom
	RoleDeveloper       Role = "developer"       // oh-my-pi
	RolePythonExecution Role = "pythonExecution" // oh-my-pi
	RoleFileMention     Role = "fileMention"     // oh-my-pi
)

// ThinkingLevels are the thinking levels that sessions record, in ascending
// order.
var ThinkingLevels = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// A Model names a model as a session records it.
type Model struct {
	Provider string `json:"provider"`
	ModelID  string `json:"modelId"`
}
