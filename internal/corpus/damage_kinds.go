package corpus

import "strings"

// A DamagedFile is a session with one fault, for the kinds that a doctor must
// know.
type DamagedFile struct {
	Code  string // of the fault
	File  string // its name; "" for any
	Bytes []byte
	Mode  uint32 // of the file; 0 for 0600
	// Stays tells that the fault is reported and not repaired: there is nothing to
	// do, or nobody can know what.
	Stays bool
	// Closed tells that the file must be left alone altogether.
	Closed bool
}

// DamageKinds returns a file for every kind of fault. Some kinds have several:
// what can be done depends on what is left.
func DamageKinds() []DamagedFile {
	var all []DamagedFile
	for _, group := range [][]DamagedFile{damagedLines(), damagedHeaders(), damagedLinks(), damagedNames(), damagedValues(), damagedTools()} {
		all = append(all, group...)
	}
	return all
}

func damagedLines() []DamagedFile {
	whole := string(file(talk()...))
	last := talk()[4]
	return []DamagedFile{
		{Code: "torn", Bytes: []byte(whole[:len(whole)-len(last)/2])},
		{Code: "torn", Bytes: []byte(whole + `{"type":"message","id":"aaaa0005","parentId":"aaaa0004","message":{"content":"` + "日本\xe8\xaa")},
		{Code: "no-newline", Bytes: []byte(strings.TrimSuffix(whole, "\n"))},
		{Code: "no-newline", Bytes: []byte(whole + "  ")},
		{Code: "fused", Bytes: file(oddHeader, talk()[1], talk()[2]+talk()[3], talk()[4])},
		{Code: "fused", Bytes: file(oddHeader+talk()[1], talk()[2], talk()[3]+talk()[4])},
		{Code: "fused", Bytes: []byte(whole[:len(whole)-len(last)/2] + ask("aaaa0005", "aaaa0003", "are you there?") + "\n")},
		{Code: "malformed", Bytes: file(insert(talk(), 2, `{"type":"message","id":"aaaa00ff",}`)...)},
		{Code: "malformed", Bytes: file(oddHeader, "<<<<<<< HEAD", talk()[1], "=======", talk()[2], talk()[3], ">>>>>>> other", talk()[4])},
		{Code: "nul-bytes", Bytes: file(oddHeader, talk()[1], strings.Repeat("\x00", 512), talk()[2], talk()[3], talk()[4])},
		{Code: "nul-bytes", Bytes: append(file(talk()...), make([]byte, 4096)...)},
		{Code: "padded", Bytes: file(oddHeader, talk()[1], talk()[2], strings.Repeat("\x00", 64)+talk()[3], talk()[4]+"\x00\x00")},
		{Code: "not-object", Bytes: file(insert(talk(), 2, "42", `"text"`, `[{"type":"message"}]`, "true")...)},
		{Code: "no-type", Bytes: file(insert(talk(), 2, `{"id":"aaaa00fe","parentId":"aaaa0001"}`, `{"type":7,"id":"aaaa00ff"}`)...)},
		{Code: "no-message", Bytes: file(oddHeader, talk()[1], `{"type":"message",`+tree("aaaa00f1", "aaaa0001")+`}`, reply("aaaa0002", "aaaa00f1", "still here"), talk()[3], talk()[4])},
		{Code: "bom", Bytes: append([]byte("\ufeff"), file(talk()...)...)},
		{Code: "early-line", Bytes: file(append([]string{`{"type":"ses`}, talk()...)...)},
	}
}

