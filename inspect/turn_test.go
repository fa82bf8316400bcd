package inspect_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/inspect"
)

// told returns a turn with a line for each item: kind, name, text, target.
func told(x *inspect.Turn) string {
	var lines []string
	for i := range x.Items {
		it := &x.Items[i]
		line := strings.TrimSpace(fmt.Sprintf("%s %s %s %s", it.Kind, it.Name, it.Text, it.Target))
		if it.Tool != nil {
			line += " " + string(it.Tool.Arguments)
			if it.Tool.Result != nil {
				line += " = " + string(it.Tool.Result.Text)
			}
		}
		if it.Bash != nil {
			line += " $ " + string(it.Bash.Command)
		}
		if it.Image != nil {
			line += it.Image.String()
		}
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "|")
}

func TestTurns(t *testing.T) {
	tests := map[string]struct {
		lines []string
		want  []string // one for each turn
	}{
		"nothing": {nil, nil},
		"before the first message": {
			[]string{`{"type":"model_change","provider":"p","modelId":"m"}`, `{"type":"thinking_level_change","thinkingLevel":"low"}`, user("q"), answer(says("r"))},
			[]string{"model p/m|thinkingLevel low", "user q|response r"},
		},
		"results are joined with their calls by id": {
			[]string{user("q"), answer(says("two"), calls("1", "read", `{"path":"x"}`), calls("2", "bash", `{}`)), result("2", "bash", "second", false), result("1", "read", "first", true)},
			[]string{`user q|response two|tool read {"path":"x"} = first|tool bash {} = second`},
		},
		"a result without a call, a call without a result": {
			[]string{user("q"), answer(calls("1", "read", `{}`)), result("9", "ls", "lost", false)},
			[]string{"user q|tool read {}|tool ls = lost"},
		},
		"what is no message": {
			[]string{
				user("q"), `{"type":"compaction","summary":"sum","firstKeptEntryId":"a","tokensBefore":5}`,
				`{"type":"branch_summary","fromId":"x","summary":"left"}`, `{"type":"custom_message","customType":"note","content":"hi","display":true}`,
				`{"type":"message","message":{"role":"bashExecution","command":"ls","output":"out","exitCode":0}}`,
				`{"type":"session_info","name":" named "}`, `{"type":"label","targetId":"a","label":"mark"}`, `{"type":"strange_thing"}`,
				`{"type":"message","message":{"role":"user","content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}}`,
			},
			[]string{
				"user q|compaction sum a|branchSummary left x|custom note hi|bash out $ ls|name named|label mark a|other strange_thing",
				"userimage image/png, 3 bytes",
			},
		},
		"an answer that failed": {
			[]string{user("q"), `{"type":"message","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"529"}}`},
			[]string{"user q|failure error 529"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := reading(t, script(t, tt.lines...), inspect.Scope{})
			if r.Len() != len(tt.want) {
				t.Fatalf("Len() = %d, want %d", r.Len(), len(tt.want))
			}
			for i, want := range tt.want {
				if got := told(turn(t, r, i, inspect.Detail{})); got != want {
					t.Errorf("Turn(%d) = %s\nwant %s", i, got, want)
				}
			}
		})
	}
}

func TestDetail(t *testing.T) {
	long := strings.Repeat("é", 10) + "\nsecond line"
	r := reading(t, script(t, user(long), answer(says(long), calls("1", "write", `{"path":"p","content":"`+strings.Repeat("x", 50)+`"}`)), result("1", "write", long, false),
		`{"type":"custom","customType":"state","data":1}`), inspect.Scope{})
	x := turn(t, r, 0, inspect.Detail{MaxContent: 10})
	if it := x.Items[0]; string(it.Text) != strings.Repeat("é", 10) || it.LeftOut == nil || *it.LeftOut != (inspect.Cut{Characters: 12, Lines: 1}) {
		t.Errorf("a text cut at 10 = %q, %+v; want 10 characters and 12 left out", it.Text, it.LeftOut)
	}
	args := x.Items[2].Tool.Arguments
	if !json.Valid(args) || len(args) > 100 || !strings.Contains(string(args), `"path":"p"`) {
		t.Errorf("arguments cut at 10 = %s, want short JSON with the path", args)
	}
	x = turn(t, r, 0, inspect.Detail{MaxContent: 10, MaxSpeech: 1000, Brief: true, Roles: []string{inspect.RoleUser, inspect.RoleTool}})
	if len(x.Items) != 2 || string(x.Items[0].Text) != long || x.Items[1].Kind != inspect.ToolUse {
		t.Errorf("the user's whole words and tools = %s", told(x))
	}
}

func TestAllBranchesTellJumps(t *testing.T) {
	line := func(id, parent, role string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-02-03T10:00:00.000Z","message":{"role":%q,"content":%q}}`+"\n", id, parent, role, id)
	}
	s := open(t, []byte(head+line("a", "null", "user")+line("b", `"a"`, "assistant")+line("c", `"b"`, "user")+line("d", `"a"`, "assistant")))
	r := reading(t, s, inspect.Scope{AllBranches: true})
	if got := told(turn(t, r, 1, inspect.Detail{})); got != "user c|jump a|response d" {
		t.Errorf("all branches = %s, want a jump to d", got)
	}
	if r := reading(t, s, inspect.Scope{}); r.Entries() != 2 {
		t.Errorf("the active path has %d entries, want 2", r.Entries())
	}
	if r := reading(t, s, inspect.Scope{Leaf: "c"}); r.Len() != 2 {
		t.Errorf("the path to c has %d turns, want 2", r.Len())
	}
	if _, err := inspect.Open(s, inspect.Scope{Leaf: "zz"}); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("Open at an unknown leaf = %v, want ErrNoEntry", err)
	}
}

func TestIndex(t *testing.T) {
	r := reading(t, script(t, `{"type":"model_change","provider":"p","modelId":"m"}`, user("1"), user("2")), inspect.Scope{})
	for number, want := range map[int]error{0: nil, 1: nil, 2: nil, 3: inspect.ErrNoTurn, -1: inspect.ErrNoTurn} {
		i, err := r.Index(number)
		if !errors.Is(err, want) || err == nil && r.Number(i) != number {
			t.Errorf("Index(%d) = %d, %v; want %v", number, i, err, want)
		}
	}
	r = reading(t, script(t, user("1"), user("2")), inspect.Scope{})
	if i, err := r.Index(2); i != 1 || err != nil {
		t.Errorf("Index(2) without turn 0 = %d, %v; want 1", i, err)
	}
	if _, err := r.Index(0); !errors.Is(err, inspect.ErrNoTurn) {
		t.Errorf("Index(0) without turn 0 = %v, want ErrNoTurn", err)
	}
	if i, err := r.Holding("b"); i != 1 || err != nil {
		t.Errorf("Holding(b) = %d, %v; want 1", i, err)
	}
}

// The path through an entry ends at the session's leaf, or at the end of the
// newest branch below the entry.
func TestLeafThrough(t *testing.T) {
	line := func(id, parent string) string {
		return `{"type":"custom","customType":"x","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-02-03T10:00:00.000Z"}` + "\n"
	}
	s := open(t, []byte(head+line("a", "null")+line("b", `"a"`)+line("c", `"b"`)+line("d", `"b"`)+line("e", `"d"`)+line("f", `"a"`)))
	for id, want := range map[string]string{"a": "", "f": "", "b": "e", "c": "c", "d": "e", "nobody": ""} {
		if got := inspect.LeafThrough(s.View(), id); got != want {
			t.Errorf("LeafThrough(%q) = %q; want %q", id, got, want)
		}
	}
}
