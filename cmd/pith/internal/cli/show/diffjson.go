package show

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/record"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect/diff"
)

// These are what pith diff --json prints, as docs/cli.md describes it.
type (
	diffRecord struct {
		Related      bool             `json:"related"`
		Common       diffCommonRecord `json:"common"`
		BothModified []record.Text    `json:"bothModified"`
		A            diffSideRecord   `json:"a"`
		B            diffSideRecord   `json:"b"`
	}

	diffCommonRecord struct {
		Entries   int          `json:"entries"`
		Exchanges int          `json:"exchanges"`
		LastA     *record.Text `json:"lastA"`
		LastB     *record.Text `json:"lastB"`
		Question  *record.Text `json:"question"`
		Tokens    int64        `json:"tokens"`
		Cost      format.Money `json:"costMicros"`
	}

	diffSideRecord struct {
		ID          record.Text          `json:"id"`
		File        record.Text          `json:"file"`
		Name        *record.Text         `json:"name"`
		Leaf        *record.Text         `json:"leaf"`
		First       *record.Text         `json:"first"`
		Entries     int                  `json:"entries"`
		Exchanges   []diffExchangeRecord `json:"exchanges"`
		Tools       []diffToolRecord     `json:"tools"`
		Read        []record.Text        `json:"read"`
		Modified    []record.Text        `json:"modified"`
		Models      []record.Text        `json:"models"`
		Compactions int                  `json:"compactions"`
		Summaries   int                  `json:"summaries"`
		Tokens      int64                `json:"tokens"`
		Cost        format.Money         `json:"costMicros"`
		Begun       *string              `json:"begun"`
		Ended       *string              `json:"ended"`
		Answer      *record.Text         `json:"answer"`
		AnswerEntry *record.Text         `json:"answerEntry"`
		Failure     *record.Text         `json:"failure"`
	}

	diffExchangeRecord struct {
		Number int         `json:"number"`
		Entry  record.Text `json:"entry"`
		Text   record.Text `json:"text"`
		Calls  int         `json:"calls"`
		Errors int         `json:"errors"`
	}

	diffToolRecord struct {
		Name   record.Text `json:"name"`
		Calls  int         `json:"calls"`
		Errors int         `json:"errors"`
	}
)

func diffReport(x, y diff.Side, c *diff.Comparison) diffRecord {
	k := &c.Common
	return diffRecord{
		Related: k.Entries > 0, BothModified: jsTexts(c.BothModified), A: sideReport(x, &c.A), B: sideReport(y, &c.B),
		Common: diffCommonRecord{k.Entries, k.Exchanges, record.TextOrNull(k.LastA), record.TextOrNull(k.LastB), record.TextOrNull(k.Question), k.Spent.Tokens, k.Spent.Cost},
	}
}

func sideReport(s diff.Side, b *diff.Branch) diffSideRecord {
	rec := diffSideRecord{
		ID: record.Text(s.Session.ID()), File: record.Text(s.Session.File()), Name: record.TextOrNull(s.Session.Name()), Leaf: record.TextOrNull(s.Leaf),
		First: record.TextOrNull(b.First), Entries: b.Entries, Exchanges: []diffExchangeRecord{}, Tools: []diffToolRecord{},
		Read: jsTexts(b.Read), Modified: jsTexts(b.Modified), Models: jsTexts(b.Models), Compactions: b.Compactions, Summaries: b.Summaries,
		Tokens: b.Spent.Tokens, Cost: b.Spent.Cost, Begun: record.TimeOrNull(b.Begun), Ended: record.TimeOrNull(b.Ended),
		Answer: record.TextOrNull(b.Answer), AnswerEntry: record.TextOrNull(b.AnswerEntry), Failure: record.TextOrNull(b.Failure),
	}
	for _, x := range b.Exchanges {
		rec.Exchanges = append(rec.Exchanges, diffExchangeRecord{x.Number, record.Text(x.Entry), record.Text(x.Text), x.Calls, x.Errors})
	}
	for _, t := range b.Tools {
		rec.Tools = append(rec.Tools, diffToolRecord{record.Text(t.Name), t.Calls, t.Errors})
	}
	return rec
}

func jsTexts(list []string) []record.Text {
	out := make([]record.Text, len(list))
	for i, s := range list {
		out[i] = record.Text(s)
	}
	return out
}
