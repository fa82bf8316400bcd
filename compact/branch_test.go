package compact_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
)

func branchRoles(t testing.TB, b *compact.Branch) string {
	t.Helper()
	var out []string
	for _, m := range b.Messages {
		out = append(out, string(decodeMessage(t, string(m.Raw)).Role()))
	}
	return strings.Join(out, " ")
}

// The branch of the cases 73 to 76 under an entry e0 that stays.
func leftBranch() []entry {
	edit := message(answerWith(noUsage, "toolUse", callBlock("1", "edit", `{"path":"e1"}`))) // 5 tokens
	return []entry{
		user(4), user(40), edit, result("1", 4000),
		branchSummary(400).with(`"details":{"readFiles":["r1"],"modifiedFiles":["m1"]}`), answer(40), model,
	}
}

func TestBranchBudget(t *testing.T) {
	tests := map[string]struct {
		budget int64
		roles  string
		tokens int64
		edited []string
	}{
		"case 73: no limit":             {0, "user assistant branchSummary assistant", 125, []string{"e1", "m1"}},
		"case 74: 10":                   {10, "assistant", 10, []string{"m1"}},
		"case 74: 11":                   {11, "assistant", 10, []string{"m1"}},
		"case 75: summary over it":      {15, "branchSummary assistant", 110, []string{"m1"}},
		"case 75: summary over 100 too": {100, "branchSummary assistant", 110, []string{"m1"}},
		"case 76: 120":                  {120, "assistant branchSummary assistant", 115, []string{"e1", "m1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b, err := compact.Quarter.Collect(chain(t, leftBranch()...), "e6", "e0", tt.budget)
			if err != nil {
				t.Fatal(err)
			}
			if got := branchRoles(t, b); got != tt.roles || b.Tokens != tt.tokens {
				t.Errorf("Collect(budget %d) = %s, %d tokens; want %s, %d", tt.budget, got, b.Tokens, tt.roles, tt.tokens)
			}
			if !slices.Equal(b.Files.Read(), []string{"r1"}) || !slices.Equal(b.Files.Edited(), tt.edited) {
				t.Errorf("Collect(budget %d) read %q, edited %q; want r1, %q", tt.budget, b.Files.Read(), b.Files.Edited(), tt.edited)
			}
		})
	}
}

// The lists of a summary count also when the budget was used up before it, and a
// summary does not go over a budget of which nine tenths are used.
func TestBranchBudgetIsUsedUp(t *testing.T) {
	listed := `"details":{"readFiles":["r0"],"modifiedFiles":["m0"]}`
	tests := map[string]struct {
		entries []entry
		budget  int64
		roles   string
	}{
		"a summary behind it":    {[]entry{user(4), branchSummary(4).with(listed), user(400), answer(40)}, 15, "assistant"},
		"nine tenths":            {[]entry{user(4), branchSummary(400).with(listed), answer(360)}, 100, "assistant"},
		"less than nine tenths":  {[]entry{user(4), branchSummary(400).with(listed), answer(356)}, 100, "branchSummary assistant"},
		"exactly what there is":  {[]entry{user(4), branchSummary(400).with(listed), answer(360)}, 190, "branchSummary assistant"},
		"an edit behind it":      {[]entry{user(4), branchSummary(4).with(listed), user(40), hide("e2"), user(400), answer(40)}, 15, "assistant"},
		"a compaction before it": {[]entry{user(4), branchSummary(4).with(listed), compaction("S", "e0"), user(400), answer(40)}, 15, "assistant"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := chain(t, tt.entries...)
			b, err := compact.Quarter.Collect(s, s.LeafID(), "e0", tt.budget)
			if err != nil {
				t.Fatal(err)
			}
			if got := branchRoles(t, b); got != tt.roles || !slices.Equal(b.Files.Read(), []string{"r0"}) || !slices.Equal(b.Files.Edited(), []string{"m0"}) {
				t.Errorf("Collect = %s, read %q, edited %q; want %s, r0, m0", got, b.Files.Read(), b.Files.Edited(), tt.roles)
			}
		})
	}
}

