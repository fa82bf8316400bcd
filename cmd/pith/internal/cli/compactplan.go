package cli

import (
	"context"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// A planRecord is what a compaction would do, in JSON.
type planRecord struct {
	SummarisedMessages int      `json:"summarisedMessages"`
	TurnMessages       int      `json:"turnMessages"`
	KeptEntries        int      `json:"keptEntries"`
	KeptTokens         int64    `json:"keptTokens"`
	SplitTurn          bool     `json:"splitTurn"`
	PreviousSummary    bool     `json:"previousSummary"`
	Summarizer         string   `json:"summarizer"`
	ReadFiles          []string `json:"readFiles"`
	ModifiedFiles      []string `json:"modifiedFiles"`
}

// planCompaction shows what a compaction would do. It opens the session for
// reading alone.
func (a *app) planCompaction(ctx context.Context, ref string, c userconfig.Choice, f compactFlags) (err error) {
	s, err := a.openForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	own := a.configured(s.Cwd())
	config, err := own.Config(c, s)
	if err != nil {
		return choiceError(err)
	}
	var m llm.Model
	if config.Client != nil {
		m = config.Client.Model()
	}
	plan, err := compact.Prepare(s, config.Compaction(m).Fit(m.ContextWindow))
	if err != nil {
		return err
	}
	r := &planRecord{KeptTokens: plan.KeptTokens, SplitTurn: plan.SplitTurn, PreviousSummary: plan.PreviousSummary != "", Summarizer: own.SummarizerName(c, config.Client)}
	after, err := r.survey(ctx, s, plan)
	if err != nil {
		return err
	}
	if f.json {
		return a.out.json(compactRecord{Session: jsText(s.ID()), FirstKeptEntryID: jsText(plan.FirstKeptEntryID),
			TokensBefore: plan.TokensBefore, TokensAfter: after, Plan: r})
	}
	a.printPlan(s, plan, r, after)
	return nil
}

// survey counts what a plan is about and returns the tokens of the context after
// it. How long the summary will be nobody knows; an extract stands in for it.
func (r *planRecord) survey(ctx context.Context, s *pith.Session, p *compact.Plan) (after int64, err error) {
	for _, err := range p.History() {
		if err != nil {
			return 0, err
		}
		r.SummarisedMessages++
	}
	for _, err := range p.TurnPrefix() {
		if err != nil {
			return 0, err
		}
		r.TurnMessages++
	}
	path, err := s.PathIDs(p.LeafID)
	if err != nil {
		return 0, err
	}
	for i := len(path) - 1; i >= 0; i-- {
		r.KeptEntries++
		if path[i] == p.FirstKeptEntryID {
			break
		}
	}
	files, err := p.Files()
	if err != nil {
		return 0, err
	}
	lists := files.Lists()
	r.ReadFiles, r.ModifiedFiles = lists.ReadFiles, lists.ModifiedFiles
	standIn, err := p.Summarize(ctx, summarize.Extract(summarize.ExtractOptions{}), compact.SummaryOptions{})
	if err != nil {
		return 0, err
	}
	return p.KeptTokens + p.Settings.Estimator.Tokens(&format.CompactionSummaryMessage{Summary: standIn.Summary}), nil
}

func (a *app) printPlan(s *pith.Session, p *compact.Plan, r *planRecord, after int64) {
	a.out.printf("summarise   %s", humanize.Count(r.SummarisedMessages, "message"))
	if r.SplitTurn {
		a.out.printf(", and %s of the turn that is cut through", humanize.Count(r.TurnMessages, "message"))
	}
	if r.PreviousSummary {
		a.out.print(", with the summary before")
	}
	a.out.printf("\nkeep        %s, about %s tokens\n", humanize.Count(r.KeptEntries, "entry"), humanize.Number(r.KeptTokens))
	a.out.printf("from        %s\n", a.describe(s, p.FirstKeptEntryID))
	a.out.printf("files       %d read, %d modified\n", len(r.ReadFiles), len(r.ModifiedFiles))
	a.out.printf("tokens      %s before, about %s after\n", humanize.Number(p.TokensBefore), humanize.Number(after))
	a.out.printf("summarizer  %s\n", oneLine(r.Summarizer))
}
