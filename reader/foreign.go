package reader

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// foreignUsage is what an entry of another writer says that a call of a model
// took: oh-my-pi's model_usage.
func foreignUsage(e format.Entry) (format.Usage, bool) {
	head := e.Head()
	if head.Type != format.TypeModelUsage {
		return format.Usage{}, false
	}
	raw, ok := jsonl.Lookup(head.Raw, "usage")
	if !ok || jsonl.KindOf(raw) != '{' {
		return format.Usage{}, false
	}
	return format.DecodeUsage(raw), true
}

// foreignModel is the model that such an entry names.
func foreignModel(e format.Entry) string {
	raw := e.Head().Raw
	return modelName(jsonl.LookupString(raw, "provider"), jsonl.LookupString(raw, "model"))
}