func damagedHeaders() []DamagedFile {
	headless := talk()[1:]
	old := []string{
		`{"type":"session","id":"0195f1a0-0000-7000-8000-00000000000c","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/home/dev/odd"}`,
		`{"type":"message","timestamp":"2025-11-20T10:00:01.000Z","message":{"role":"user","content":"first","timestamp":1763632801000}}`,
		`{"type":"message","timestamp":"2025-11-20T10:00:02.000Z","message":{"role":"user","content":"second","timestamp":1763632802000}}`,
	}
	return []DamagedFile{
		{Code: "missing-header", File: "2026-02-03T10-00-00-000Z_0195f1a0-0000-7000-8000-00000000000e.jsonl", Bytes: file(headless...)},
		{Code: "missing-header", Bytes: file(append([]string{oddHeader[:len(oddHeader)-8]}, headless...)...)},
		{Code: "missing-header", Bytes: file(append(append([]string{}, headless...), oddHeader)...)},
		{Code: "missing-header", Bytes: file(append([]string{`{"type":"session","version":3,"timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/dev/odd"}`}, headless...)...)},
		{Code: "extra-header", Bytes: file(insert(talk(), 2, `{"type":"session","version":3,"id":"another","timestamp":"2026-02-04T10:00:00.000Z","cwd":"/elsewhere"}`)...)},
		{Code: "header-time", Bytes: []byte(strings.Replace(string(file(talk()...)), `"2026-02-03T10:00:00.000Z"`, `"yesterday"`, 1))},
		{Code: "bad-version", Bytes: []byte(strings.Replace(string(file(talk()...)), `"version":3`, `"version":"three"`, 1))},
		{Code: "old-version", Bytes: file(old...)},
		{Code: "no-id", Bytes: file(append([]string{oddHeader}, old[1:]...)...)},
		{Code: "too-new", Bytes: []byte(strings.Replace(string(file(talk()...)), `"version":3`, `"version":4`, 1)), Stays: true, Closed: true},
		{Code: "too-new", Bytes: file(`{"v":4,"kind":"header","id":"x"}`, `{"kind":"entry"}`), Stays: true, Closed: true},
		{Code: "empty", Stays: true},
		{Code: "not-session", Bytes: file(`{"level":"info","msg":"listening","port":8080}`), Stays: true, Closed: true},
		{Code: "not-session", Bytes: make([]byte, 4096), Stays: true, Closed: true},
		{Code: "mode", Bytes: file(talk()...), Mode: 0o644},
	}
}

func damagedLinks() []DamagedFile {
	return []DamagedFile{
		{Code: "missing-parent", Bytes: file(oddHeader, talk()[1], talk()[2], ask("aaaa0003", "gone0000", "fix that"), talk()[4])},
		{Code: "missing-parent", Bytes: file(oddHeader, talk()[1], strings.Replace(talk()[2], `"message":{`, `"message":{{`, 1), talk()[3], talk()[4])},
		{Code: "missing-parent", Bytes: file(oddHeader, ask("aaaa0001", "gone0000", "start"), talk()[2])},
		{Code: "self-parent", Bytes: file(oddHeader, talk()[1], reply("aaaa0002", "aaaa0002", "me"), ask("aaaa0003", "aaaa0002", "below it"))},
		{Code: "cycle", Bytes: file(oddHeader, talk()[1], ask("aaaa0002", "aaaa0003", "a"), reply("aaaa0003", "aaaa0002", "b"), ask("aaaa0004", "aaaa0003", "c"))},
		{Code: "cycle", Bytes: cycle(100)},
		{Code: "odd-parent", Bytes: []byte(strings.Replace(string(file(talk()...)), `"parentId":null,`, "", 1))},
		{Code: "odd-parent", Bytes: []byte(strings.Replace(string(file(talk()...)), `"parentId":null`, `"parentId":7`, 1))},
		{Code: "duplicate-id", Bytes: file(oddHeader, talk()[1], talk()[2], reply("aaaa0002", "aaaa0001", "a second answer"), talk()[3], talk()[4])},
		{Code: "duplicate-id", Bytes: file(oddHeader, talk()[1], talk()[2], ask("aaaa0001", "aaaa0002", "same id as the root"), reply("aaaa0005", "aaaa0001", "x"))},
		{Code: "duplicate-id", Bytes: file(insert(talk(), 4, talk()[3])...)},
		{Code: "hidden-history", Bytes: file(append(talk(), `{"type":"session_info",`+tree("mmmm0001", "aaaa0002")+`,"name":"renamed from an old window"}`)...)},
		{Code: "hidden-history", Bytes: file(append(talk(), `{"type":"custom","customType":"session_exit","data":1,`+tree("mmmm0001", "aaaa0001")+`}`)...)},
	}
}

