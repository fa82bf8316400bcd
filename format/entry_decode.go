package format

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// The positions of the envelope's members in a scan by envelopeKeys.
const (
	atType = iota
	atID
	atParentID
	atTimestamp
	atMessage
	envelopeKeyCount
)

var envelopeKeys = jsonl.NewKeys("type", "id", "parentId", "timestamp", "message")

// DecodeEntry reads one line after the header. The error wraps [ErrSyntax] and
// means that the line is not a JSON object; everything else is read, however odd.
// Whether a damaged line is a torn one is for the caller to say, who knows whether
// it is the last.
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
	e := newEntry(base)
	if _, unknown := e.(*UnknownEntry); unknown {
		return e, nil
	}
	for key, raw := range jsonl.Members(line) {
		e.field(nameOf(key), raw)
	}
	return e, nil
}

func newEntry(base Base) Entry {
	switch base.Type {
	case TypeModelChange:
		return &ModelChange{Base: base}
	case TypeThinkingLevelChange:
		return &ThinkingLevelChange{Base: base}
	case TypeCompaction:
		return &Compaction{Base: base}
	case TypeBranchSummary:
		return &BranchSummary{Base: base}
	case TypeCustom:
		return &Custom{Base: base}
	case TypeCustomMessage:
		return &CustomMessage{Base: base}
	case TypeLabel:
		return &Label{Base: base}
	case TypeSessionInfo:
		return &SessionInfo{Base: base}
	case TypeUsage:
		return &UsageEntry{Base: base}
	case TypeContextEdit:
		return &ContextEdit{Base: base}
	default:
		return &UnknownEntry{Base: base}
	}
}

func (e *MessageEntry) field(name, raw []byte) {
	if string(name) == "message" {
		e.Message = decodeMessage(raw)
	}
}

func (e *ModelChange) field(name, raw []byte) {
	switch string(name) {
	case "provider":
		e.Provider = asString(raw)
	case "modelId":
		e.ModelID = asString(raw)
	case "model":
		if e.Provider == "" && e.ModelID == "" {
			e.splitModel(asString(raw))
		}
	case "role":
		e.Role = asString(raw)
	}
}

// splitModel cuts at the first slash, because ids of models can contain more.
func (e *ModelChange) splitModel(model string) {
	provider, id, found := strings.Cut(model, "/")
	if !found {
		provider, id = "", model
	}
	e.Provider, e.ModelID = provider, id
}

func (e *ThinkingLevelChange) field(name, raw []byte) {
	if string(name) == "thinkingLevel" {
		e.Level = asString(raw)
	}
}

func (e *Compaction) field(name, raw []byte) {
	switch string(name) {
	case "summary":
		e.Summary = asString(raw)
	case "firstKeptEntryId":
		e.FirstKeptEntryID = asString(raw)
	case "tokensBefore":
		e.TokensBefore = asInt(raw)
	case "details":
		e.Details = asRaw(raw)
	case "fromHook", "fromExtension":
		e.FromHook = either(e.FromHook, asBoolPointer(raw))
	case "usage":
		e.Usage = asUsagePointer(raw)
	case "systemMessage":
		e.SystemMessage = asRaw(raw)
	}
}

func (e *BranchSummary) field(name, raw []byte) {
	switch string(name) {
	case "fromId":
		e.FromID = asString(raw)
	case "summary":
		e.Summary = asString(raw)
	case "details":
		e.Details = asRaw(raw)
	case "fromHook", "fromExtension":
		e.FromHook = either(e.FromHook, asBoolPointer(raw))
	case "usage":
		e.Usage = asUsagePointer(raw)
	}
}

// either joins the two names that writers have for one fact: true if one says so.
func either(a, b *bool) *bool {
	if b == nil || a != nil && *a {
		return a
	}
	return b
}

func (e *Custom) field(name, raw []byte) {
	switch string(name) {
	case "customType":
		e.CustomType = asString(raw)
	case "data":
		e.Data = asRaw(raw)
	}
}

func (e *CustomMessage) field(name, raw []byte) {
	switch string(name) {
	case "customType":
		e.CustomType = asString(raw)
	case "content":
		e.Content = DecodeContent(raw)
	case "display":
		e.Display = asBool(raw)
	case "details":
		e.Details = asRaw(raw)
	case "excludeFromContext":
		e.ExcludeFromContext = asBool(raw)
	}
}

func (e *Label) field(name, raw []byte) {
	switch string(name) {
	case "targetId":
		e.TargetID = asString(raw)
	case "label":
		e.Label = asString(raw)
	}
}

func (e *SessionInfo) field(name, raw []byte) {
	if string(name) == "name" {
		e.Name = asString(raw)
	}
}

func (e *UsageEntry) field(name, raw []byte) {
	switch string(name) {
	case "kind":
		e.Kind = asString(raw)
	case "provider":
		e.Provider = asString(raw)
	case "model":
		e.Model = asString(raw)
	case "usage":
		e.Usage, _ = asUsage(raw)
	case "note":
		e.Note = asString(raw)
	}
}

func (e *ContextEdit) field(name, raw []byte) {
	switch string(name) {
	case "targetId":
		e.TargetID = asString(raw)
	case "replacement":
		e.Replacement = nil
		if jsonl.KindOf(raw) == '{' {
			content, _ := jsonl.Lookup(raw, "content")
			c := DecodeContent(content)
			e.Replacement = &c
		}
	}
}

func (e *UnknownEntry) field(_, _ []byte) {}
