package show

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect/diff"
)

// These are what pith diff --json prints, as docs/reference/json.md describes it.
type (
	diffRecord struct {
		Related      bool             `json:"related"`
		Common       diffCommonRecord `json:"common"`
		BothModified []view.Text      `json:"bothModified"`
		A            diffSideRecord   `json:"a"`
		B            diffSideRecord   `json:"b"`
	}

	diffCommonRecord struct {
		Entries   int          `json:"entries"`
		Exchanges int          `json:"exchanges"`
		LastA     *view.Text   `json:"lastA"`
		LastB     *view.Text   `json:"lastB"`
		Question  *view.Text   `json:"question"`
		Tokens    int64        `json:"tokens"`
		Cost      format.Money `json:"costMicros"`
	}

	diffSideRecord struct {
		ID          view.Text            `json:"id"`
		File        view.Text            `json:"file"`
		Name        *view.Text           `json:"name"`
		Leaf        *view.Text           `json:"leaf"`
		First       *view.Text           `json:"first"`
		Entries     int                  `json:"entries"`
		Exchanges   []diffExchangeRecord `json:"exchanges"`
		Tools       []diffToolRecord     `json:"tools"`
		Read        []view.Text          `json:"read"`
		Modified    []view.Text          `json:"modified"`
		Models      []view.Text          `json:"models"`
		Compactions int                  `json:"compactions"`
		Summaries   int                  `json:"summaries"`
		Tokens      int64                `json:"tokens"`
		Cost        format.Money         `json:"costMicros"`
		Begun       *string              `json:"begun"`
		Ended       *string              `json:"ended"`
		Answer      *view.Text           `json:"answer"`
		AnswerEntry *view.Text           `json:"answerEntry"`
		Failure     *view.Text           `json:"failure"`
	}

	diffExchangeRecord struct {
		Number int       `json:"number"`
		Entry  view.Text `json:"entry"`
		Text   view.Text `json:"text"`
		Calls  int       `json:"calls"`
		Errors int       `json:"errors"`
	}

	diffToolRecord struct {
		Name   view.Text `json:"name"`
		Calls  int       `json:"calls"`
		Errors int       `json:"errors"`
	}
)

func diffReport(x, y diff.Side, c *diff.Comparison) diffRecord {
	k := &c.Common
	return diffRecord{
		Related: k.Entries > 0, BothModified: jsTexts(c.BothModified), A: sideReport(x, &c.A), B: sideReport(y, &c.B),
		Common: diffCommonRecord{k.Entries, k.Exchanges, view.TextOrNull(k.LastA), view.TextOrNull(k.LastB), view.TextOrNull(k.Question), k.Spent.Tokens, k.Spent.Cost},
	}
}

func sideReport(s diff.Side, b *diff.Branch) diffSideRecord {
	rec := diffSideRecord{
		ID: view.Text(s.Session.ID()), File: view.Text(s.Session.File()), Name: view.TextOrNull(s.Session.Name()), Leaf: view.TextOrNull(s.Leaf),
		First: view.TextOrNull(b.First), Entries: b.Entries, Exchanges: []diffExchangeRecord{}, Tools: []diffToolRecord{},
		Read: jsTexts(b.Read), Modified: jsTexts(b.Modified), Models: jsTexts(b.Models), Compactions: b.Compactions, Summaries: b.Summaries,
		Tokens: b.Spent.Tokens, Cost: b.Spent.Cost, Begun: view.TimeOrNull(b.Begun), Ended: view.TimeOrNull(b.Ended),
		Answer: view.TextOrNull(b.Answer), AnswerEntry: view.TextOrNull(b.AnswerEntry), Failure: view.TextOrNull(b.Failure),
	}
	for _, x := range b.Exchanges {
		rec.Exchanges = append(rec.Exchanges, diffExchangeRecord{x.Number, view.Text(x.Entry), view.Text(x.Text), x.Calls, x.Errors})
	}
	for _, t := range b.Tools {
		rec.Tools = append(rec.Tools, diffToolRecord{view.Text(t.Name), t.Calls, t.Errors})
	}
	return rec
}

func jsTexts(list []string) []view.Text {
	out := make([]view.Text, len(list))
	for i, s := range list {
		out[i] = view.Text(s)
	}
	return out
}
