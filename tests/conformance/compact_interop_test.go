package conformance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// keeps are the sizes of kept ranges for which plans are compared.
var keeps = []int64{0, 1, 40, 200, 1000, 5000, 20000}

// piSettings are settings as pi takes them.
func piSettings(keep int64) map[string]any {
	return map[string]any{"enabled": true, "reserveTokens": 16384, "keepRecentTokens": keep}
}

func ourSettings(keep int64) compact.Settings {
	return compact.Settings{Enabled: true, ReserveTokens: 16384, KeepRecentTokens: keep}
}

// comparePlans holds pith's plan of a file against pi's, for all sizes. It returns
// how many plans there were.
func (r rig) comparePlans(t *testing.T, path string) (plans int) {
	t.Helper()
	s := reopen(t, path)
	for _, keep := range keeps {
		var theirs *preparation
		if err := r.Call(t.Context(), &theirs, "plan", path, piSettings(keep)); err != nil {
			t.Fatal(err)
		}
		plan, err := compact.Prepare(s, ourSettings(keep))
		if err != nil && !errors.Is(err, compact.ErrNothing) {
			t.Fatal(err)
		}
		if theirs != nil && len(theirs.MessagesToSummarize)+len(theirs.TurnPrefixMessages) == 0 {
			theirs = nil // pi 0.73.1 asks for a summary of nothing (pitfall 111)
		}
		if plan == nil || theirs == nil {
			if (plan == nil) != (theirs == nil) {
				t.Errorf("keep %d: pith has the plan %+v (%v), pi %+v", keep, plan, err, theirs)
			}
			continue
		}
		plans++
		ours, _ := planParts(t, plan)
		theirs.Lists, theirs.Text, theirs.PrefixText = ours.Lists, ours.Text, ours.PrefixText // pi includes them in the summary
		ours.PreviousSummary = plainString(t, ours.PreviousSummary)
		for _, files := range [][]string{ours.FileOps.Read, ours.FileOps.Written, ours.FileOps.Edited} {
			for i := range files {
				files[i] = plainString(t, files[i])
			}
			slices.Sort(files)
		}
		same(t, fmt.Sprintf("plan with %d kept", keep), ours, theirs)
	}
	return plans
}

// Both programs cut generated sessions at the same entries, see the same files
// and count the same tokens (pitfalls 100 to 106, 118).
func TestPlansAgree(t *testing.T) {
	eachWholePi(t, func(t *testing.T, r rig) {
		plans := 0
		for seed := range uint64(24) {
			t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
				r := r.in(t)
				plans += r.comparePlans(t, plainTalk(t, r, seed, 40))
				if r.modern() {
					plans += r.comparePlans(t, r.written(t, 9000+seed, 60))
				}
			})
		}
		if plans < 60 {
			t.Errorf("only %d plans were compared", plans)
		}
	})
}

