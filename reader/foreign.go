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
	member := func(name string) string {
		raw, _ := jsonl.Lookup(e.Head().Raw, name)
		s, _ := jsonl.String(raw)
		return s
	}
	return modelName(member("provider"), member("model"))
}
