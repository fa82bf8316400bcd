package compact_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
)

// The table says what a plan is as described prints it.
func TestPrepare(t *testing.T) {
	four := []entry{user(40), answer(40), user(40), answer(40)}
	overflow := []entry{user(40), answer(40), user(400), failed(40), hide("e3")}
	kept := []entry{user(4), answer(4), user(40), answer(40), compaction("PREV", "e2"), user(40), answer(40)}
	tests := map[string]struct {
		entries []entry
		keep    int64
		want    string
	}{
		"metadata last, keep nothing":          {append(four[:4:4], model), 0, "e3 | user assistant | user | split"},
		"system message that was compacted":    {[]entry{user(40), system(400), answer(40), compaction("S", "e0"), user(40), answer(40)}, 45, "nothing"},
		"system message behind a compaction":   {[]entry{user(40), answer(40), compaction("S", "e0"), user(40), system(400), answer(40)}, 45, "e5 | user assistant | user | split"},
		"case 21: empty":                       {nil, 0, "nothing"},
		"case 22: everything fits":             {four, 1000, "nothing"}, // pitfall 111
		"case 23: between turns":               {four, 20, "e2 | user assistant | "},
		"case 24: in a turn":                   {four, 10, "e3 | user assistant | user | split"},
		"case 24: one token more":              {four, 11, "e2 | user assistant | "},
		"case 25: keep nothing":                {four, 0, "e3 | user assistant | user | split"},
		"case 26: one long turn":               {[]entry{user(40), answer(40), result("1", 400), answer(40)}, 10, "e3 |  | user assistant toolResult | split"},
		"case 27: metadata is kept":            {[]entry{user(40), answer(40), model, user(40), answer(40)}, 20, "e2 |  | user assistant | split"},
		"case 28: custom is summarised":        {[]entry{user(40), answer(40), custom(4), user(40), answer(40)}, 20, "e3 | user assistant custom | "},
		"case 29: branch summary too":          {[]entry{user(40), answer(40), branchSummary(4), user(40), answer(40)}, 20, "e3 | user assistant branchSummary | "},
		"case 30: custom counts":               {[]entry{user(40), answer(40), user(40), custom(400), answer(40)}, 60, "e3 | user assistant user | "}, // pitfall 104
		"case 31: command begins a turn":       {[]entry{user(40), answer(40), bash(80), answer(8)}, 20, "e2 | user assistant | "},
		"case 32: huge result":                 {[]entry{user(40), answer(40), user(40), calling("1"), result("1", 4000)}, 100, "e3 | user assistant | user | split"}, // pitfall 102
		"case 33: two results, one huge":       {[]entry{user(40), answer(40), user(40), calling("1", "2"), result("1", 4), result("2", 4000)}, 100, "e3 | user assistant | user | split"},
		"case 34: answer behind the results":   {[]entry{user(4), calling("1", "2"), result("1", 4), result("2", 4000), answer(40)}, 100, "e4 |  | user assistant toolResult toolResult | split"},
		"case 35: label in a pair":             {[]entry{user(40), calling("1"), label, result("1", 40), answer(40), user(40)}, 25, "e4 |  | user assistant toolResult | split"},
		"result of nobody":                     {[]entry{user(40), answer(40), result("gone", 4), user(40), answer(40), user(40)}, 24, "e3 | user assistant toolResult | "},
		"results of nobody, cut before":        {[]entry{user(40), answer(40), user(40), answer(40), result("gone", 4), answer(40), result("lost", 4), answer(4)}, 30, "e2 | user assistant | "},
		"result of nobody in a pair":           {[]entry{user(40), answer(40), calling("1"), result("gone", 4), user(40), result("1", 40), user(40)}, 25, "e6 | user assistant assistant toolResult user toolResult | "}, // pitfall 102
		"result whose call was hidden":         {[]entry{user(40), calling("1"), result("1", 40), user(40), answer(40), hide("e1")}, 25, "e3 | user toolResult | "},
		"result before its call":               {[]entry{user(40), result("1", 4), user(40), calling("1"), user(40)}, 22, "e2 | user toolResult | "},
		"case 36: custom role begins a turn":   {[]entry{user(40), answer(40), message(`{"role":"custom","customType":"x","content":"` + letters(400) + `","timestamp":1}`), answer(4)}, 50, "e2 | user assistant | "},
		"case 37: nothing before the cut":      {[]entry{model, user(4000), answer(4)}, 500, "nothing"},
		"case 38: compacted last":              {[]entry{user(40), answer(40), compaction("S", "e1")}, 0, "nothing"},
		"case 39: after a compaction":          {kept, 20, "e5 | user assistant | "},
		"case 40: cut before the compaction":   {kept, 30, "e3 |  | user | split"},
		"case 41: unknown first kept":          {[]entry{user(40), answer(40), compaction("S", "gone"), user(40), answer(40), user(40)}, 10, "e5 | user assistant | "},
		"case 42: keeps none":                  {[]entry{user(40), answer(40), compaction("S", "e2"), user(40), answer(40), user(40)}, 10, "e5 | user assistant | "},
		"case 45: metadata only":               {[]entry{model, label, naming}, 0, "nothing"}, // pitfall 111
		"case 46: failed attempt":              {overflow, 50, "e3 | user assistant | user | split"},
		"case 47: failed attempt that fits":    {overflow, 5000, "nothing"},
		"case 48: and a custom message":        {append(overflow[:5:5], custom(4)), 50, "e2 | user assistant | "},
		"case 48: and another edit":            {append(overflow[:5:5], replace("e0", letters(40))), 50, "e2 | user assistant | "},
		"case 49: metadata behind the input":   {[]entry{user(40), answer(40), user(400), model, label}, 50, "e2 | user assistant | "},
		"case 50: leading system message":      {[]entry{system(400), user(40), answer(40), user(40)}, 10, "e3 | user assistant | "},
		"case 51: system message in between":   {[]entry{user(40), answer(40), system(4), model, user(40), answer(40)}, 20, "e3 |  | user assistant | split"},
		"older compaction is not crossed":      {[]entry{user(40), answer(40), model, compaction("S", "e0"), model, compaction("T", "e0"), user(40), answer(40)}, 20, "e4 |  | user assistant | split"},           // pitfall 103
		"two results, call between":            {[]entry{user(40), calling("1", "2"), result("1", 4), custom(400), result("2", 4), answer(40)}, 50, "e5 | user assistant toolResult | custom toolResult | split"}, // pitfall 102
		"late result keeps its call":           {[]entry{user(40), answer(40), user(40), calling("1"), custom(400), result("1", 400)}, 50, "e3 | user assistant | user | split"},                                  // pitfall 102
		"orphan result forbids nothing":        {[]entry{user(40), answer(40), result("lost", 4), user(40), answer(40)}, 20, "e3 | user assistant toolResult | "},
		"orphan result at the end":             {[]entry{user(40), answer(40), user(40), answer(40), result("lost", 400)}, 20, "e3 | user assistant | user | split"},
		"replacement counts":                   {[]entry{user(40), answer(40), user(40), answer(4000), replace("e3", "x")}, 20, "e1 |  | user | split"},
		"hidden messages do not count":         {[]entry{user(40), answer(40), user(4000), hide("e2"), user(40), answer(40)}, 20, "e2 |  | user assistant | split"},
		"conversation that starts anew":        {[]entry{user(40), answer(40), {"reset_boundary", ""}, user(40), answer(40), user(40)}, 10, "e5 | user assistant | "},
		"nothing since it started anew":        {[]entry{user(40), answer(40), {"reset_boundary", ""}, model, user(40)}, 10, "nothing"},
		"empty branch summary is no turn":      {[]entry{user(40), answer(40), branchSummary(0), user(40), answer(40)}, 20, "e2 |  | user assistant | split"},
		"summary that an edit hides":           {[]entry{user(40), answer(40), compaction("S", "e1"), hide("e2"), user(40), answer(40)}, 20, "e3 | assistant | "},
		"system message of the retained range": {[]entry{user(40), system(40), answer(40), compaction("S", "e0"), user(40), answer(40)}, 20, "e4 | user assistant | "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := compact.Prepare(chain(t, tt.entries...), keep(tt.keep))
			if got := described(t, p, err); got != tt.want {
				t.Errorf("Prepare(keep %d) = %s\nwant %s", tt.keep, got, tt.want)
			}
		})
	}
}

