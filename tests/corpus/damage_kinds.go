package corpus

import "strings"

// A DamagedFile is a session with one fault, for the codes that doctor must
// know.
type DamagedFile struct {
	Code  string // of the fault
	File  string // its name; "" for any
	Bytes []byte
	Mode  uint32 // of the file; 0 for 0600
	// Stays means that the fault is reported and cannot be repaired.
	Stays bool
	// Closed means that the file must not be changed at all.
	Closed bool
}

// DamageKinds returns files for every kind of fault. Some kinds have several,
// since the repair depends on what is left.
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
		{Code: "no-type", Bytes: file(insert(talk(), 2, `{"parentId":"aaaa0001"}`, `{"type":7,"id":""}`)...)},
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
		{Code: "hidden-history", Bytes: file(append(talk(), `{"type":"session_info",`+tree("mmmm0001", "aaaa0002")+`,"name":"renamed from an old window"}`)...), Stays: true},
		{Code: "hidden-history", Bytes: file(append(talk(), `{"type":"label",`+tree("mmmm0001", "aaaa0001")+`,"targetId":"aaaa0001","label":"from an old window"}`)...), Stays: true},
	}
}