// pitfall 124: a reserve above the window leaves a budget anyway.
func TestBudgetOfWindow(t *testing.T) {
	for _, tt := range []struct{ window, reserve, want int64 }{
		{200_000, 16384, 183_616}, {0, 16384, 111_616}, {8192, 16384, 4096}, {8192, 8192, 4096}, {1, 16384, 1},
	} {
		if got := compact.BranchBudget(tt.window, tt.reserve); got != tt.want {
			t.Errorf("BranchBudget(%d, %d) = %d, want %d", tt.window, tt.reserve, got, tt.want)
		}
	}
}

// case 80: two branches c d and e f under a b, and another root x.
func TestCollect(t *testing.T) {
	text := header + line("a", "", user(4)) + line("b", "a", answer(4)) +
		line("c", "b", user(4)) + line("d", "c", answer(4)) +
		line("e", "b", user(4)) + line("f", "e", answer(4)) + line("x", "", user(4))
	s := openText(t, text)
	tests := map[string]struct{ from, to, entries, ancestor string }{
		"sibling":          {"d", "f", "c d", "b"},
		"up":               {"d", "b", "c d", "b"},
		"down":             {"b", "d", "", "b"},
		"nowhere":          {"d", "d", "", "d"},
		"from no leaf":     {"", "d", "", ""},
		"other root":       {"d", "x", "a b c d", ""}, // pitfall 121
		"to no leaf":       {"d", "", "a b c d", ""},  // pitfall 121
		"one up":           {"d", "c", "d", "c"},
		"to the root":      {"d", "a", "b c d", "a"},
		"from one to more": {"x", "f", "x", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b, err := compact.Quarter.Collect(s, tt.from, tt.to, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(b.EntryIDs, " "); got != tt.entries || b.CommonAncestorID != tt.ancestor {
				t.Errorf("Collect(%s, %s) = %q / %q, want %q / %q", tt.from, tt.to, got, b.CommonAncestorID, tt.entries, tt.ancestor)
			}
		})
	}
	if _, err := compact.Quarter.Collect(s, "d", "gone", 0); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("Collect(d, gone) = %v, want ErrNoEntry", err)
	}
	if _, err := compact.Quarter.Collect(s, "gone", "d", 0); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("Collect(gone, d) = %v, want ErrNoEntry", err)
	}
}

// pitfall 120: of a branch count the entries of the conversation, as they were
// edited there.
func TestBranchContents(t *testing.T) {
	hiddenCustom := custom(40).with(`"excludeFromContext":true`)
	tests := map[string]struct {
		entries []entry
		want    string
		text    string
	}{
		"case 77: edits":     {[]entry{user(4), user(40), answer(40), hide("e1"), replace("e2", "NEW")}, "assistant", "[Assistant]: NEW"},
		"failed reply":       {[]entry{user(4), message(userText("u")), failed(40), hide("e2")}, "user", "[User]: u"},
		"edit of a branch":   {[]entry{user(4), message(userText("u")), replace("e1", "first"), replace("e1", "last")}, "user", "[User]: last"},
		"name and metadata":  {[]entry{user(4), naming, model, label, hide("e0")}, "", ""},
		"hidden content":     {[]entry{user(4), hiddenCustom, message(`{"role":"bashExecution","command":"ls","output":"o","excludeFromContext":true}`)}, "bashExecution", ""},
		"compaction":         {[]entry{user(4), compaction("C", "e0")}, "compactionSummary", "[User]: The conversation history before this point was compacted into the following summary:\n\n<summary>\nC\n</summary>"},
		"empty summary":      {[]entry{user(4), branchSummary(0)}, "branchSummary", "[User]: The following is a summary of a branch that this conversation came back from:\n\n<summary>\n</summary>"},
		"results of tools":   {[]entry{user(4), calling("1"), result("1", 40)}, "assistant", "[Assistant tool calls]: ls()"},
		"compaction, system": {[]entry{user(4), compaction("C", "e0").with(`"systemMessage":{"role":"system","content":"s"}`), system(4)}, "compactionSummary system", "[User]: The conversation history before this point was compacted into the following summary:\n\n<summary>\nC\n</summary>"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := chain(t, tt.entries...)
			b, err := compact.Quarter.Collect(s, s.LeafID(), "e0", 0)
			if err != nil {
				t.Fatal(err)
			}
			var raws []string
			for _, m := range b.Messages {
				raws = append(raws, string(m.Raw))
			}
			text, err := compact.Serialize(each(raws...))
			if got := branchRoles(t, b); err != nil || got != tt.want || text != tt.text {
				t.Errorf("Collect() = %s, %q, %v; want %s, %q", got, text, err, tt.want, tt.text)
			}
		})
	}
}

