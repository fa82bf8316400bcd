package corpus

import (
	"fmt"
	"strings"
)

// oddWriters returns files of other programs that write this format.
func oddWriters() []OddFile {
	return []OddFile{
		{
			Name: "oh-my-pi-title-slot", Pitfalls: []int{18}, Opening: ReadOnly, Entries: 4, Leaf: "x_9-Zk2Q",
			What:  "oh-my-pi puts a line of 256 bytes with the title before the header, and its ids are not hex.",
			Bytes: file(append([]string{titleSlot("Faster builds")}, ohMyPi()...)...),
		}, {
			Name: "oh-my-pi", Pitfalls: []int{18}, Opening: ReadOnly, Entries: 4, Leaf: "x_9-Zk2Q",
			What:  "oh-my-pi without the slot: the title in the header, opaque ids, the model in one field.",
			Bytes: file(ohMyPi()...),
		}, {
			Name: "opaque-ids", Pitfalls: []int{18, 61}, Entries: 4, Leaf: `with "quotes" \ and / slashes`,
			What: "Ids are any strings: long, with spaces, in other scripts, with escapes.",
			Bytes: file(oddHeader, ask("枝-1", "", "a"), reply(strings.Repeat("long", 60), "枝-1", "b"), ask(" space ", strings.Repeat("long", 60), "c"),
				reply(`with "quotes" \ and / slashes`, " space ", "d")),
		}, {
			Name: "pi-agent-rust", Pitfalls: []int{18}, Entries: 3, Leaf: "bbbb0003",
			What: "pi_agent_rust leaves out the parent of the first entry and keeps settings, branchedFrom and the leaf in the header.",
			Bytes: file(`{"type":"session","version":3,"id":"5e0c9f8e-1111-4222-8333-444455556666","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/dev/odd",`+
				`"provider":"anthropic","modelId":"claude-opus-4-5","thinkingLevel":"low","branchedFrom":"/home/dev/old.jsonl","leafId":"bbbb0003"}`,
				`{"type":"message","id":"bbbb0001","timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"hello","timestamp":1770112801000}}`,
				reply("bbbb0002", "bbbb0001", "Hello."), ask("bbbb0003", "bbbb0002", "bye")),
		}, {
			Name: "pi-agent-rust-without-ids", Pitfalls: []int{18, 73}, Entries: 3,
			What: "Early files of pi_agent_rust have neither ids nor parents in a v3 file: one conversation in file order, under ids that are the same each time.",
			Bytes: file(oddHeader, `{"type":"message","timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"hello"}}`,
				`{"type":"message","timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"Hello."}]}}`,
				`{"type":"message","timestamp":"2026-02-03T10:00:03.000Z","message":{"role":"user","content":"bye"}}`),
		}, {
			Name: "openclaw", Pitfalls: []int{18}, Entries: 5, Leaf: "cccc0005",
			What: "OpenClaw mirrors delivered texts as messages of a model that is none, and keeps snapshots in custom entries.",
			Bytes: file(`{"type":"session","version":3,"id":"7d3e6a10-2222-4333-8444-555566667777","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/dev/.openclaw/workspace"}`,
				`{"type":"custom","customType":"model-snapshot","data":{"timestamp":1770112800000,"provider":"anthropic","modelApi":"anthropic-messages","modelId":"claude-opus-4-5"},`+tree("cccc0001", "")+`}`,
				ask("cccc0002", "cccc0001", "[Telegram Dev] remind me at five"), reply("cccc0003", "cccc0002", "I will."),
				strings.NewReplacer(`"provider":"anthropic"`, `"provider":"openclaw"`, `claude-opus-4-5`, `delivery-mirror`).Replace(reply("cccc0004", "cccc0003", "It is five.")),
				`{"type":"custom","customType":"openclaw.cache-ttl","data":{"timestamp":1770112900000},`+tree("cccc0005", "cccc0004")+`}`),
		}, {
			Name: "atomic", Pitfalls: []int{18, 79}, Entries: 5, Leaf: "aaaa0004",
			What: "Atomic marks machine-made sessions in the header, sums up sessions in an entry, and writes a compaction that keeps nothing as null.",
			Bytes: file(strings.TrimSuffix(oddHeader, "}")+`,"internal":true,"workflow":{"runId":"r1","stageId":"s1","stageName":"review"}}`, talk()[1], talk()[2],
				`{"type":"session_summary",`+tree("aaaa00f1", "aaaa0002")+`,"summary":"Builds are faster.","summarizedThroughId":"aaaa0002"}`,
				`{"type":"compaction",`+tree("aaaa00f2", "aaaa00f1")+`,"summary":"user: why is the build slow?","firstKeptEntryId":null,"tokensBefore":400,"details":{"strategy":"verbatim-lines"}}`,
				ask("aaaa0004", "aaaa00f2", "thanks")),
		}, {
			Name: "atomic-extracted", Pitfalls: []int{73, 79}, Entries: 4, Faulty: []int{4}, Leaf: "aaaa0004",
			What:  "Extracting a branch, Atomic drops labels but not the links to them: an entry's parent is missing, and nothing above it may get lost.",
			Bytes: file(oddHeader, talk()[1], talk()[2], ask("aaaa0003", "dropped1", "go on"), talk()[4]),
		},
	}
}

// titleSlot returns oh-my-pi's first line: 256 bytes with the newline.
func titleSlot(title string) string {
	line := fmt.Sprintf(`{"type":"title","v":1,"title":%s,"source":"auto","updatedAt":"2026-02-03T10:00:05.000Z","pad":"`, js(title))
	return line + strings.Repeat(" ", 255-len(line)-len(`"}`)) + `"}`
}

func ohMyPi() []string {
	return []string{
		`{"type":"session","version":3,"id":"V1StGXR8_Z5jdHi6B-myT","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/dev/odd","title":"Old title","titleSource":"auto"}`,
		`{"type":"model_change",` + tree("aB3_-xY7", "") + `,"model":"anthropic/claude-opus-4-5","role":"default"}`,
		ask("Qw-12_er", "aB3_-xY7", "why is the build slow?"),
		reply("7hTz__k1", "Qw-12_er", "Two modules are compiled twice."),
		`{"type":"compaction",` + tree("x_9-Zk2Q", "7hTz__k1") + `,"summary":"Build times.","shortSummary":"builds","firstKeptEntryId":"Qw-12_er","tokensBefore":1200,"fromExtension":false}`,
	}
}
