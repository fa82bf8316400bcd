package doctor

import (
	"fmt"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// latest is the last millisecond that a timestamp with a four-digit year can
// express.
const latest = 253_402_300_799_999

// checkTime handles an entry whose timestamp is missing or invalid. The best
// substitute is the time of its message, then that of the previous entry.
func (d *diagnosis) checkTime(i int, line []byte) {
	if !d.entry(BadTime, i, "an entry whose time is missing or not a date") {
		return
	}
	at := d.bodies.time
	if ms, ok := ownTime(d.now.state.At(i), line); ok {
		at = ms
	}
	if at == journal.NoTime {
		at = d.firstTime(d.now.state).UnixMilli()
	}
	d.bodies.time = at
	d.set(i, text("timestamp", format.FormatTime(time.UnixMilli(at))))
}

// ownTime returns the time that a line contains in another form: as a number,
// or in its message.
func ownTime(e *journal.Entry, line []byte) (int64, bool) {
	raw, _ := jsonl.Lookup(line, "timestamp")
	ms, ok := jsonl.Float(raw)
	if msg := e.Message(line); !ok && e.Kind == journal.KindMessage && msg != nil {
		raw, _ := jsonl.Lookup(msg, "timestamp")
		ms, ok = jsonl.Float(raw)
	}
	return int64(ms), ok && ms > 0 && ms < latest
}

// checkTimes finds entries that are older than their parents. It reports one
// finding for all of them, because a clock that was set back causes many.
func (d *diagnosis) checkTimes() {
	count, first := 0, 0
	for i := range d.now.state.Len() {
		p := d.parents[i]
		if p == journal.None {
			continue
		}
		own, before := orderedTime(d.now.state, i), orderedTime(d.now.state, int(p))
		if own == journal.NoTime || before == journal.NoTime || own >= before {
			continue
		}
		if count++; count == 1 {
			first = i
		}
	}
	if count == 0 {
		return
	}
	what := "an entry is older than its parent"
	if count > 1 {
		what = fmt.Sprintf("%d entries are older than their parents; this is the first", count)
	}
	d.entry(TimeOrder, first, "%s", what)
}

// orderedTime returns the time of an entry, or NoTime for a label. The time of
// a label is when it was set, and forks rewrite labels after later entries.
func orderedTime(t *journal.State, i int) int64 {
	e := t.At(i)
	if e.Kind == journal.KindLabel {
		return journal.NoTime
	}
	return e.Time
}