func TestSummarizeBranch(t *testing.T) {
	const intro = "The user explored a different conversation branch before returning here.\nSummary of that exploration:\n\n"
	tests := map[string]struct {
		entries []entry
		want    string
		details string
	}{
		"text and files":        {leftBranch(), intro + "answer 1\n\n<read-files>\nr1\n</read-files>\n\n<modified-files>\ne1\nm1\n</modified-files>", `{"readFiles":["r1"],"modifiedFiles":["e1","m1"]}`},
		"case 78: nothing said": {[]entry{user(4), naming}, "No content to summarize", `{"readFiles":[],"modifiedFiles":[]}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := chain(t, tt.entries...)
			b, err := compact.Quarter.Collect(s, s.LeafID(), "e0", 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := b.Summarize(t.Context(), &recorded{}, compact.SummaryOptions{})
			if err != nil || got.Summary != tt.want || string(got.Details) != tt.details || got.FromHook == nil || *got.FromHook {
				t.Errorf("Summarize() = %+v (details %s), %v; want %q, %s, fromHook false", got, got.Details, err, tt.want, tt.details)
			}
		})
	}
	b, err := compact.Quarter.Collect(chain(t, user(4), answer(4)), "e0", "e1", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Summarize(t.Context(), fixed("S"), compact.SummaryOptions{}); !errors.Is(err, compact.ErrNothing) {
		t.Errorf("Summarize(no entries) = %v, want ErrNothing", err)
	}
}

// case 79: instructions take the place of the summarizer's own only if there are any.
func TestReplaceInstructions(t *testing.T) {
	for _, instructions := range []string{"only this", ""} {
		b, err := compact.Quarter.Collect(chain(t, leftBranch()...), "e6", "e0", 0)
		if err != nil {
			t.Fatal(err)
		}
		var r recorded
		if _, err := b.Summarize(t.Context(), &r, compact.SummaryOptions{Instructions: instructions, ReplaceInstructions: true}); err != nil {
			t.Fatal(err)
		}
		if p := r.prompts[0]; p.Part != compact.LeftBranch || p.Instructions != instructions || p.ReplaceInstructions != (instructions != "") {
			t.Errorf("prompt = %+v, want the instructions %q", p, instructions)
		}
	}
}

// pitfall 119: the entry names the leaf that was left, also when it is a label.
func TestBranchSummaryNamesOldLeaf(t *testing.T) {
	s := chain(t, user(4), answer(4), user(4), label)
	b, err := compact.Quarter.Collect(s, s.LeafID(), "e1", 0)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := b.Summarize(t.Context(), fixed("S"), compact.SummaryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.BranchWithSummary(t.Context(), "e1", summary)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := s.Entry(id)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(entry.Head().Raw); !strings.Contains(got, `"fromId":"e3"`) || entry.Head().ParentID != "e1" {
		t.Errorf("entry = %s, want fromId e3 under e1", got)
	}
}
