package rpcserver

import (
	"encoding/json"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// An entryRef is the ID of an entry, or null for the place before the first one.
type entryRef struct {
	given bool
	id    string
}

func (e *entryRef) nullable() {}

func (e *entryRef) read(raw []byte) error {
	e.given = true
	if jsonl.IsNull(raw) {
		return nil
	}
	var ok bool
	if e.id, ok = jsonl.String(raw); !ok {
		return mustBe("a string", raw)
	}
	if e.id == "" {
		return invalid("must not be empty")
	}
	return nil
}

// A nullText is a string or null.
type nullText struct{ text *string }

func (t *nullText) nullable() {}

func (t *nullText) read(raw []byte) error {
	if jsonl.IsNull(raw) {
		return nil
	}
	s, ok := jsonl.String(raw)
	if !ok {
		return mustBe("a string", raw)
	}
	t.text = &s
	return nil
}

// An anything is any JSON value. Null is one too.
type anything json.RawMessage

func (a *anything) nullable() {}

func (a *anything) read(raw []byte) error {
	*a = raw
	return nil
}

// A jsonObject is an object in JSON.
type jsonObject json.RawMessage

func (o *jsonObject) read(raw []byte) error {
	if jsonl.KindOf(raw) != '{' {
		return mustBe("an object", raw)
	}
	*o = raw
	return nil
}

// A sessionID is the ID of a new session. As in pi, a given one must not be empty.
type sessionID string

func (s *sessionID) read(raw []byte) error {
	id, ok := jsonl.String(raw)
	if !ok {
		return mustBe("a string", raw)
	}
	if id == "" {
		return pith.ErrSessionID
	}
	*s = sessionID(id)
	return nil
}

// A message is a message of a conversation.
type message struct{ format.Message }

func (m *message) read(raw []byte) (err error) {
	if jsonl.KindOf(raw) != '{' {
		return mustBe("an object", raw)
	}
	if m.Message, err = format.DecodeMessage(raw); err != nil {
		return invalid(err.Error())
	}
	return nil
}

// A content is the content of a message: a string or a list of blocks.
type content struct{ format.Content }

func (c *content) read(raw []byte) error {
	if !format.IsContent(raw) {
		return mustBe("a string or a list of blocks", raw)
	}
	c.Content = format.DecodeContent(raw)
	return nil
}

// A replacement is the content that models see instead of an entry; null hides the
// entry.
type replacement struct{ *format.Content }

func (r *replacement) nullable() {}

func (r *replacement) read(raw []byte) error {
	if jsonl.IsNull(raw) {
		return nil
	}
	part, ok := jsonl.Lookup(raw, "content")
	if jsonl.KindOf(raw) != '{' || !ok || !format.IsContent(part) {
		return invalid("must be null or an object with content, a string or a list of blocks")
	}
	r.Content = new(format.DecodeContent(part))
	return nil
}

// Images are image blocks.
type images []*format.ImageBlock

func (i *images) read(raw []byte) error {
	if jsonl.KindOf(raw) != '[' {
		return mustBe("a list of image blocks", raw)
	}
	for _, b := range format.DecodeContent(raw).Blocks {
		image, ok := b.(*format.ImageBlock)
		if !ok {
			return invalid("must contain blocks of type image with data and mimeType")
		}
		*i = append(*i, image)
	}
	return nil
}

// A usage is the tokens and the cost of a response; nil if they are not given.
type usage struct{ *format.Usage }

func (u *usage) read(raw []byte) error {
	if jsonl.KindOf(raw) != '{' {
		return mustBe("an object", raw)
	}
	u.Usage = new(format.DecodeUsage(raw))
	return nil
}

// valueOf returns the value that a pointer refers to; zero for nil.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// A policy is how a session treats other writers.
type policy string

// Words implements [ops.Words].
func (policy) Words() []string { return []string{"follow", "refuse", "stay"} }

func (p policy) conflict() pith.ConflictPolicy {
	switch p {
	case "refuse":
		return pith.Refuse
	case "stay":
		return pith.StayOnBranch
	}
	return pith.FollowNew
}
