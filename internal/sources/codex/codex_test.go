package codex_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/internal/sources/codex"
	"github.com/pith-sessions/pith/tests/agents"
)

const (
	fixture = "codex-0.166.0"
	main    = "01a1e73a-9dfd-7ee1-b76e-80cb78947223"
	fork    = "01a1e73a-cf04-7370-b496-87ef4cf52910"
)

func programText(text string) bool {
	return strings.HasPrefix(text, "<environment_context>") || strings.HasPrefix(text, "<image name=") || text == "</image>"
}

func TestContextsAreThoseOfCodex(t *testing.T) {
	dir := agents.Fixtures(t, fixture)
	m := agents.Translate(t, codex.Program{}, dir)
	for id, file := range map[string]string{main: "9dfd-compacted.json", fork: "cf04-fork.json"} {
		got, want := agents.Context(t, m.Path(id), ""), agents.Expected(t, filepath.Join(dir, "expected", file))
		// Codex sends the prompts that it keeps and then the summary. A context of
		// pi begins with the summary; the messages are the same.
		isSummary := func(m agents.Message) bool {
			return len(m.Parts) == 1 && m.Parts[0].Text != nil && strings.HasPrefix(*m.Parts[0].Text, "Another language model")
		}
		if i := slices.IndexFunc(want, isSummary); i >= 0 {
			want = slices.Concat(want[i:i+1], want[:i], want[i+1:])
		}
		agents.Compare(t, got, want, agents.Options{Thinking: true, Drop: programText})
	}
}

// Codex 0.169.0 adds members to its records, and no kinds.
func TestContextOfCodex169(t *testing.T) {
	const id = "01a1f404-7a39-7322-92d4-c07d05f92eca"
	dir := agents.Fixtures(t, "codex-0.169.0")
	m := agents.Translate(t, codex.Program{}, dir)
	agents.Compare(t, agents.Context(t, m.Path(id), ""), agents.Expected(t, filepath.Join(dir, "expected", "eca-resumed.json")), agents.Options{Thinking: true, Drop: programText})
	data, err := os.ReadFile(m.Path(id))
	if err != nil || strings.Contains(string(data), `"type":"foreign_record"`) {
		t.Errorf("the translation has records of unknown kinds, %v", err)
	}
}

func TestTranslationIsDeterministic(t *testing.T) {
	agents.SameTwice(t, codex.Program{}, agents.Fixtures(t, fixture))
}

// The context before the compaction, at the last result that it held.
func TestContextBeforeCompaction(t *testing.T) {
	dir := agents.Fixtures(t, fixture)
	m := agents.Translate(t, codex.Program{}, dir)
	s := agents.Open(t, m.Path(main))
	at := ""
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(e.Head().Raw), `"toolName":"spawn_agent"`) {
			at = e.Head().ID
		}
	}
	agents.Compare(t, agents.Context(t, m.Path(main), at), agents.Expected(t, filepath.Join(dir, "expected", "9dfd-before-compaction.json")), agents.Options{Thinking: true, Drop: programText})
}

// write writes rollouts and returns the home that holds them.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "sessions", "2026", "11", "17")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "rollout-"+name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

const (
	thread  = "aaaaaaaa-0000-7000-8000-000000000001"
	rewound = "bbbbbbbb-0000-7000-8000-000000000002"
)

func meta(id, base string) string {
	return `{"timestamp":"2026-11-17T01:00:00.000Z","type":"session_meta","payload":{"id":"` + id + `","cwd":"/p","model_provider":"p"` + base + `}}` + "\n"
}

func says(role, text string) string {
	kind := "input_text"
	if role == "assistant" {
		kind = "output_text"
	}
	return `{"timestamp":"2026-11-17T01:00:01.000Z","type":"response_item","payload":{"type":"message","role":"` + role + `","content":[{"type":"` + kind + `","text":"` + text + `"}]}}` + "\n"
}

// texts are the texts of the context of a thread.
func texts(t *testing.T, home, id string) string {
	t.Helper()
	m := agents.Translate(t, codex.Program{}, home)
	var out []string
	for _, m := range agents.Context(t, m.Path(id), "") {
		for _, p := range m.Parts {
			if p.Text != nil {
				out = append(out, *p.Text)
			}
		}
	}
	return strings.Join(out, " ")
}

