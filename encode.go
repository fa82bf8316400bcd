package pith

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// encode returns the line of an entry, without its line feed. It encodes a
// message once and checks the result, because encoding a decoded message
// compares it with its original bytes.
func encode(entry format.Entry) ([]byte, error) {
	line := format.AppendEntry(make([]byte, 0, 512), entry)
	e, ok := entry.(*format.MessageEntry)
	if !ok {
		return line, nil
	}
	scratch := bytes.Contains(line, []byte(`"partialJson"`))
	if !scratch && listable(e.Message) {
		return line, nil
	}
	m, _ := jsonl.Lookup(line, "message")
	content, ok := jsonl.Lookup(m, "content")
	if ok && !listable(e.Message) && !format.IsContent(content) {
		return nil, invalidf(ErrNotStored, "content", "", "message content must be a string or a list of blocks; pi does not list a session with other content")
	}
	if ok && scratch && jsonl.KindOf(content) == '[' {
		line = jsonl.Set(line, "message", jsonl.Set(m, "content", withoutScratch(content)))
	}
	return line, nil
}

// listable reports whether pi can certainly read the text of a message. pi
// omits a session from its lists if it contains a message that it cannot read.
func listable(m format.Message) bool {
	var c *format.Content
	switch m := m.(type) {
	case *format.User:
		c = &m.Content
	case *format.Assistant:
		c = &m.Content
	default:
		return m.Role() != format.RoleUser && m.Role() != format.RoleAssistant
	}
	foreign := func(b format.Block) bool { _, ok := b.(*format.UnknownBlock); return ok }
	return c.IsText || len(c.Blocks) > 0 && !slices.ContainsFunc(c.Blocks, foreign)
}

// withoutScratch removes the partialJson field that providers keep in tool
// calls while streaming. It must not reach a file (pitfall 39).
func withoutScratch(blocks []byte) []byte {
	var out [][]byte
	for block := range jsonl.Elements(blocks) {
		out = append(out, jsonl.Delete(block, "partialJson"))
	}
	return slices.Concat([]byte{'['}, bytes.Join(out, []byte{','}), []byte{']'})
}

// oneLine returns raw JSON, if there is any, on one line.
func oneLine(what string, raw []byte) (json.RawMessage, error) {
	switch {
	case raw == nil:
		return nil, nil
	case !jsonl.Valid(raw):
		return nil, invalidf(ErrNotJSON, what, "", "%s is not valid JSON", what)
	}
	return jsonl.AppendCompact(nil, raw), nil
}
