package inspect_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/inspect"
)

func TestContents(t *testing.T) {
	r := reading(t, script(t, user("  first\n line  "), answer(calls("1", "bash", `{}`), calls("2", "read", `{}`), calls("3", "bash", `{}`)),
		result("1", "bash", "x", true), result("2", "read", "y", false), `{"type":"compaction","summary":"s","firstKeptEntryId":"a","tokensBefore":1}`,
		`{"type":"label","targetId":"b","label":"mark"}`), inspect.Scope{})
	row := turn(t, r, 0, inspect.Detail{}).Contents()
	got := fmt.Sprintf("%d %q %v %d %v %q %d", row.Number, row.Title, row.Tools, row.Errors, row.Compacted, row.Labels, row.Spent.Tokens)
	if want := `1 "first line" [{bash 2 1} {read 1 0}] 1 true ["mark"] 10`; got != want {
		t.Errorf("Contents() = %s, want %s", got, want)
	}
}

func TestIssues(t *testing.T) {
	bash := func(code string) string {
		return `{"type":"message","message":{"role":"bashExecution","command":"x","output":"","exitCode":` + code + `}}`
	}
	tests := map[string]struct {
		lines []string
		want  string // kinds and words
	}{
		"nothing":           {[]string{user("please fix the error in the parser"), answer(says("Done, all tests pass."))}, ""},
		"tool":              {[]string{user("q"), answer(calls("1", "bash", `{}`)), result("1", "bash", "boom", true)}, "toolError bash"},
		"no result":         {[]string{user("q"), answer(calls("1", "bash", `{}`))}, "noResult bash"},
		"failed answer":     {[]string{user("q"), `{"type":"message","message":{"role":"assistant","content":[],"stopReason":"aborted"}}`}, "failure "},
		"command":           {[]string{user("q"), bash("1"), bash("0")}, "bashError "},
		"retry":             {[]string{user("q"), answer(says("You’re right, I made a mistake. Let me try again."))}, "retry i made a mistake"},
		"English":           {[]string{user("It still doesn't work!")}, "complaint doesnt work"},
		"German":            {[]string{user("Das FUNKTIONIERT nicht.")}, "complaint funktioniert nicht"},
		"French":            {[]string{user("Ça ne marche pas")}, "complaint ça ne marche pas"},
		"Spanish":           {[]string{user("esto no funciona")}, "complaint no funciona"},
		"Russian":           {[]string{user("Опять не работает")}, "complaint не работает"},
		"Chinese":           {[]string{user("这个结果不对，请检查")}, "complaint 不对"},
		"Japanese":          {[]string{user("まだ動かないです")}, "complaint 動かない"},
		"Korean":            {[]string{user("이거 틀렸어요")}, "complaint 틀렸"},
		"words, not pieces": {[]string{user("fix the worsened cache and unstop it")}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := reading(t, script(t, tt.lines...), inspect.Scope{})
			var got []string
			for _, issue := range turn(t, r, 0, inspect.Detail{}).Issues(nil, false).Issues {
				got = append(got, issue.Kind+" "+string(issue.Name)+issue.Words)
			}
			if text := strings.Join(got, "|"); text != tt.want {
				t.Errorf("Issues() = %q, want %q", text, tt.want)
			}
		})
	}
	r := reading(t, script(t, user("q"), answer(calls("1", "bash", `{}`))), inspect.Scope{})
	if got := turn(t, r, 0, inspect.Detail{}).Issues(nil, true).Issues; len(got) != 0 {
		t.Errorf("Issues() of a turn that may go on = %v, want none", got)
	}
}

// An answer that was broken off in the middle of its calls is one issue, not one
// for each.
func TestIssuesAreNotRepeated(t *testing.T) {
	broken := answer(calls("1", "edit", `{"path":"a"}`), calls("2", "edit", `{"path":"b"}`), calls("3", "read", `{"path":"a"}`), calls("4", "edit", `{"path":"a"}`))
	r := reading(t, script(t, user("q"), broken, user("again")), inspect.Scope{})
	var got []string
	for _, issue := range turn(t, r, 0, inspect.Detail{}).Issues(nil, false).Issues {
		got = append(got, fmt.Sprintf("%s: %s", issue.Name, issue.Text))
	}
	if text, want := strings.Join(got, "|"), "edit: no result (2 times)|read: no result|edit: no result"; text != want {
		t.Errorf("Issues() = %q, want %q", text, want)
	}
}

// The ends of a turn are the user's message and what was said last.
func TestEnds(t *testing.T) {
	call := answer(says("I look."), calls("1", "read", `{"path":"a"}`))
	tests := map[string]struct {
		lines   []string
		want    string
		between int
	}{
		"asked alone": {[]string{user("q")}, "user q", 0},
		"answered":    {[]string{user("q"), answer(says("a"))}, "user q|response a", 0},
		"with tools":  {[]string{user("q"), call, answer(says("a")), `{"type":"label","targetId":"a","label":"x"}`}, "user q|response a", 2},
		"no answer":   {[]string{user("q"), answer(calls("1", "read", `{}`))}, "user q", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ends, between := turn(t, reading(t, script(t, tt.lines...), inspect.Scope{}), 0, inspect.Detail{}).Ends()
			var got []string
			for _, it := range ends.Items {
				got = append(got, fmt.Sprintf("%s %s", it.Kind, it.Text))
			}
			if text := strings.Join(got, "|"); text != tt.want || between != tt.between {
				t.Errorf("Ends() = %q, %d; want %q, %d", text, between, tt.want, tt.between)
			}
		})
	}
}

