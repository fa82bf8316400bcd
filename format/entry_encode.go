package format

import (
	"bytes"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// AppendEntry writes an entry as one line without its line feed: the line as
// decoded, byte for byte, or for an entry made in memory its fields in the order in
// which pi 1.5.0 has them. A Raw with line feeds between its tokens is put on one
// line. Raw fields that hold no JSON are written as strings of their text.
func AppendEntry(dst []byte, e Entry) []byte {
	if raw := e.Head().Raw; len(raw) > 0 {
		if bytes.IndexByte(raw, '\n') < 0 {
			return append(dst, raw...)
		}
		if jsonl.Valid(raw) {
			return jsonl.AppendCompact(dst, raw)
		}
	}
	o := openObject(dst)
	e.encode(&o)
	return o.close()
}

// head writes the envelope. Most entries begin with it.
func (o *object) head(t Type, b *Base) {
	o.str("type", string(t))
	o.place(b)
}

// place writes what sets an entry into the tree.
func (o *object) place(b *Base) {
	o.str("id", b.ID)
	if b.ParentID == "" {
		o.null("parentId")
	} else {
		o.str("parentId", b.ParentID)
	}
	o.str("timestamp", b.Timestamp)
}

func (e *MessageEntry) encode(o *object) {
	o.head(TypeMessage, &e.Base)
	if e.Message == nil {
		o.null("message")
		return
	}
	o.key("message")
	o.buf = AppendMessage(o.buf, e.Message)
}

func (e *ModelChange) encode(o *object) {
	o.head(TypeModelChange, &e.Base)
	if e.Joined {
		o.str("model", e.Provider+"/"+e.ModelID)
	} else {
		o.str("provider", e.Provider)
		o.str("modelId", e.ModelID)
	}
	o.optStr("role", e.Role)
}

func (e *ThinkingLevelChange) encode(o *object) {
	o.head(TypeThinkingLevelChange, &e.Base)
	o.str("thinkingLevel", e.Level)
}

func (e *Compaction) encode(o *object) {
	o.head(TypeCompaction, &e.Base)
	o.str("summary", e.Summary)
	o.str("firstKeptEntryId", e.FirstKeptEntryID)
	o.int("tokensBefore", e.TokensBefore)
	o.optRaw("details", e.Details)
	o.optUsage("usage", e.Usage)
	o.optBoolPointer("fromHook", e.FromHook)
	o.optRaw("systemMessage", e.SystemMessage)
}

func (e *BranchSummary) encode(o *object) {
	o.head(TypeBranchSummary, &e.Base)
	o.str("fromId", e.FromID)
	o.str("summary", e.Summary)
	o.optRaw("details", e.Details)
	o.optUsage("usage", e.Usage)
	o.optBoolPointer("fromHook", e.FromHook)
}

// The custom entries have their envelope last, as pi writes them.

func (e *Custom) encode(o *object) {
	o.str("type", string(TypeCustom))
	o.str("customType", e.CustomType)
	o.optRaw("data", e.Data)
	o.place(&e.Base)
}

func (e *CustomMessage) encode(o *object) {
	o.str("type", string(TypeCustomMessage))
	o.str("customType", e.CustomType)
	o.content("content", e.Content)
	o.bool("display", e.Display)
	o.optRaw("details", e.Details)
	o.optTrue("excludeFromContext", e.ExcludeFromContext)
	o.place(&e.Base)
}

func (e *Label) encode(o *object) {
	o.head(TypeLabel, &e.Base)
	o.str("targetId", e.TargetID)
	o.optStr("label", e.Label)
}

func (e *SessionInfo) encode(o *object) {
	o.head(TypeSessionInfo, &e.Base)
	o.str("name", e.Name)
}

func (e *UsageEntry) encode(o *object) {
	o.head(TypeUsage, &e.Base)
	o.str("kind", e.Kind)
	o.str("provider", e.Provider)
	o.str("model", e.Model)
	o.usage("usage", e.Usage)
	o.optStr("note", e.Note)
}

func (e *ContextEdit) encode(o *object) {
	o.head(TypeContextEdit, &e.Base)
	o.str("targetId", e.TargetID)
	if e.Replacement == nil {
		o.null("replacement")
		return
	}
	o.key("replacement")
	w := openObject(o.buf)
	w.content("content", *e.Replacement)
	o.buf = w.close()
}

func (e *UnknownEntry) encode(o *object) { o.head(e.Type, &e.Base) }
