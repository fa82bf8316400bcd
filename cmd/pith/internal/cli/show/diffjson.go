package show

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/jsonout"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect/diff"
)

// These are what pith diff --json prints, as docs/reference/json.md describes it.
type (
	diffRecord struct {
		Related      bool             `json:"related"`
		Common       diffCommonRecord `json:"common"`
		BothModified []jsonout.Text   `json:"bothModified"`
		A            diffSideRecord   `json:"a"`
		B            diffSideRecord   `json:"b"`
	}

	diffCommonRecord struct {
		Entries   int           `json:"entries"`
		Exchanges int           `json:"exchanges"`
		LastA     *jsonout.Text `json:"lastA"`
		LastB     *jsonout.Text `json:"lastB"`
		Question  *jsonout.Text `json:"question"`
		Tokens    int64         `json:"tokens"`
		Cost      format.Money  `json:"costMicros"`
	}

	diffSideRecord struct {
		ID          jsonout.Text         `json:"id"`
		File        jsonout.Text         `json:"file"`
		Name        *jsonout.Text        `json:"name"`
		Leaf        *jsonout.Text        `json:"leaf"`
		First       *jsonout.Text        `json:"first"`
		Entries     int                  `json:"entries"`
		Exchanges   []diffExchangeRecord `json:"exchanges"`
		Tools       []diffToolRecord     `json:"tools"`
		Read        []jsonout.Text       `json:"read"`
		Modified    []jsonout.Text       `json:"modified"`
		Models      []jsonout.Text       `json:"models"`
		Compactions int                  `json:"compactions"`
		Summaries   int                  `json:"summaries"`
		Tokens      int64                `json:"tokens"`
		Cost        format.Money         `json:"costMicros"`
		Begun       *string              `json:"begun"`
		Ended       *string              `json:"ended"`
		Answer      *jsonout.Text        `json:"answer"`
		AnswerEntry *jsonout.Text        `json:"answerEntry"`
		Failure     *jsonout.Text        `json:"failure"`
	}

	diffExchangeRecord struct {
		Number int          `json:"number"`
		Entry  jsonout.Text `json:"entry"`
		Text   jsonout.Text `json:"text"`
		Calls  int          `json:"calls"`
		Errors int          `json:"errors"`
	}

	diffToolRecord struct {
		Name   jsonout.Text `json:"name"`
		Calls  int          `json:"calls"`
		Errors int          `json:"errors"`
	}
)

func diffReport(x, y diff.Side, c *diff.Comparison) diffRecord {
	k := &c.Common
	return diffRecord{
		Related: k.Entries > 0, BothModified: jsTexts(c.BothModified), A: sideReport(x, &c.A), B: sideReport(y, &c.B),
		Common: diffCommonRecord{k.Entries, k.Exchanges, jsonout.TextOrNull(k.LastA), jsonout.TextOrNull(k.LastB), jsonout.TextOrNull(k.Question), k.Spent.Tokens, k.Spent.Cost},
	}
}

func sideReport(s diff.Side, b *diff.Branch) diffSideRecord {
	rec := diffSideRecord{
		ID: jsonout.Text(s.Session.ID()), File: jsonout.Text(s.Session.File()), Name: jsonout.TextOrNull(s.Session.Name()), Leaf: jsonout.TextOrNull(s.Leaf),
		First: jsonout.TextOrNull(b.First), Entries: b.Entries, Exchanges: []diffExchangeRecord{}, Tools: []diffToolRecord{},
		Read: jsTexts(b.Read), Modified: jsTexts(b.Modified), Models: jsTexts(b.Models), Compactions: b.Compactions, Summaries: b.Summaries,
		Tokens: b.Spent.Tokens, Cost: b.Spent.Cost, Begun: jsonout.TimeOrNull(b.Begun), Ended: jsonout.TimeOrNull(b.Ended),
		Answer: jsonout.TextOrNull(b.Answer), AnswerEntry: jsonout.TextOrNull(b.AnswerEntry), Failure: jsonout.TextOrNull(b.Failure),
	}
	for _, x := range b.Exchanges {
		rec.Exchanges = append(rec.Exchanges, diffExchangeRecord{x.Number, jsonout.Text(x.Entry), jsonout.Text(x.Text), x.Calls, x.Errors})
	}
	for _, t := range b.Tools {
		rec.Tools = append(rec.Tools, diffToolRecord{jsonout.Text(t.Name), t.Calls, t.Errors})
	}
	return rec
}

func jsTexts(list []string) []jsonout.Text {
	out := make([]jsonout.Text, len(list))
	for i, s := range list {
		out[i] = jsonout.Text(s)
	}
	return out
}