// case 44: pi has nothing to name in a file whose entries have no ids. pith gives
// them ids, which the first append writes, so the plan names what the file then has.
func TestPrepareWithoutIDs(t *testing.T) {
	text := header
	for _, e := range []entry{user(40), answer(40), user(40)} {
		text += fmt.Sprintf(`{"type":%q,"timestamp":"2026-02-03T10:00:01.000Z",%s}`+"\n", e.kind, e.members)
	}
	s := openText(t, text)
	p, err := compact.Prepare(s, keep(10))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendCompaction(t.Context(), p.Compaction("S", compact.FileLists{})); err != nil {
		t.Fatal(err)
	}
	again, err := pith.Open(t.Context(), s.File(), pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	ctx, err := again.Context()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := roles(t, ctx.Messages()), "compactionSummary user"; got != want {
		t.Errorf("context after the compaction = %q, want %q", got, want)
	}
}

// pitfall 111
func TestWhyNothing(t *testing.T) {
	tests := map[string]struct {
		entries []entry
		want    compact.Why
	}{
		"compacted": {[]entry{user(40), compaction("S", "e0")}, compact.AlreadyCompacted},
		"small":     {[]entry{user(40)}, compact.TooSmall},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := compact.Prepare(chain(t, tt.entries...), keep(0))
			var nothing *compact.NothingError
			if !errors.As(err, &nothing) || nothing.Why != tt.want {
				t.Errorf("Prepare() error = %v, want why %d", err, tt.want)
			}
		})
	}
}