func damagedNames() []DamagedFile {
	compact := func(id, parent, kept string) string {
		return `{"type":"compaction",` + tree(id, parent) + `,"summary":"Builds.","firstKeptEntryId":` + js(kept) + `,"tokensBefore":500}`
	}
	label := func(target string) string {
		return `{"type":"label",` + tree("llll0001", "aaaa0004") + `,"targetId":` + js(target) + `,"label":"lost"}`
	}
	torn := talk()
	torn[3] = strings.Replace(torn[3], `"message":{`, `"message":{{`, 1)
	return []DamagedFile{
		{Code: "label-target", Bytes: file(append(talk(), label("gone0000"))...)},
		{Code: "label-target", Bytes: file(append(talk(), label("gone0000"), `{"type":"label",`+tree("llll0002", "llll0001")+`,"targetId":"aaaa0004","label":"found"}`)...), Stays: true},
		{Code: "kept-entry", Bytes: file(append(talk(), compact("kkkk0001", "aaaa0004", "gone0000"), ask("aaaa0005", "kkkk0001", "and now?"))...), Stays: true},
		{Code: "kept-entry", Bytes: file(append(torn, compact("kkkk0001", "aaaa0004", "aaaa0003"), ask("aaaa0005", "kkkk0001", "and now?"))...)},
		{Code: "kept-entry", Bytes: file(append(talk(), ask("bbbb0001", "aaaa0002", "else"), reply("bbbb0002", "bbbb0001", "Other."),
			compact("kkkk0001", "bbbb0002", "aaaa0003"), ask("aaaa0005", "kkkk0001", "and now?"))...)},
		{Code: "edit-target", Bytes: file(append(talk(), `{"type":"context_edit",`+tree("eeee0001", "aaaa0004")+`,"targetId":"gone0000","replacement":null}`)...), Stays: true},
		{Code: "branch-from", Bytes: file(append(talk(), `{"type":"branch_summary",`+tree("ssss0001", "aaaa0002")+`,"fromId":"gone0000","summary":"Tried it."}`)...), Stays: true},
	}
}

func damagedValues() []DamagedFile {
	early := strings.ReplaceAll(ask("aaaa0005", "aaaa0004", "before its time"), "2026-02-03T10:00:01.000Z", "2026-02-03T09:00:00.000Z")
	return []DamagedFile{
		{Code: "bad-time", Bytes: file(oddHeader, talk()[1], talk()[2], strings.Replace(talk()[3], "2026-02-03T10:00:01.000Z", "not a time", 1), talk()[4])},
		{Code: "bad-time", Bytes: file(oddHeader, talk()[1], talk()[2], strings.Replace(talk()[3], `"2026-02-03T10:00:01.000Z"`, "1770112801000", 1), talk()[4])},
		{Code: "time-order", Bytes: file(append(talk(), early)...), Stays: true},
		{Code: "lone-surrogate", Bytes: file(append(talk(), strings.Replace(ask("aaaa0005", "aaaa0004", "half"), "half", `half \ud83d of one`, 1))...), Stays: true},
		{Code: "not-utf8", Bytes: []byte(strings.Replace(string(file(talk()...)), "compiled", "comp\xff\xfeiled", 1)), Stays: true},
	}
}

func damagedTools() []DamagedFile {
	calls := func(id, parent, callID string) string {
		return `{"type":"message",` + tree(id, parent) + `,"message":{"role":"assistant","content":[{"type":"toolCall","id":` + js(callID) +
			`,"name":"read","arguments":{"path":"go.mod"}}],"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-4-5","usage":` + oddUsage +
			`,"stopReason":"toolUse","timestamp":1770112801000}}`
	}
	result := func(id, parent, callID string) string {
		return `{"type":"message",` + tree(id, parent) + `,"message":{"role":"toolResult","toolCallId":` + js(callID) +
			`,"toolName":"read","content":[` + string(said("module odd")) + `],"isError":false,"timestamp":1770112801000}}`
	}
	return []DamagedFile{
		{Code: "orphan-result", Bytes: file(append(talk(), result("aaaa0005", "aaaa0004", "call_1"))...), Stays: true},
		{Code: "duplicate-result", Bytes: file(append(talk(), calls("aaaa0005", "aaaa0004", "call_1"), result("aaaa0006", "aaaa0005", "call_1"),
			result("aaaa0007", "aaaa0006", "call_1"))...), Stays: true},
		{Code: "dangling-call", Bytes: file(append(talk(), calls("aaaa0005", "aaaa0004", "call_1"), ask("aaaa0006", "aaaa0005", "well?"))...), Stays: true},
	}
}
