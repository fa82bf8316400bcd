package prices

import (
	"encoding/json"
	"time"

	"github.com/pith-sessions/pith/format"
)

// Unknown sums the calls of a session whose cost was not recorded, so that it
// can be estimated without reading the session again. Calls are summed that have
// the same price: those of one model, day and [Class]. The zero value is empty.
type Unknown struct{ sums []sum }

type sum struct {
	model string
	day   int64 // since 1970; noDay if the time is not known
	class int
	format.Spent
}

const (
	secondsOfDay = 24 * 60 * 60
	noDay        = -1 << 40
)

// Reset forgets all calls.
func (u *Unknown) Reset() { u.sums = u.sums[:0] }

// Add adds a call. A call with a known cost is left out.
func (u *Unknown) Add(model string, at time.Time, s format.Spent) {
	if s.Unpriced == 0 || s.Cost != 0 {
		return
	}
	day := int64(noDay)
	if !at.IsZero() {
		day = at.Truncate(secondsOfDay*time.Second).Unix() / secondsOfDay
	}
	class := Class(s)
	for i := len(u.sums) - 1; i >= 0; i-- {
		if of := &u.sums[i]; of.day == day && of.class == class && of.model == model {
			of.Spent = of.Plus(s)
			return
		}
	}
	u.sums = append(u.sums, sum{model, day, class, s})
}

// Estimate returns the sum of all calls of a session with estimates for these.
func (u *Unknown) Estimate(all format.Spent) format.Spent {
	for i := range u.sums {
		at := time.Time{}
		if u.sums[i].day != noDay {
			at = time.Unix(u.sums[i].day*secondsOfDay, 0)
		}
		if s := Estimate(u.sums[i].model, at, u.sums[i].Spent); s.Estimated {
			all.Cost = format.Money(format.Plus(int64(all.Cost), int64(s.Cost)))
			all.Estimated, all.Unpriced = true, max(0, all.Unpriced-u.sums[i].Unpriced)
		}
	}
	return all
}

// Text encodes the sums as JSON; those of no calls are "".
func (u *Unknown) Text() string {
	if len(u.sums) == 0 {
		return ""
	}
	list := make([]saved, len(u.sums))
	for i := range u.sums {
		s := &u.sums[i]
		list[i] = saved{s.model, s.day, [...]int64{s.Input, s.Output, s.CacheRead, s.CacheWrite, s.CacheWrite1h, s.Tokens, s.Unpriced}}
	}
	text, _ := json.Marshal(list) // only texts and numbers
	return string(text)
}

// SetText replaces the sums by those of a text, which need not be trusted.
func (u *Unknown) SetText(text string) error {
	u.Reset()
	if text == "" {
		return nil
	}
	var list []saved
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return err
	}
	for _, l := range list {
		n := &l.Counts
		for i := range n {
			n[i] = max(0, n[i])
		}
		s := format.Spent{Input: n[0], Output: n[1], CacheRead: n[2], CacheWrite: n[3], CacheWrite1h: min(n[4], n[3]), Tokens: n[5], Unpriced: n[6]}
		u.sums = append(u.sums, sum{l.Model, l.Day, Class(s), s})
	}
	return nil
}

// saved is a sum in JSON.
type saved struct {
	Model  string   `json:"m"`
	Day    int64    `json:"d"`
	Counts [7]int64 `json:"n"`
}
