package format

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Indices of the envelope's members in a scan by envelopeKeys.
const (
	atType = iota
	atID
	atParentID
	atTimestamp
	atMessage
	envelopeKeyCount
)

var envelopeKeys = jsonl.NewKeys("type", "id", "parentId", "timestamp", "message")

// DecodeEntry decodes one line after the header. The error wraps [ErrSyntax]
// and means that the line is not a JSON object; anything else decodes. A torn
// last line also returns ErrSyntax: only the caller knows which line is the
// last.
func DecodeEntry(line []byte) (Entry, error) {
	var spans [envelopeKeyCount]jsonl.Span
	if shape, at := envelopeKeys.Scan(line, spans[:]); shape != jsonl.Object {
		return nil, fmt.Errorf("entry: %w", shapeError(line, shape, at))
	}
	base := Base{
		Type:      Type(asWord(spans[atType].Of(line))),
		ID:        asString(spans[atID].Of(line)),
		ParentID:  asString(spans[atParentID].Of(line)),
		Timestamp: asString(spans[atTimestamp].Of(line)),
		Raw:       clip(line),
	}
	if base.Type == TypeMessage {
		return &MessageEntry{Base: base, Message: decodeMessage(spans[atMessage].Of(line))}, nil
	}
	newEntry, known := newEntries[base.Type]
	if !known {
		return &UnknownEntry{Base: base}, nil
	}
	e := newEntry()
	*e.Head() = base
	c := newCodec(reading, line)
	defer c.release()
	e.fields(c)
	return e, nil
}

// newEntries has the known types except messages, which are nearly all entries.
var newEntries = map[Type]func() Entry{
	TypeModelChange:         func() Entry { return &ModelChange{} },
	TypeThinkingLevelChange: func() Entry { return &ThinkingLevelChange{} },
	TypeCompaction:          func() Entry { return &Compaction{} },
	TypeBranchSummary:       func() Entry { return &BranchSummary{} },
	TypeCustom:              func() Entry { return &Custom{} },
	TypeCustomMessage:       func() Entry { return &CustomMessage{} },
	TypeLabel:               func() Entry { return &Label{} },
	TypeSessionInfo:         func() Entry { return &SessionInfo{} },
	TypeUsage:               func() Entry { return &UsageEntry{} },
	TypeContextEdit:         func() Entry { return &ContextEdit{} },
}

// AppendEntry appends an entry as one line without a line feed: the decoded
// line byte for byte or, for an entry made in memory, its fields in the order
// of pi 1.5.0. A Raw with line feeds between its tokens is compacted. Raw
// fields that are not JSON are written as strings.
func AppendEntry(dst []byte, e Entry) []byte {
	if raw := e.Head().Raw; len(raw) > 0 {
		if isOneLine(raw) {
			return append(dst, raw...)
		}
		if jsonl.Valid(raw) {
			return jsonl.AppendCompact(dst, raw)
		}
	}
	return appendRecord(dst, e)
}

// head writes the envelope, with which most entries start.
func (c *codec) head(e Entry) {
	c.fixed("type", string(e.kind()))
	c.place(e.Head())
}

// place writes the members that place an entry in the tree.
func (c *codec) place(b *Base) {
	if c.mode != writing {
		return
	}
	c.out.str("id", b.ID)
	if b.ParentID == "" {
		c.out.null("parentId")
	} else {
		c.out.str("parentId", b.ParentID)
	}
	c.out.str("timestamp", b.Timestamp)
}

func (e *MessageEntry) fields(c *codec) {
	c.head(e)
	switch {
	case c.mode != writing:
	case e.Message == nil:
		c.out.null("message")
	default:
		c.out.key("message")
		c.out.buf = AppendMessage(c.out.buf, e.Message)
	}
}

func (e *ModelChange) fields(c *codec) {
	c.head(e)
	field(c, "provider", &e.Provider, textKind)
	field(c, "modelId", &e.ModelID, textKind)
	if c.mode == reading && e.Provider == "" && e.ModelID == "" {
		var model string
		field(c, "model", &model, textKind)
		e.splitModel(model)
	}
	optional(c, "role", &e.Role, textKind)
}

// splitModel splits at the first slash, because model ids can contain more.
func (e *ModelChange) splitModel(model string) {
	provider, id, found := strings.Cut(model, "/")
	if !found {
		provider, id = "", model
	}
	e.Provider, e.ModelID = provider, id
}

func (e *ThinkingLevelChange) fields(c *codec) {
	c.head(e)
	field(c, "thinkingLevel", &e.Level, textKind)
}

func (e *Compaction) fields(c *codec) {
	c.head(e)
	field(c, "summary", &e.Summary, textKind)
	field(c, "firstKeptEntryId", &e.FirstKeptEntryID, textKind)
	field(c, "tokensBefore", &e.TokensBefore, intKind)
	optional(c, "details", &e.Details, rawKind)
	optional(c, "usage", &e.Usage, usagePointerKind)
	c.hook(&e.FromHook)
	optional(c, "systemMessage", &e.SystemMessage, rawKind)
}

func (e *BranchSummary) fields(c *codec) {
	c.head(e)
	field(c, "fromId", &e.FromID, textKind)
	field(c, "summary", &e.Summary, textKind)
	optional(c, "details", &e.Details, rawKind)
	optional(c, "usage", &e.Usage, usagePointerKind)
	c.hook(&e.FromHook)
}

// Custom entries have their envelope last, as pi writes them.

func (e *Custom) fields(c *codec) {
	c.fixed("type", string(TypeCustom))
	field(c, "customType", &e.CustomType, textKind)
	optional(c, "data", &e.Data, rawKind)
	c.place(&e.Base)
}

func (e *CustomMessage) fields(c *codec) {
	c.fixed("type", string(TypeCustomMessage))
	field(c, "customType", &e.CustomType, textKind)
	field(c, "content", &e.Content, contentKind)
	field(c, "display", &e.Display, boolKind)
	optional(c, "details", &e.Details, rawKind)
	optional(c, "excludeFromContext", &e.ExcludeFromContext, boolKind)
	c.place(&e.Base)
}

func (e *Label) fields(c *codec) {
	c.head(e)
	field(c, "targetId", &e.TargetID, textKind)
	optional(c, "label", &e.Label, textKind)
}

func (e *SessionInfo) fields(c *codec) {
	c.head(e)
	field(c, "name", &e.Name, textKind)
}

func (e *UsageEntry) fields(c *codec) {
	c.head(e)
	field(c, "kind", &e.Kind, textKind)
	field(c, "provider", &e.Provider, textKind)
	field(c, "model", &e.Model, textKind)
	field(c, "usage", &e.Usage, usageKind)
	optional(c, "note", &e.Note, textKind)
}

func (e *ContextEdit) fields(c *codec) {
	c.head(e)
	field(c, "targetId", &e.TargetID, textKind)
	field(c, "replacement", &e.Replacement, replacementKind)
}

// replacementKind is content wrapped in an object.
var replacementKind = &kind[*Content]{
	read: func(raw []byte) *Content {
		if jsonl.KindOf(raw) != '{' {
			return nil
		}
		content, _ := jsonl.Lookup(raw, "content")
		c := DecodeContent(content)
		return &c
	},
	put: func(dst []byte, v *Content) []byte {
		if v == nil {
			return append(dst, "null"...)
		}
		o := openObject(dst)
		o.key("content")
		o.buf = AppendContent(o.buf, *v)
		return o.close()
	},
}

// fields writes the envelope of an entry made in memory.
func (e *UnknownEntry) fields(c *codec) { c.head(e) }