// A rewound thread has several rollouts: the newest is the active branch, the rest of
// the older ones are branches that were left.
func TestRewoundThread(t *testing.T) { // I14
	first := meta(thread, "") + says("user", "U1") + says("assistant", "A1")
	base := fmt.Sprintf(`,"history_base":{"thread_id":%q,"end_byte_offset":%d}`, thread, len(first))
	home := write(t, map[string]string{
		"2026-11-17T01-00-00-" + thread + ".jsonl":                 first + says("user", "left") + says("assistant", "behind"),
		"2026-11-17T01-05-00-" + thread + "_" + rewound + ".jsonl": meta(thread, base) + says("user", "U2") + says("assistant", "A2"),
	})
	if got := texts(t, home, thread); got != "U1 A1 U2 A2" {
		t.Errorf("context = %s", got)
	}
	m := agents.Translate(t, codex.Program{}, home)
	data, err := os.ReadFile(m.Path(thread))
	if err != nil || !strings.Contains(string(data), "behind") {
		t.Errorf("the branch that was left is gone: %v", err)
	}
}

// A torn line, a base that is gone or that leads in a circle, lines that are not JSON.
func TestOddRollouts(t *testing.T) { // I1, I2, I10
	for name, test := range map[string]struct{ base, more, want string }{
		"torn":       {"", says("user", "U1") + `{"timestamp":"2026`, "U1"},
		"base gone":  {`,"history_base":{"thread_id":"` + rewound + `","end_byte_offset":10}`, says("user", "U1"), "U1"},
		"own base":   {`,"history_base":{"thread_id":"` + thread + `","end_byte_offset":10}`, says("user", "U1"), "U1"},
		"other text": {"", "x\n[]\n{}\n" + says("user", "U1"), "U1"},
		"no payload": {"", `{"type":"response_item"}` + "\n" + `{"type":"compacted","payload":3}` + "\n" + says("user", "U1"), "U1"},
	} {
		t.Run(name, func(t *testing.T) {
			home := write(t, map[string]string{"2026-11-17T01-00-00-" + thread + ".jsonl": meta(thread, test.base) + test.more})
			if got := texts(t, home, thread); !strings.Contains(got, test.want) {
				t.Errorf("context = %q, want %q", got, test.want)
			}
		})
	}
}

// Compressed rollouts are read. Of one that is damaged, or unpacks to more than is
// allowed, everything before that is there, and an entry says so.
func TestCompressed(t *testing.T) { // I7
	text := meta(thread, "") + says("user", "U1")
	pack, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pack.Close()
	home := write(t, map[string]string{"2026-11-17T01-00-00-" + thread + ".jsonl.zst": string(pack.EncodeAll([]byte(text), nil))})
	if got := texts(t, home, thread); got != "U1" {
		t.Errorf("context = %q", got)
	}
	many := text + strings.Repeat(`{"type":"event_msg","payload":{"type":"x"}}`+"\n", 4<<20) // 176 MB from 20 KB
	cut := pack.EncodeAll([]byte(text+strings.Repeat(says("user", strings.Repeat("abcdefgh", 100)), 1000)), nil)
	for name, packed := range map[string][]byte{"bomb": pack.EncodeAll([]byte(many), nil), "cut": cut[:len(cut)-10]} {
		home := write(t, map[string]string{"2026-11-17T01-00-00-" + thread + ".jsonl.zst": string(packed)})
		m := agents.Translate(t, codex.Program{}, home)
		data, err := os.ReadFile(m.Path(thread))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.Contains(string(data), "U1") || !strings.Contains(string(data), "pith-damaged") {
			t.Errorf("%s: the translation has %d bytes and lacks the prompt or the damage: %.300s", name, len(data), data)
		}
	}
}

// Tokens are those of the responses, each once over the files of a lineage.
func TestTokens(t *testing.T) {
	m := agents.Translate(t, codex.Program{}, agents.Fixtures(t, fixture))
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Dir: m.Dir, IncludeInternal: true}))
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := cost.Count(t.Context(), infos, cost.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want int64
	files, err := filepath.Glob(filepath.Join(agents.Fixtures(t, fixture), "sessions", "*", "*", "*", "*.jsonl"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var record struct {
				Type    string
				Payload struct {
					Usage struct {
						Total int64 `json:"total_tokens"`
					}
				}
			}
			if err := json.Unmarshal([]byte(line), &record); err != nil {
				t.Fatal(err)
			}
			if record.Type == "token_usage_record" {
				want += record.Payload.Usage.Total
			}
		}
	}
	if got := ledger.Total().Tokens; got != want || want == 0 {
		t.Errorf("%d tokens, Codex counts %d", got, want)
	}
}