func TestFailedRuns(t *testing.T) {
	details := `{"mode":"parallel","results":[{"agent":"scout","task":"x","exitCode":0},{"agent":"worker","task":"y","exitCode":1,"error":"no key"}]}`
	r := reading(t, script(t, user("q"), answer(calls("1", "subagent", `{"tasks":[{"agent":"scout","task":"x"},{"agent":"worker","task":"y"}]}`)),
		`{"type":"message","message":{"role":"toolResult","toolCallId":"1","toolName":"subagent","content":[],"details":`+details+`,"isError":false}}`), inspect.Scope{})
	failed, err := r.FailedRuns()
	if err != nil {
		t.Fatalf("FailedRuns: %v", err)
	}
	issues := turn(t, r, 0, inspect.Detail{}).Issues(failed, false).Issues
	if len(issues) != 1 || issues[0].Kind != inspect.IssueSubagent || issues[0].Name != "worker" || issues[0].EntryID != "c" || issues[0].Text != "failed: no key" {
		t.Errorf("Issues() = %+v, want the run of worker", issues)
	}
}

// Costs below a millionth add up; costs outside of the conversation count.
func TestCosts(t *testing.T) {
	usage := `"usage":{"input":1,"output":0,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.0000004}}`
	r := reading(t, script(t, user("q"), answer(`{"type":"thinking","thinking":"hm"}`, says("x")),
		`{"type":"compaction","summary":"s","firstKeptEntryId":"a","tokensBefore":1,`+usage+`}`,
		`{"type":"branch_summary","fromId":"a","summary":"s",`+usage+`}`,
		`{"type":"usage","kind":"title","provider":"o","model":"small",`+usage+`}`,
		`{"type":"model_usage","purpose":"title","provider":"o","model":"small",`+usage+`}`,
		`{"type":"message","message":{"role":"toolResult","toolCallId":"1","toolName":"sub","content":[],`+usage+`}}`), inspect.Scope{})
	x := turn(t, r, 0, inspect.Detail{})
	var got []string
	for _, c := range x.Costs() {
		got = append(got, fmt.Sprintf("%s %s", c.Kind, c.Model))
	}
	if text := strings.Join(got, "|"); text != "response p/m|compaction |branchSummary |usage o/small|usage o/small|tool " {
		t.Errorf("Costs() = %s", text)
	}
	if x.Spent.Cost.Micros() != 2 || x.Spent.Tokens != 15 { // six times 0.4 millionths
		t.Errorf("Spent = %+v, want 2 millionths and 15 tokens", x.Spent)
	}
	models := inspect.ByModel(x.Costs())
	if len(models) != 3 || models[0].Model != "" || models[0].Calls != 3 {
		t.Errorf("ByModel = %+v, want the three without a model first", models)
	}
}

func TestFit(t *testing.T) {
	sizes := map[inspect.Level]int{inspect.Whole: 400, inspect.Shortened: 100, inspect.Short: 40, inspect.Ends: 20, inspect.OneLine: 8}
	render := func(_ int, l inspect.Level) (string, error) { return strings.Repeat("word", sizes[l]), nil }
	indexes := []int{}
	for i := range 50 {
		indexes = append(indexes, i)
	}
	for _, tokens := range []int64{0, 7, 8, 100, 1000, 2000, 1 << 30, math.MaxInt64} {
		pieces, omitted, err := inspect.Fit(indexes, tokens, render)
		if err != nil {
			t.Fatal(err)
		}
		used := int64(0)
		for k, p := range pieces {
			used += inspect.Tokens(p.Text)
			if p.Index != omitted+k {
				t.Errorf("Fit(%d): piece %d is of turn %d, want %d", tokens, k, p.Index, omitted+k)
			}
			if k > 0 && p.Level > pieces[k-1].Level {
				t.Errorf("Fit(%d): turn %d is told more shortly than the older one", tokens, p.Index)
			}
		}
		if used > max(tokens, int64(sizes[inspect.OneLine])) || omitted+len(pieces) != len(indexes) {
			t.Errorf("Fit(%d) took %d tokens, %d pieces, %d omitted", tokens, used, len(pieces), omitted)
		}
		if len(pieces) == 0 {
			t.Fatalf("Fit(%d) tells nothing; want the newest in one line at least", tokens)
		}
		if tokens >= 1<<30 && pieces[0].Level != inspect.Whole {
			t.Errorf("Fit(%d) shortens although there is room", tokens)
		}
		if tokens == 2000 && (pieces[len(pieces)-1].Level != inspect.Whole || pieces[0].Level != inspect.OneLine) {
			t.Errorf("Fit(%d) tells the newest on level %d, the oldest on %d", tokens, pieces[len(pieces)-1].Level, pieces[0].Level)
		}
	}
}