func TestPlanNumbers(t *testing.T) {
	previous := compaction("PREV", "e2")
	tests := map[string]struct {
		entries      []entry
		keep         int64
		before, kept int64
		previous     string
	}{
		"estimate":                    {[]entry{user(40), answer(40), user(40), answer(40)}, 10, 40, 10, ""},
		"count of the provider":       {[]entry{user(40), counted(40, 500), user(40)}, 10, 510, 10, ""},
		"case 50: system counts":      {[]entry{system(400), user(40), answer(40), user(40)}, 10, 130, 10, ""},
		"case 39: stale count":        {[]entry{user(4), answer(4), user(40), counted(40, 999), previous, user(40), answer(40)}, 20, 41, 20, "PREV"}, // pitfall 105
		"fresh count":                 {[]entry{user(4), answer(4), user(40), answer(40), previous, user(40), counted(40, 999)}, 20, 999, 20, "PREV"},
		"kept from before compaction": {[]entry{user(4), answer(4), user(40), answer(40), previous, user(40), answer(40)}, 30, 41, 30, "PREV"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := compact.Prepare(chain(t, tt.entries...), keep(tt.keep))
			if err != nil {
				t.Fatal(err)
			}
			if p.TokensBefore != tt.before || p.KeptTokens != tt.kept || p.PreviousSummary != tt.previous {
				t.Errorf("Prepare() = before %d, kept %d, previous %q; want %d, %d, %q",
					p.TokensBefore, p.KeptTokens, p.PreviousSummary, tt.before, tt.kept, tt.previous)
			}
		})
	}
}

// pitfall 104: with the estimate by script a Chinese text fills the budget sooner.
func TestPrepareByScript(t *testing.T) {
	chinese := message(userText("把这个函数重构成两个把这个函数重构成两个")) // 20 characters
	s := chain(t, user(40), answer(40), user(40), chinese)
	for estimator, want := range map[compact.Estimator]string{
		compact.Quarter:  "e2 | user assistant | ",
		compact.ByScript: "e3 | user assistant user | ",
	} {
		set := keep(15)
		set.Estimator = estimator
		p, err := compact.Prepare(s, set)
		if got := described(t, p, err); got != want {
			t.Errorf("Prepare(estimator %d) = %s, want %s", estimator, got, want)
		}
	}
}

// pitfall 101: entries of other branches are ignored. pitfall 117: of two
// compactions on one parent the one on the path counts.
func TestPrepareOnBranches(t *testing.T) {
	text := header +
		line("a", "", user(40)) + line("b", "a", answer(40)) +
		line("c", "b", compaction("FIRST", "b")) + line("d", "c", user(40)) + line("e", "d", answer(40)) +
		line("x", "b", compaction("SECOND", "a")) + line("y", "x", user(40)) + line("z", "y", answer(40)) +
		line("o", "b", user(40)) + line("p", "o", answer(40))
	s := openText(t, text)
	for leaf, want := range map[string][2]string{
		"e": {"d | assistant | ", "FIRST"},
		"z": {"y | user assistant | ", "SECOND"},
		"p": {"o | user assistant | ", ""},
	} {
		p, err := compact.PrepareAt(s, leaf, keep(20))
		if got := described(t, p, err); got != want[0] || p.PreviousSummary != want[1] {
			t.Errorf("PrepareAt(%s) = %s, previous %q; want %s, %q", leaf, got, p.PreviousSummary, want[0], want[1])
		}
	}
	if p, err := compact.PrepareAt(s, "", keep(20)); described(t, p, err) != "nothing" {
		t.Errorf("PrepareAt(before the first entry) = %s, want nothing", described(t, p, err))
	}
	if _, err := compact.PrepareAt(s, "nowhere", keep(20)); err == nil || errors.Is(err, compact.ErrNothing) {
		t.Errorf("PrepareAt(nowhere) = %v, want an error about the entry", err)
	}
}

// An id that occurs twice must not lead the search to another entry.
func TestPrepareWithDuplicateIDs(t *testing.T) {
	text := header +
		line("a", "", user(40)) + line("b", "a", answer(40)) + line("c", "b", user(40)) + line("d", "c", answer(40)) +
		line("c", "a", user(4000))
	p, err := compact.PrepareAt(openText(t, text), "d", keep(20))
	if got, want := described(t, p, err), "c | user assistant | "; got != want {
		t.Errorf("PrepareAt(d) = %s, want %s", got, want)
	}
}

// pitfall 103: a cut that begins with a label survives a fork, which drops labels.
func TestCutAtLabelSurvivesFork(t *testing.T) {
	s := chain(t, user(40), answer(40), label, user(40), answer(40))
	p, err := compact.Prepare(s, keep(20))
	if err != nil || p.FirstKeptEntryID != "e2" {
		t.Fatalf("Prepare() = %+v, %v; want the label e2 as the first kept", p, err)
	}
	if _, err := s.AppendCompaction(t.Context(), p.Compaction("S", compact.FileLists{})); err != nil {
		t.Fatal(err)
	}
	fork, err := s.Clone(t.Context(), s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	ctx, err := fork.Context()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := roles(t, ctx.Messages()), "compactionSummary user assistant"; got != want {
		t.Errorf("context of the fork = %q, want %q", got, want)
	}
}
