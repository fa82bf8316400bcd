package doctor

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/overlay"
)

// migrated is a session in the present version of the format. Nothing changes but
// the members that versions are about, so that entries keep the ids under which
// every command of pith shows them.
func migrated(v *view) (*overlay.Log, error) {
	t := v.table
	taken := make(map[string]bool, len(t.Entries))
	for i := range t.Entries {
		taken[t.ID(i)] = true
	}
	m := format.NewMigrator(t.Header, func(line []byte, index int) string {
		id := format.LineID(t.Header.ID, index, line, func(id string) bool { return taken[id] })
		taken[id] = true
		return id
	})
	p := patch{from: v, out: overlay.New(v.r)}
	p.edit(t.HeaderAt, t.HeaderLen, m.Header)
	others := otherValues(t)
	for i := range t.Entries {
		e := &t.Entries[i]
		for ; len(others) > 0 && others[0] < e.Offset; others = others[1:] {
			m.Skip()
		}
		p.edit(e.Offset, int(e.Len), m.Entry)
	}
	p.out.Keep(p.at, v.size)
	return p.out, p.err
}

// otherValues are the offsets of JSON values behind the header that are no
// entries. Version 1 counts them when it says from which line on to keep.
func otherValues(t *envelope.Table) []int64 {
	var out []int64
	for _, f := range t.Faults {
		switch f.Kind {
		case envelope.FaultNotObject, envelope.FaultNoType, envelope.FaultExtraHeader:
			if f.Offset > t.HeaderAt {
				out = append(out, f.Offset)
			}
		}
	}
	return out
}

// A patch goes through a session from front to back and changes stretches of it.
type patch struct {
	from *view
	out  *overlay.Log
	at   int64 // what lies before it is done
	err  error
}

// edit puts what f makes of a record in its place.
func (p *patch) edit(from int64, length int, f func([]byte) []byte) {
	if p.err != nil {
		return
	}
	var line []byte
	if line, p.err = p.from.bytes(from, length); p.err != nil {
		return
	}
	p.out.Keep(p.at, from)
	p.out.Replace(from, line, f(line))
	p.at = from + int64(length)
}

// put writes b in the place of a stretch.
func (p *patch) put(from, to int64, b []byte) {
	p.out.Keep(p.at, from)
	p.out.Put(b)
	p.at = to
}
