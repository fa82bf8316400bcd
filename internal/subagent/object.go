package subagent

import (
	"encoding/json"
	"iter"
	"math"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// An object is a JSON object that is read leniently: a member that is missing
// or of another type reads as zero. The nil object is empty.
type object map[string][]byte

// mostMembers is the maximum number of members of one object that are read. No
// producer writes more than a hundred.
const mostMembers = 2000

// decode returns the members of raw, or nil if it is not an object. raw must be
// valid JSON. The result shares its memory.
func decode(raw []byte) object {
	if jsonl.KindOf(raw) != '{' {
		return nil
	}
	o := object{}
	for name, value := range jsonl.Members(raw) {
		if len(o) == mostMembers {
			break
		}
		if text, ok := jsonl.String(name); ok {
			o[text] = value
		}
	}
	return o
}

func (o object) text(name string) string {
	s, _ := jsonl.String(o[name])
	return s
}

// firstText returns the first of several members that is a nonempty string.
func (o object) firstText(names ...string) string {
	for _, name := range names {
		if s := o.text(name); s != "" {
			return s
		}
	}
	return ""
}

func (o object) boolean(name string) (value, ok bool) { return jsonl.Bool(o[name]) }

func (o object) is(name string) bool {
	value, _ := o.boolean(name)
	return value
}

func (o object) integer(name string) (int64, bool) { return jsonl.Int(o[name]) }

func (o object) has(name string) bool { return len(o[name]) > 0 && !jsonl.IsNull(o[name]) }

func (o object) object(name string) object { return decode(o[name]) }

// number returns a number that may have a fraction.
func (o object) number(name string) float64 {
	f, _ := jsonl.Float(o[name])
	return f
}

// amount returns a count; 0 for an invalid one.
func (o object) amount(names ...string) int64 {
	for _, name := range names {
		if f, ok := jsonl.Float(o[name]); ok {
			if n := believable(f); n > 0 {
				return n
			}
		}
	}
	return 0
}

// count is like amount, but fits an int on every machine.
func (o object) count(names ...string) int { return int(min(o.amount(names...), math.MaxInt32)) }

// mostAmount is the maximum plausible number, of tokens or of other things. A
// larger one is damaged, and would hide all others in a sum.
const mostAmount = 1e15

// believable converts a number to a count: truncated, and 0 if it is not
// plausible.
func believable(f float64) int64 {
	if math.IsNaN(f) || f < 0 || f > mostAmount {
		return 0
	}
	return int64(f)
}

// longest is the maximum plausible duration of a run.
const longest = 100 * 365 * 24 * time.Hour

// milliseconds returns a duration that is given in milliseconds.
func (o object) milliseconds(names ...string) time.Duration {
	ms := o.amount(names...)
	if ms > int64(longest/time.Millisecond) {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// mostElements is the maximum number of elements of one list that are read.
const mostElements = 10_000

// list yields the elements of a member that is a list.
func (o object) list(name string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if jsonl.KindOf(o[name]) != '[' {
			return
		}
		n := 0
		for e := range jsonl.Elements(o[name]) {
			if n++; n > mostElements || !yield(e) {
				return
			}
		}
	}
}

// isList reports whether a member is a list.
func (o object) isList(name string) bool { return jsonl.KindOf(o[name]) == '[' }

// objects yields the elements of a list that are objects, with their positions.
func (o object) objects(name string) iter.Seq2[int, object] {
	return func(yield func(int, object) bool) {
		i := 0
		for e := range o.list(name) {
			if element := decode(e); element != nil && !yield(i, element) {
				return
			}
			i++
		}
	}
}

// texts returns the nonempty strings of a list.
func (o object) texts(name string) []string {
	var out []string
	for e := range o.list(name) {
		if s, ok := jsonl.String(e); ok && s != "" {
			out = append(out, s)
		}
	}
	return out
}

// raws returns copies of the objects in a list.
func (o object) raws(name string) []json.RawMessage {
	var out []json.RawMessage
	for e := range o.list(name) {
		if jsonl.KindOf(e) == '{' {
			out = append(out, append(json.RawMessage(nil), e...))
		}
	}
	return out
}

// redacted is the text that pi-subagents writes instead of a task.
const redacted = "[prompt redacted]"

// tellsTask reports whether text is a task and not a placeholder.
func tellsTask(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && text != redacted
}
