package cost

import (
	"context"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
)

// Choose returns the part of l that a query chooses: the responses of its times
// and models, in the sessions that pass the rest of it. Of the options, Catalog,
// Session and Index are used.
func (l *Ledger) Choose(ctx context.Context, q query.Query, o search.Options) (*Ledger, error) {
	chosen := l.Between(q.Range())
	if models := q.Only("model"); !models.IsZero() {
		chosen = chosen.Where(func(r *Response) bool {
			return models.MatchSession(&query.Session{Info: &catalog.Info{Model: r.Model}})
		})
	}
	q = q.Without("since", "until", "model")
	if q.IsZero() {
		return chosen, nil
	}
	o.Sessions, o.Catalog.IncludeInternal = l.Sessions, true
	infos, err := search.Sessions(ctx, q, o)
	if err != nil {
		return nil, err
	}
	listed := make(map[string]bool, len(infos))
	for i := range infos {
		listed[infos[i].Path] = true
	}
	return chosen.Where(func(r *Response) bool { return listed[l.Sessions[r.Session].Path] }), nil
}
