package doctor

import "github.com/pith-sessions/pith/internal/patchedlog"

// migrated is a session in the present version of the format. Nothing changes but
// the members that versions are about, so that entries keep the ids under which
// every command of pith shows them.
func migrated(v *view) (*patchedlog.Log, error) {
	p := patch{from: v, out: patchedlog.New(v.r)}
	v.table.Migrate(p.edit)
	p.out.Keep(p.at, v.size)
	return p.out, p.err
}

// A patch goes through a session from front to back and changes stretches of it.
type patch struct {
	from *view
	out  *patchedlog.Log
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
