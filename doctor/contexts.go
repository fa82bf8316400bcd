package doctor

import (
	"bytes"
	"slices"

	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/transcript"
)

// contextBytes limits how many bytes of lines are read to compare contexts. D3
// is verified for every entry without this; it is an additional check of the
// result.
const contextBytes = 256 << 20

// contexts compares the contexts before and after the repair, at the leaves,
// newest first.
func (v *verification) contexts() error {
	c := comparing{
		verification: v, left: contextBytes,
		was: trail{walker: walker{view: v.now}, forest: v.before},
		now: trail{walker: walker{view: v.copied}, forest: newForest(v.copied.parents())},
	}
	for i := v.was.state.Len() - 1; i >= 0 && c.left > c.was.read+c.now.read; i-- {
		if v.before.first[i] != journal.None {
			continue
		}
		if err := c.compare(i); err != nil {
			return err
		}
	}
	return nil
}

// A comparing compares contexts of a session with those of its repaired copy.
type comparing struct {
	*verification
	was, now trail
	left     int64 // bytes that may still be read
}

// compare checks that the messages at an entry are still there, in order. A
// message of an entry that the repair changed may differ.
func (c *comparing) compare(i int) error {
	was, err := c.was.messagesAt(i, &c.left)
	if err != nil || was == nil {
		return err
	}
	now, err := c.now.messagesAt(i, &c.left)
	if err != nil || now == nil {
		return err
	}
	n := 0
	for _, m := range was {
		changed := len(c.changeSet.edits[m.entry]) > 0
		for n < len(now) && (now[n].entry != m.entry || !changed && !bytes.Equal(now[n].raw, m.raw)) {
			n++
		}
		if n == len(now) {
			return unverified("the context at entry %s lacks the message of entry %s", c.id(i), c.id(m.entry))
		}
		n++
	}
	return nil
}

// A contextMessage is a message of a context and the entry that it comes from.
type contextMessage struct {
	entry int
	raw   []byte
}

// A trail is a path through a session. It implements transcript.Path.
type trail struct {
	walker
	*forest
	way []int
}

// messagesAt returns the context at an entry. If the path is longer than the
// bytes left, it returns nil and only reduces left.
func (t *trail) messagesAt(i int, left *int64) ([]contextMessage, error) {
	t.way = t.path(i)
	for _, k := range t.way {
		*left -= int64(t.state.At(k).Len)
	}
	if *left < 0 {
		return nil, nil
	}
	plan, err := transcript.Build(t, transcript.Origin{Program: t.state.Signature.Program(""), Header: t.state.Header})
	if err != nil {
		return nil, err
	}
	out := []contextMessage{}
	for m, err := range plan.Messages(t) {
		if err != nil {
			return nil, err
		}
		out = append(out, contextMessage{t.way[m.Pos], slices.Clone(m.Raw)})
	}
	return out, nil
}

func (t *trail) Len() int { return len(t.way) }

func (t *trail) At(pos int) *journal.Entry { return t.state.At(t.way[pos]) }

func (t *trail) Line(pos int) ([]byte, error) { return t.line(t.way[pos]) }
