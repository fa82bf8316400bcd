package list

import (
	"context"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
)

// printHitRecords prints the hits in JSON, as many as fit the budget.
func (a *Commands) printHitRecords(r search.Results, f searchFlags) error {
	_, err := f.budget.Print(a.Console, len(r.Hits), func(n int) error {
		part := r
		part.Hits, part.More = r.Hits[:n], r.More || n < len(r.Hits)
		return a.Out.JSON((&view.Rows{}).Search(part))
	})
	return err
}

// A foundSession is a session with the number of its matches; 0 if the query has
// no words.
type foundSession struct {
	info  *catalog.Info
	count int
}

func foundSessions(hits []search.Hit) (list []foundSession) {
	at := map[string]int{}
	for i := range hits {
		s := &hits[i].Session
		n, ok := at[s.Path]
		if !ok {
			n = len(list)
			at[s.Path], list = n, append(list, foundSession{info: s})
		}
		list[n].count++
	}
	return list
}

func (a *Commands) printSessions(ctx context.Context, list []foundSession, more bool, f searchFlags) error {
	if f.limit > 0 && len(list) > f.limit {
		list, more = list[:f.limit], true
	}
	print := a.printFoundRecords
	if !f.json {
		infos := make([]catalog.Info, len(list))
		for i := range list {
			infos[i] = *list[i].info
		}
		short := a.ShortIDs(ctx, infos)
		print = func(list []foundSession, _ bool) error { return a.printFoundSessions(list, short) }
	}
	shown, err := f.budget.Print(a.Console, len(list), func(n int) error { return print(list[:n], more || n < len(list)) })
	switch {
	case err != nil || f.json:
	case len(list) == 0: // the caller says why
	case shown < len(list):
		a.Note("%d more; a larger --budget shows them", len(list)-shown)
	case more:
		a.noteMore(&f)
	}
	return err
}

func (a *Commands) printFoundSessions(list []foundSession, short map[string]string) error {
	for _, s := range list {
		if a.Out.Failed() {
			break
		}
		number := ""
		if s.count > 0 {
			number = "  " + humanize.Count(s.count, "match")
		}
		a.printFoundSession(s.info, short[s.info.ID], number)
	}
	return nil
}

func (a *Commands) printFoundRecords(list []foundSession, more bool) error {
	rows := view.Rows{}
	out := make([]view.FoundSession, len(list))
	for i, s := range list {
		out[i] = rows.Found(s.info, shortMessage)
		if s.count > 0 {
			out[i].Count = &s.count
		}
	}
	return a.Out.JSON(view.FoundSessions{Sessions: out, More: more})
}
