package catalog

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache/pack"
	"github.com/pith-sessions/pith/internal/prices"
)

// A Collector collects the facts of a session from its lines. The zero value is
// ready to use.
type Collector struct {
	facts facts
	size  int64
	bad   bool
}

// Line adds the next line of the session, without its line ending.
func (c *Collector) Line(line []byte) {
	if !c.bad && !c.facts.stopped {
		c.facts.query = query{internal: true, spent: true}
		c.bad = c.facts.line(line, c.size) != nil
	}
	c.size += int64(len(line)) + 1
}

// Info returns the facts of the lines so far, with the recorded costs only. Its
// Path is empty, and written is the time of the file. ok is false if the lines are not a session of a version
// whose entries have ids.
func (c *Collector) Info(written time.Time) (_ Info, ok bool) {
	if c.bad || !c.facts.hasHeader || c.facts.stopped || c.facts.head.Version < 2 {
		return Info{}, false
	}
	info := c.facts.info(&file{in: &place{}, modified: written}, c.size)
	info.FirstMessage = info.FirstMessage[:shortEnd(info.FirstMessage)]
	info.Spent = c.facts.spent
	info.Responses, info.Unpriced = string(c.facts.responses.Pack()), c.facts.unknown.Text()
	return info, true
}

// packedVersion increases if the encoding of Pack or the meaning of a fact
// changes.
const packedVersion = 3

// Pack encodes the facts that do not depend on where the file is, for
// UnpackInfo.
func (i *Info) Pack() []byte {
	b := []byte{packedVersion}
	for _, s := range [...]string{i.ID, i.Cwd, i.Name, i.ParentSession, i.FirstMessage, i.Model, string(i.Status)} {
		b = pack.AppendString(b, s)
	}
	b = pack.AppendBool(b, i.Internal)
	for _, n := range [...]int64{i.Created.Unix(), int64(i.Created.Nanosecond()), i.Modified.Unix(), int64(i.Modified.Nanosecond()), i.Size, int64(i.Version), int64(i.MessageCount), int64(i.Entries),
		int64(i.Findings), int64(i.Branches), i.Spent.Input, i.Spent.Output, i.Spent.CacheRead, i.Spent.CacheWrite, i.Spent.Tokens, int64(i.Spent.Cost), i.Spent.Unpriced} {
		b = binary.AppendVarint(b, n)
	}
	return pack.AppendString(b, i.Unpriced)
}

// UnpackInfo decodes what Pack encoded. The data need not be trusted: numbers
// are never negative, unknown costs are estimated, and texts are as long as those of a file's facts.
func UnpackInfo(text string) (Info, error) {
	d := pack.NewReader(text)
	if d.Byte() != packedVersion {
		return Info{}, pack.ErrMalformed
	}
	i := Info{ID: d.String(), Cwd: d.String(), Name: d.String(), ParentSession: d.String(), FirstMessage: d.String(), Model: d.String(), Status: Status(d.String())}
	i.Internal = d.Bool()
	i.Created, i.Modified = time.Unix(d.Int(), d.Int()%1e9).UTC(), time.Unix(d.Int(), d.Int()%1e9).UTC()
	count := func() int64 { return max(0, d.Int()) }
	i.Size, i.Version, i.MessageCount, i.Entries = count(), int(count()), int(count()), int(count())
	i.Findings, i.Branches = int(count()), int(count())
	i.Spent = format.Spent{Input: count(), Output: count(), CacheRead: count(), CacheWrite: count(), Tokens: count(), Cost: format.Money(count()), Unpriced: count()}
	var unknown prices.Unknown
	i.Unpriced = d.String()
	if err := errors.Join(d.Done(), unknown.SetText(i.Unpriced)); err != nil {
		return Info{}, err
	}
	i.Spent = unknown.Estimate(i.Spent)
	usual := func(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }
	if !slices.Contains(Statuses, i.Status) || utf8.RuneCountInString(i.FirstMessage) > mostFirst || !usual(i.Created) || !usual(i.Modified) {
		return Info{}, pack.ErrMalformed
	}
	return i, nil
}
