package inspect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/tests/corpus"
)

// Every text of the path is in the turns in full detail, and every entry is
// counted once.
func TestNothingIsLost(t *testing.T) {
	texts := 0
	files := zoo()
	for _, odd := range corpus.Odd() {
		if len(odd.Bytes) >= 256<<10 {
			files = append(files, zooFile{odd.Name, odd.Bytes})
		}
	}
	for _, file := range files {
		s := open(t, file.data)
		if s == nil {
			continue
		}
		r := reading(t, s, inspect.Scope{})
		var full strings.Builder
		entries := 0
		for i := range r.Len() {
			x := turn(t, r, i, inspect.Detail{})
			entries += x.Entries
			for k := range x.Items {
				write(&full, &x.Items[k])
			}
		}
		v := s.View()
		path, err := v.Path("")
		if err != nil {
			t.Fatalf("%s: Path: %v", file.name, err)
		}
		told := full.String()
		n := 0
		for _, pos := range path {
			e, err := v.Entry(pos)
			if err != nil {
				t.Fatalf("%s: Path: %v", file.name, err)
			}
			n++
			for _, text := range visible(e) {
				texts++
				if !strings.Contains(told, text) {
					t.Errorf("%s: %q of entry %s is not told", file.name, text[:min(len(text), 80)], e.Head().ID)
				}
			}
		}
		if n != entries || n != r.Entries() {
			t.Errorf("%s: turns hold %d entries of %d, want %d", file.name, entries, r.Entries(), n)
		}
	}
	if texts < 1000 {
		t.Fatalf("%d texts seen: this test tests too little", texts)
	}
}

// write collects all strings of an item.
func write(b *strings.Builder, it *inspect.Item) {
	for _, text := range []inspect.Text{it.Name, it.Text, it.Target} {
		b.WriteString(string(text) + "\n")
	}
	if it.Tool != nil {
		b.WriteString(string(it.Tool.Arguments) + "\n")
		if it.Tool.Result != nil {
			b.WriteString(string(it.Tool.Result.Text) + "\n")
		}
	}
	if it.Bash != nil {
		b.WriteString(string(it.Bash.Command) + "\n")
	}
}

// visible are the texts of an entry, found in its JSON without the reader.
func visible(e format.Entry) []string {
	var out []string
	add := func(raw []byte, names ...string) {
		for _, name := range names {
			value, _ := jsonl.Lookup(raw, name)
			if s, ok := jsonl.String(value); ok && s != "" {
				out = append(out, s)
			}
		}
	}
	raw := e.Head().Raw
	content := raw
	switch e := e.(type) {
	case *format.MessageEntry:
		message, _ := jsonl.Lookup(raw, "message")
		content = message
		switch e.Message.(type) {
		case *format.BashExecution:
			add(message, "command", "output")
		case *format.BranchSummaryMessage, *format.CompactionSummaryMessage:
			add(message, "summary")
		}
	case *format.CustomMessage:
	case *format.Compaction, *format.BranchSummary:
		add(raw, "summary")
		return out
	default:
		return out
	}
	if jsonl.KindOf(content) != '{' {
		return out
	}
	list, _ := jsonl.Lookup(content, "content")
	if s, ok := jsonl.String(list); ok {
		return append(out, s)
	}
	if jsonl.KindOf(list) != '[' {
		return out
	}
	for block := range jsonl.Elements(list) {
		if jsonl.KindOf(block) != '{' {
			continue
		}
		kind, _ := jsonl.Lookup(block, "type")
		switch word, _ := jsonl.String(kind); word {
		case "text":
			add(block, "text")
		case "thinking":
			if redacted, _ := jsonl.Lookup(block, "redacted"); string(redacted) != "true" {
				add(block, "thinking")
			}
		case "toolCall":
			add(block, "name")
			if args, ok := jsonl.Lookup(block, "arguments"); ok && !jsonl.IsNull(args) {
				out = append(out, string(args))
			}
		}
	}
	return out
}

// For any file, every view can be rendered and is valid JSON.
func TestViewsOfTheZoo(t *testing.T) {
	for _, file := range zoo() {
		s := open(t, file.data)
		if s == nil {
			continue
		}
		for _, scope := range []inspect.Scope{{}, {AllBranches: true}} {
			for _, d := range []inspect.Detail{{}, {MaxContent: 1}, {MaxContent: 200, MaxSpeech: 1000, Brief: true}, {Roles: inspect.Roles()}} {
				checkViews(t, file.name, s, scope, d)
			}
		}
		if _, err := inspect.Count(t.Context(), s); err != nil {
			t.Errorf("%s: Count: %v", file.name, err)
		}
	}
}

func checkViews(t *testing.T, name string, s *pith.Session, scope inspect.Scope, d inspect.Detail) {
	t.Helper()
	r := reading(t, s, scope)
	var costs []inspect.Cost
	var spent format.Spent
	for i := range r.Len() {
		x := turn(t, r, i, d)
		if !d.Brief && d.Roles == nil {
			costs = append(costs, x.Costs()...)
			spent = spent.Plus(x.Spent)
		}
		for _, view := range []any{x, x.Contents(), x.Issues(nil, false)} {
			if _, err := json.Marshal(view); err != nil {
				t.Errorf("%s: %T of turn %d is no JSON: %v", name, view, i, err)
			}
		}
	}
	var sum format.Spent
	for i := range costs {
		sum = sum.Plus(costs[i].Spent.Spent)
	}
	if sum != spent {
		t.Errorf("%s: calls add up to %+v, turns to %+v", name, sum, spent)
	}
	models := inspect.ByModel(costs)
	var byModel format.Spent
	for i := range models {
		byModel = byModel.Plus(models[i].Spent)
	}
	if byModel != spent {
		t.Errorf("%s: models add up to %+v, turns to %+v", name, byModel, spent)
	}
}

// All branches together cost what the whole session costs.
func TestCountIsTheSumOfAllBranches(t *testing.T) {
	for _, file := range zoo() {
		s := open(t, file.data)
		if s == nil {
			continue
		}
		r := reading(t, s, inspect.Scope{AllBranches: true})
		var want format.Spent
		calls := 0
		for i := range r.Len() {
			x := turn(t, r, i, inspect.Detail{})
			want = want.Plus(x.Spent)
			for k := range x.Items {
				if tool := x.Items[k].Tool; tool != nil && !tool.Orphan {
					calls++
				}
			}
		}
		got, err := inspect.Count(t.Context(), s)
		if err != nil || got.Spent != want || got.ToolCalls != calls {
			t.Errorf("%s: Count = %+v, %v; want %+v and %d calls", file.name, got, err, want, calls)
		}
	}
}
