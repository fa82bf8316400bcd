package diff

import (
	"bytes"
	"context"
	"iter"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Side is a session and the entry at which it is compared.
type Side struct {
	Session *pith.Session
	Leaf    string
}

// A Comparison describes the common part and the differences of two sides.
type Comparison struct {
	Common Common `json:"common"`
	// BothModified are the files that both sides modified since they diverged.
	BothModified []string `json:"bothModified"`
	A, B         Branch
}

// Common is the common beginning of both sides. The zero Common means none.
type Common struct {
	// Entries is the number of shared entries without bookkeeping, Turns
	// the number of user messages in them.
	Entries int `json:"entries"`
	Turns   int `json:"turns"`
	// LastA and LastB are the last shared entry on either side. They differ
	// only if a copy got other ids.
	LastA string `json:"lastEntryIdA" empty:"null"`
	LastB string `json:"lastEntryIdB" empty:"null"`
	// Question is the user message that started the last shared turn.
	Question string `json:"question" empty:"null"`
	format.Spent
}

// Compare compares two sides. If they have no common beginning, Common is zero
// and each branch is a whole path.
func Compare(ctx context.Context, a, b Side) (*Comparison, error) {
	pathA, err := keys(a)
	if err != nil {
		return nil, err
	}
	pathB, err := keys(b)
	if err != nil {
		return nil, err
	}
	cutA, cutB, err := align(pathA, pathB)
	if err != nil {
		return nil, err
	}
	var c Comparison
	if err := c.common(ctx, pathA[:cutA]); err != nil {
		return nil, err
	}
	if cutB > 0 {
		c.Common.LastB = pathB[cutB-1].id
	}
	if c.A, err = branch(ctx, pathA[cutA:], c.Common.Turns); err != nil {
		return nil, err
	}
	if c.B, err = branch(ctx, pathB[cutB:], c.Common.Turns); err != nil {
		return nil, err
	}
	c.BothModified = both(c.A.Modified, c.B.Modified)
	return &c, nil
}

// A key identifies an entry on a path without reading it.
type key struct {
	lines *pith.Reader // reader of its session
	pos   int
	id    string
	kind  format.Type
}

func (k key) books() bool { return isBookkeeping(k.kind) }

// entry reads the entry. It is valid until another one of its session is read.
func (k key) entry() (format.Entry, error) {
	line, err := k.lines.Line(k.pos)
	if err != nil {
		return nil, err
	}
	return format.DecodeEntry(line.Raw)
}

// same reports whether two keys are of the same entry. It reads the entries
// only if their ids differ.
func (k key) same(l key) (bool, error) {
	switch {
	case k.kind != l.kind:
		return false, nil
	case k.id == l.id:
		return true, nil
	}
	x, err := k.lines.Line(k.pos)
	if err != nil {
		return false, err
	}
	y, err := l.lines.Line(l.pos)
	if err != nil {
		return false, err
	}
	return sameButPlace(x.Raw, y.Raw), nil
}

// align returns how many entries of each path belong to the common beginning.
// It skips bookkeeping, so the last entry of either part is a shared one.
func align(a, b []key) (cutA, cutB int, err error) {
	for i, j := 0, 0; ; i, j = i+1, j+1 {
		for i < len(a) && a[i].books() {
			i++
		}
		for j < len(b) && b[j].books() {
			j++
		}
		if i == len(a) || j == len(b) {
			return cutA, cutB, nil
		}
		if same, err := a[i].same(b[j]); err != nil || !same {
			return cutA, cutB, err
		}
		cutA, cutB = i+1, j+1
	}
}

// keys returns the entries of the path to a side's leaf.
func keys(s Side) ([]key, error) {
	v := s.Session.View()
	if s.Leaf == "" {
		return nil, nil // before the first entry
	}
	path, err := v.Path(s.Leaf)
	if err != nil {
		return nil, err
	}
	lines := v.Reader()
	out := make([]key, len(path))
	for i, pos := range path {
		e := v.At(pos)
		out[i] = key{lines, pos, e.ID, e.Type}
	}
	return out, nil
}

// sameButPlace reports whether two lines have the same members in the same
// order, except for id and parentId.
func sameButPlace(x, y []byte) bool {
	next, stop := iter.Pull2(jsonl.Members(y))
	defer stop()
	placed := func(name []byte) bool { return string(name) == `"id"` || string(name) == `"parentId"` }
	for name, value := range jsonl.Members(x) {
		if placed(name) {
			continue
		}
		other, its, ok := next()
		for ok && placed(other) {
			other, its, ok = next()
		}
		if !ok || !bytes.Equal(name, other) || !bytes.Equal(value, its) {
			return false
		}
	}
	for other, _, ok := next(); ok; other, _, ok = next() {
		if !placed(other) {
			return false
		}
	}
	return true
}

// common reads the common beginning on side A.
func (c *Comparison) common(ctx context.Context, path []key) error {
	for _, k := range path {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, err := k.entry()
		if err != nil {
			return err
		}
		c.Common.Spent = c.Common.Spent.Plus(spentBy(e))
		if k.books() {
			continue
		}
		c.Common.Entries++
		c.Common.LastA = k.id
		if text, asked := question(e); asked {
			c.Common.Turns++
			c.Common.Question = text
		}
	}
	return nil
}

// question returns the text of a user message.
func question(e format.Entry) (string, bool) {
	m, ok := e.(*format.MessageEntry)
	if !ok {
		return "", false
	}
	u, ok := m.Message.(*format.User)
	if !ok {
		return "", false
	}
	return u.Content.PlainText(), true
}

// both returns the elements that two sorted lists share.
func both(a, b []string) []string {
	in := map[string]bool{}
	for _, s := range a {
		in[s] = true
	}
	var out []string
	for _, s := range b {
		if in[s] {
			out = append(out, s)
		}
	}
	return out
}
