package doctor

import (
	"fmt"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tree"
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
	if ms, ok := ownTime(d.now.table.At(i), line); ok {
		at = ms
	}
	if at == envelope.NoTime {
		at = d.firstTime(d.now.table).UnixMilli()
	}
	d.bodies.time = at
	d.set(i, text("timestamp", format.FormatTime(time.UnixMilli(at))))
}

// ownTime returns the time that a line contains in another form: as a number,
// or in its message.
func ownTime(e envelope.Entry, line []byte) (int64, bool) {
	raw, _ := jsonl.Lookup(line, "timestamp")
	ms, ok := jsonl.Float(raw)
	if msg := e.Message(line); !ok && e.Kind == envelope.KindMessage && msg != nil {
		raw, _ := jsonl.Lookup(msg, "timestamp")
		ms, ok = jsonl.Float(raw)
	}
	return int64(ms), ok && ms > 0 && ms < latest
}

// checkTimes finds entries that are older than their parents. It reports one
// finding for all of them, because a clock that was set back causes many.
func (d *diagnosis) checkTimes() {
	count, first := 0, 0
	for i := range d.now.table.Len() {
		p := d.parents[i]
		if p == tree.None {
			continue
		}
		own, before := orderedTime(d.now.table, i), orderedTime(d.now.table, int(p))
		if own == envelope.NoTime || before == envelope.NoTime || own >= before {
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
func orderedTime(t *envelope.Table, i int) int64 {
	if kind, _ := t.Kind(i); kind == envelope.KindLabel {
		return envelope.NoTime
	}
	return t.Time(i)
}
