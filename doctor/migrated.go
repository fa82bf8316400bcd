package doctor

import "github.com/pith-sessions/pith/internal/patchedlog"

// migrated returns a session in the current format version. Only the members
// that versions define change, so that entries keep the ids under which every
// command of pith shows them.
func migrated(v *view) (*patchedlog.Log, error) {
	p := patch{from: v, out: patchedlog.New(v.r)}
	v.table.Migrate(p.edit)
	p.out.Keep(p.at, v.size)
	return p.out, p.err
}

// A patch copies a session from start to end and changes parts of it.
type patch struct {
	from *view
	out  *patchedlog.Log
	at   int64 // offset up to which the session is done
	err  error
}

// edit replaces a record with the result of f.
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

// put replaces a range with b.
func (p *patch) put(from, to int64, b []byte) {
	p.out.Keep(p.at, from)
	p.out.Put(b)
	p.at = to
}
