package conformance_test

import (
	"encoding/json"
	"errors"
	"iter"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
)

type compactionSettings struct {
	Enabled          bool
	ReserveTokens    int64
	KeepRecentTokens int64
}

func (s compactionSettings) settings() compact.Settings {
	return compact.Settings{Enabled: s.Enabled, ReserveTokens: s.ReserveTokens, KeepRecentTokens: s.KeepRecentTokens}
}

type fileOps struct{ Read, Written, Edited []string }

func pathsOf(f compact.FileOps) fileOps { return fileOps{f.Read(), f.Written(), f.Edited()} }

type preparation struct {
	FirstKeptEntryID    string
	IsSplitTurn         bool
	TokensBefore        int64
	PreviousSummary     string
	MessagesToSummarize []any
	TurnPrefixMessages  []any
	FileOps             fileOps
	Lists               compact.FileLists
	Text, PrefixText    string
}

type compactionCase struct {
	Name     string
	File     string
	Settings compactionSettings
	Expect   struct {
		Prepared *preparation
		Estimate struct {
			Tokens, UsageTokens, TrailingTokens int64
			LastUsageIndex                      *int
		}
		TokensPerMessage []int64
		Files            string
	}
}

func TestCompactionVectors(t *testing.T) {
	inEachStore(t, func(t *testing.T, k keeper) {
		for _, c := range vectors[compactionCase](t, "compaction.json") {
			t.Run(c.Name, func(t *testing.T) {
				s := k.open(t, c.File)
				plan, err := compact.Prepare(s, c.Settings.settings())
				if nothing := errors.Is(err, compact.ErrNothing); nothing != (c.Expect.Prepared == nil) || err != nil && !nothing {
					t.Fatalf("Prepare(%+v) = %+v, %v; want %+v", c.Settings, plan, err, c.Expect.Prepared)
				}
				if plan != nil {
					got, tags := planParts(t, plan)
					same(t, "Prepare", got, c.Expect.Prepared)
					if tags != c.Expect.Files {
						t.Errorf("Tags() = %q, want %q", tags, c.Expect.Files)
					}
				}
				checkEstimates(t, s, c)
			})
		}
	})
}

// planParts is a plan as the vectors show it, and the tags of its files.
func planParts(t *testing.T, p *compact.Plan) (*preparation, string) {
	t.Helper()
	files, err := p.Files()
	if err != nil {
		t.Fatalf("Files: %v", err)
	}
	lists := files.Lists()
	return &preparation{
		FirstKeptEntryID: p.FirstKeptEntryID, IsSplitTurn: p.SplitTurn, TokensBefore: p.TokensBefore, PreviousSummary: p.PreviousSummary,
		MessagesToSummarize: plainMessages(t, p.History()), TurnPrefixMessages: plainMessages(t, p.TurnPrefix()),
		FileOps: pathsOf(files), Lists: lists, Text: serializedText(t, p.History()), PrefixText: serializedText(t, p.TurnPrefix()),
	}, lists.Tags()
}

func plainMessages(t *testing.T, messages iter.Seq2[pith.ContextMessage, error]) []any {
	t.Helper()
	out := []any{}
	for m, err := range messages {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, value(t, m.Raw))
	}
	return out
}

func serializedText(t *testing.T, messages iter.Seq2[pith.ContextMessage, error]) string {
	t.Helper()
	text, err := compact.Serialize(messages)
	if err != nil {
		t.Fatalf("Serialize: %v", err)
	}
	return text
}

// checkEstimates holds the estimate of the built context against the vector's.
func checkEstimates(t *testing.T, s *pith.Session, c compactionCase) {
	t.Helper()
	ctx, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	each := []int64{}
	last := map[string]int{}
	for m, err := range ctx.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		last[m.EntryID] = len(each)
		each = append(each, compact.Quarter.RawTokens(m.Raw))
	}
	same(t, "tokens per message", each, c.Expect.TokensPerMessage)
	got, err := compact.Quarter.Measure(ctx.Messages())
	if err != nil {
		t.Fatalf("Measure: %v", err)
	}
	want := c.Expect.Estimate
	if got.Tokens != want.Tokens || got.UsageTokens != want.UsageTokens || got.TrailingTokens != want.TrailingTokens {
		t.Errorf("Measure() = %+v, want %+v", got, want)
	}
	index, ok := last[got.UsageEntryID]
	if ok != (want.LastUsageIndex != nil) || ok && index != *want.LastUsageIndex {
		t.Errorf("Measure() found the count in message %d (%v), want %v", index, ok, want.LastUsageIndex)
	}
}

func TestThresholdVectors(t *testing.T) {
	type thresholdCase struct {
		ContextTokens, ContextWindow int64
		Settings                     compactionSettings
		Expect                       bool
	}
	for _, c := range vectors[thresholdCase](t, "threshold.json") {
		if got := c.Settings.settings().ShouldCompact(c.ContextTokens, c.ContextWindow); got != c.Expect {
			t.Errorf("%+v.ShouldCompact(%d, %d) = %v, want %v", c.Settings, c.ContextTokens, c.ContextWindow, got, c.Expect)
		}
	}
}

type branchCase struct {
	Name        string
	File        string
	OldLeafID   *string
	TargetID    string
	TokenBudget int64
	Expect      struct {
		Entries          []string
		CommonAncestorID *string
		Messages         []any
		TotalTokens      int64
		FileOps          fileOps
	}
}

func TestBranchSummaryVectors(t *testing.T) {
	inEachStore(t, func(t *testing.T, k keeper) {
		for _, c := range vectors[branchCase](t, "branchsummary.json") {
			t.Run(c.Name, func(t *testing.T) {
				b, err := compact.Quarter.Collect(k.open(t, c.File), idOrNone(c.OldLeafID), c.TargetID, c.TokenBudget)
				if err != nil {
					t.Fatalf("Collect(%v, %q, %d): %v", c.OldLeafID, c.TargetID, c.TokenBudget, err)
				}
				same(t, "entries", append([]string{}, b.EntryIDs...), c.Expect.Entries)
				if want := idOrNone(c.Expect.CommonAncestorID); b.CommonAncestorID != want {
					t.Errorf("CommonAncestorID = %q, want %q", b.CommonAncestorID, want)
				}
				got := []any{}
				for _, m := range b.Messages {
					got = append(got, value(t, json.RawMessage(m.Raw)))
				}
				same(t, "messages", got, c.Expect.Messages)
				if b.Tokens != c.Expect.TotalTokens {
					t.Errorf("Tokens = %d, want %d", b.Tokens, c.Expect.TotalTokens)
				}
				same(t, "files", pathsOf(b.Files), c.Expect.FileOps)
			})
		}
	})
}

func idOrNone(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
