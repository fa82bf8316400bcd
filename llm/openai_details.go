package llm

import (
	"encoding/json"
	"strings"
)

// details is the reasoning of a model in OpenRouter's format, which must be
// sent back with the response. It arrives in pieces.
type details []*detail

type detail struct {
	kind    string
	text    strings.Builder // the member that arrives in pieces
	members map[string]json.RawMessage
}

// detailText is the name of that member, for each kind of detail.
var detailText = map[string]string{"reasoning.text": "text", "reasoning.summary": "summary", "reasoning.encrypted": "data"}

// add adds a list of pieces. Consecutive pieces of text form one detail;
// encrypted ones stay separate. It reports whether there was any.
func (d *details) add(raw json.RawMessage) bool {
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return false
	}
	added := false
	for _, piece := range list {
		var kind, text string
		if json.Unmarshal(piece["type"], &kind) != nil || json.Unmarshal(piece[detailText[kind]], &text) != nil {
			continue
		}
		added = true
		last := d.last()
		if last == nil || last.kind != kind || kind == "reasoning.encrypted" {
			last = &detail{kind: kind, members: map[string]json.RawMessage{}}
			*d = append(*d, last)
		}
		last.text.WriteString(text)
		for name, value := range piece {
			if old := string(last.members[name]); old == "" || old == "null" || old == `""` {
				last.members[name] = value
			}
		}
	}
	return added
}

func (d *details) last() *detail {
	if len(*d) == 0 {
		return nil
	}
	return (*d)[len(*d)-1]
}

// String returns the JSON that a session stores.
func (d details) String() string {
	list := make([]map[string]any, 0, len(d))
	for _, one := range d {
		members := make(map[string]any, len(one.members))
		for name, value := range one.members {
			members[name] = value
		}
		members[detailText[one.kind]] = one.text.String()
		list = append(list, members)
	}
	out, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	return string(out)
}