// plainTalk writes a session of questions, answers, calls and results, of which
// all releases of pi think alike, and returns its file.
func plainTalk(t *testing.T, r rig, seed uint64, turns int) string {
	t.Helper()
	s := createPith(t, r.cwd, pith.Options{Dir: r.dir})
	random := rand.New(rand.NewPCG(seed, 5))
	clock, tokens := int64(1_765_241_610_000), 0
	say := func(m format.Message) {
		t.Helper()
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	text := func(most int) string { return strings.Repeat("some words of a talk ", 1+random.IntN(most)) }
	answer := func(stop string, blocks ...format.Block) {
		tokens += 50 + random.IntN(500)
		usage := fmt.Sprintf(`{"input":%d,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":%d,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`, tokens-20, tokens)
		say(&format.Assistant{
			Content: format.BlockContent(blocks...), API: "anthropic-messages", Provider: llmtest.AnthropicProvider, Model: llmtest.ModelID,
			StopReason: stop, Timestamp: clock, Usage: format.DecodeUsage([]byte(usage)),
		})
	}
	for i := range turns {
		clock += 1000
		say(format.NewUser(fmt.Sprint("question ", i, " ", text(20)), time.UnixMilli(clock)))
		for call := range random.IntN(4) {
			tool := []string{"read", "edit", "write", "bash"}[random.IntN(4)]
			id := fmt.Sprintf("call_%d_%d", i, call)
			arguments := fmt.Sprintf(`{"path":"src/file%d.go"}`, random.IntN(9))
			answer("toolUse", &format.TextBlock{Text: text(5)}, &format.ToolCallBlock{ID: id, Name: tool, Arguments: json.RawMessage(arguments)})
			say(&format.ToolResult{ToolCallID: id, ToolName: tool, Content: format.BlockContent(&format.TextBlock{Text: text(60)}), Timestamp: clock})
		}
		answer("stop", &format.TextBlock{Text: text(20)})
	}
	closePith(t, s)
	return s.File()
}

// piModel is the model of a server as pi takes it.
func piModel(m llm.Model) map[string]any {
	return map[string]any{
		"id": m.ID, "name": m.ID, "api": m.API, "provider": m.Provider, "baseUrl": m.BaseURL, "reasoning": false, "input": []string{"text"},
		"contextWindow": m.ContextWindow, "maxTokens": m.MaxTokens, "cost": map[string]int{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
	}
}

// converse begins a conversation of pith in a file, with the model of a server.
func converse(t *testing.T, path string, model *llmtest.Server, keep int64) *agent.Conversation {
	t.Helper()
	s, err := pith.Open(t.Context(), path, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(s, agent.Config{
		Client:     model.Anthropic(),
		Compaction: func(llm.Model) compact.Settings { return ourSettings(keep) },
		Summarizer: func(c llm.Client) compact.Summarizer { return summarize.Model(c, summarize.ModelOptions{}) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

// summarising is a server that has the same summary for everything.
func summarising(t *testing.T) *llmtest.Server {
	t.Helper()
	server := llmtest.NewServer()
	t.Cleanup(server.Close)
	server.AnswerFunc(func(llmtest.Request) llmtest.Answer {
		return llmtest.Text("## Goal\na summary").Tokens(500, 20)
	})
	return server
}

// A session that one program compacts, the other continues and compacts again:
// both see the same context after each step, and the same text asks for the
// next summary.
func TestCompactionsAlternate(t *testing.T) {
	eachWholePi(t, func(t *testing.T, r rig) {
		for seed := range uint64(3) {
			path := plainTalk(t, r, 500+seed, 30)
			model := summarising(t)
			for round, keep := range []int64{6000, 3000, 1500, 700} {
				if (round+int(seed))%2 == 0 {
					a := converse(t, path, model, keep)
					if _, err := a.Compact(t.Context(), "mind the files"); err != nil {
						t.Fatalf("round %d: Compact: %v", round, err)
					}
					if err := a.Close(); err != nil {
						t.Fatal(err)
					}
				} else {
					var id string
					if err := r.Call(t.Context(), &id, "compact", path, piSettings(keep), piModel(model.AnthropicModel()), llmtest.Key, "mind the files"); err != nil {
						t.Fatalf("round %d: %v", round, err)
					}
				}
				r.compare(t, path, atLeaf)
				reply(t, path, round)
				r.compare(t, path, atLeaf)
			}
			r.comparePlans(t, path)
		}
	})
}

// reply adds a turn, so that there is something new to compact.
func reply(t *testing.T, path string, round int) {
	t.Helper()
	s := openPith(t, path, pith.Options{})
	at := time.UnixMilli(1_765_999_000_000 + int64(round)*1000)
	for i := range 3 {
		if _, err := s.AppendMessage(t.Context(), format.NewUser(fmt.Sprint("more ", round, i, strings.Repeat(" and more", 100)), at)); err != nil {
			t.Fatal(err)
		}
		usage := `{"input":2000,"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":2020,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
		if _, err := s.AppendMessage(t.Context(), &format.Assistant{
			Content: format.BlockContent(&format.TextBlock{Text: strings.Repeat("so it is ", 60)}), API: "anthropic-messages", Provider: llmtest.AnthropicProvider,
			Model: llmtest.ModelID, StopReason: "stop", Timestamp: at.UnixMilli(), Usage: format.DecodeUsage([]byte(usage)),
		}); err != nil {
			t.Fatal(err)
		}
	}
	closePith(t, s)
}

// The same compaction by both programs writes the same: summary, kept range,
// tokens and files.
func TestCompactionsAreTheSame(t *testing.T) {
	eachWholePi(t, func(t *testing.T, r rig) {
		for seed := range uint64(4) {
			for _, keep := range []int64{500, 4000} {
				ours, theirs := plainTalk(t, r.in(t), 700+seed, 25), ""
				model := summarising(t)
				theirs = copyOf(t, ours)
				if err := r.Call(t.Context(), nil, "compact", theirs, piSettings(keep), piModel(model.AnthropicModel()), llmtest.Key); err != nil {
					t.Fatal(err)
				}
				if _, err := converse(t, ours, model, keep).Compact(t.Context(), ""); err != nil {
					t.Fatal(err)
				}
				a, b := lastOf[*format.Compaction](t, ours), lastOf[*format.Compaction](t, theirs)
				same(t, fmt.Sprintf("seed %d, keep %d", seed, keep), []any{a.Summary, a.FirstKeptEntryID, a.TokensBefore, value(t, a.Details)},
					[]any{b.Summary, b.FirstKeptEntryID, b.TokensBefore, value(t, b.Details)})
			}
		}
	})
}

func copyOf(t *testing.T, path string) string {
	t.Helper()
	to := strings.TrimSuffix(path, ".jsonl") + "x.jsonl"
	writeFile(t, to, []byte(readFile(t, path)), 0o600)
	return to
}

// A branch that one program left with a summary is what the other sees (pitfalls
// 119 to 121).
func TestBranchSummariesAgree(t *testing.T) {
	eachWholePi(t, func(t *testing.T, r rig) {
		for seed := range uint64(3) {
			r := r.in(t)
			ours := plainTalk(t, r, 300+seed, 12)
			theirs, model := copyOf(t, ours), summarising(t)
			path := leafPath(t, reopen(t, ours))
			target := path[len(path)/2]
			a := converse(t, ours, model, 20000)
			if n, err := a.Navigate(t.Context(), target, agent.NavigateOptions{Summarize: true, Exact: true}); err != nil || n.SummaryID == "" {
				t.Fatalf("Navigate = %+v, %v", n, err)
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			if err := r.Call(t.Context(), nil, "leaveBranch", theirs, target, piModel(model.AnthropicModel()), llmtest.Key); err != nil {
				t.Fatal(err)
			}
			r.compare(t, ours, atLeaf)
			x, y := lastOf[*format.BranchSummary](t, ours), lastOf[*format.BranchSummary](t, theirs)
			same(t, "summary", []any{x.Summary, x.ParentID, value(t, x.Details)}, []any{y.Summary, y.ParentID, value(t, y.Details)})
			if x.FromID != path[len(path)-1] {
				t.Errorf("fromId = %q; want the leaf that was left, %q", x.FromID, path[len(path)-1])
			}
		}
	})
}
