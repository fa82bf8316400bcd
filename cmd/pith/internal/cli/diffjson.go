package cli

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect/diff"
)

// These are what pith diff --json prints, as docs/cli.md describes it.
type (
	diffRecord struct {
		Related      bool             `json:"related"`
		Common       diffCommonRecord `json:"common"`
		BothModified []jsText         `json:"bothModified"`
		A            diffSideRecord   `json:"a"`
		B            diffSideRecord   `json:"b"`
	}

	diffCommonRecord struct {
		Entries   int          `json:"entries"`
		Exchanges int          `json:"exchanges"`
		LastA     *jsText      `json:"lastA"`
		LastB     *jsText      `json:"lastB"`
		Question  *jsText      `json:"question"`
		Tokens    int64        `json:"tokens"`
		Cost      format.Money `json:"costMicros"`
	}

	diffSideRecord struct {
		ID          jsText               `json:"id"`
		File        jsText               `json:"file"`
		Name        *jsText              `json:"name"`
		Leaf        *jsText              `json:"leaf"`
		First       *jsText              `json:"first"`
		Entries     int                  `json:"entries"`
		Exchanges   []diffExchangeRecord `json:"exchanges"`
		Tools       []diffToolRecord     `json:"tools"`
		Read        []jsText             `json:"read"`
		Modified    []jsText             `json:"modified"`
		Models      []jsText             `json:"models"`
		Compactions int                  `json:"compactions"`
		Summaries   int                  `json:"summaries"`
		Tokens      int64                `json:"tokens"`
		Cost        format.Money         `json:"costMicros"`
		Begun       *string              `json:"begun"`
		Ended       *string              `json:"ended"`
		Answer      *jsText              `json:"answer"`
		AnswerEntry *jsText              `json:"answerEntry"`
		Failure     *jsText              `json:"failure"`
	}

	diffExchangeRecord struct {
		Number int    `json:"number"`
		Entry  jsText `json:"entry"`
		Text   jsText `json:"text"`
		Calls  int    `json:"calls"`
		Errors int    `json:"errors"`
	}

	diffToolRecord struct {
		Name   jsText `json:"name"`
		Calls  int    `json:"calls"`
		Errors int    `json:"errors"`
	}
)

func diffReport(x, y diff.Side, c *diff.Comparison) diffRecord {
	k := &c.Common
	return diffRecord{
		Related: k.Entries > 0, BothModified: jsTexts(c.BothModified), A: sideReport(x, &c.A), B: sideReport(y, &c.B),
		Common: diffCommonRecord{k.Entries, k.Exchanges, jsTextOrNull(k.LastA), jsTextOrNull(k.LastB), jsTextOrNull(k.Question), k.Spent.Tokens, k.Spent.Cost},
	}
}

func sideReport(s diff.Side, b *diff.Branch) diffSideRecord {
	rec := diffSideRecord{
		ID: jsText(s.Session.ID()), File: jsText(s.Session.File()), Name: jsTextOrNull(s.Session.Name()), Leaf: jsTextOrNull(s.Leaf),
		First: jsTextOrNull(b.First), Entries: b.Entries, Exchanges: []diffExchangeRecord{}, Tools: []diffToolRecord{},
		Read: jsTexts(b.Read), Modified: jsTexts(b.Modified), Models: jsTexts(b.Models), Compactions: b.Compactions, Summaries: b.Summaries,
		Tokens: b.Spent.Tokens, Cost: b.Spent.Cost, Begun: timeOrNull(b.Begun), Ended: timeOrNull(b.Ended),
		Answer: jsTextOrNull(b.Answer), AnswerEntry: jsTextOrNull(b.AnswerEntry), Failure: jsTextOrNull(b.Failure),
	}
	for _, x := range b.Exchanges {
		rec.Exchanges = append(rec.Exchanges, diffExchangeRecord{x.Number, jsText(x.Entry), jsText(x.Text), x.Calls, x.Errors})
	}
	for _, t := range b.Tools {
		rec.Tools = append(rec.Tools, diffToolRecord{jsText(t.Name), t.Calls, t.Errors})
	}
	return rec
}

func jsTexts(list []string) []jsText {
	out := make([]jsText, len(list))
	for i, s := range list {
		out[i] = jsText(s)
	}
	return out
}
