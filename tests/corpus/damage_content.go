package corpus

import (
	"fmt"
	"strings"
)

func damagedNames() []DamagedFile {
	compact := func(id, parent, kept string) string {
		return `{"type":"compaction",` + tree(id, parent) + `,"summary":"Builds.",` + kept + `"tokensBefore":500}`
	}
	keeps := func(id string) string { return `"firstKeptEntryId":` + js(id) + `,` }
	label := func(target string) string {
		return `{"type":"label",` + tree("llll0001", "aaaa0004") + `,"targetId":` + js(target) + `,"label":"lost"}`
	}
	edit := func(parent, target string) string {
		return `{"type":"context_edit",` + tree("eeee0001", parent) + `,"targetId":` + js(target) + `,"replacement":null}`
	}
	summary := func(parent, from string) string {
		return `{"type":"branch_summary",` + tree("ssss0001", parent) + `,"fromId":` + js(from) + `,"summary":"Tried it."}`
	}
	torn := talk()
	torn[3] = strings.Replace(torn[3], `"message":{`, `"message":{{`, 1)
	other := []string{ask("bbbb0001", "aaaa0002", "else"), reply("bbbb0002", "bbbb0001", "Other.")}
	more := ask("aaaa0005", "kkkk0001", "and now?")
	return []DamagedFile{
		{Code: "label-target", Stays: true, Bytes: file(append(talk(), label("gone0000"))...)},
		{Code: "label-target", Stays: true, Bytes: file(append(talk(), label("gone0000"), `{"type":"label",`+tree("llll0002", "llll0001")+`,"targetId":"aaaa0004","label":"found"}`)...)},
		{Code: "label-target", Stays: true, Bytes: file(oddHeader, `{"type":"label",`+tree("llll0001", "")+`,"targetId":"gone0000","label":"of nothing"}`)},
		{Code: "kept-entry", Bytes: file(append(talk(), compact("kkkk0001", "aaaa0004", keeps("gone0000")), more)...)},
		{Code: "kept-entry", Bytes: file(append(talk(), compact("kkkk0001", "aaaa0004", ""), more)...)},
		{Code: "kept-entry", Bytes: file(append(longTalk(), compact("kkkk0001", "cccc0023", keeps("gone0000")), more)...)},
		{Code: "kept-entry", Bytes: file(oddHeader, compact("kkkk0001", "", keeps("gone0000")), more)},
		{Code: "kept-entry", Bytes: file(append(torn, compact("kkkk0001", "aaaa0004", keeps("aaaa0003")), more)...)},
		{Code: "kept-entry", Bytes: file(append(append(talk(), other...), compact("kkkk0001", "bbbb0002", keeps("aaaa0003")), more)...)},
		{Code: "edit-target", Stays: true, Bytes: file(append(talk(), edit("aaaa0004", "gone0000"))...)},
		{Code: "edit-target", Stays: true, Bytes: file(append(append(talk(), other...), edit("bbbb0002", "aaaa0003"))...)},
		{Code: "branch-from", Stays: true, Bytes: file(append(talk(), summary("aaaa0002", "gone0000"))...)},
		{Code: "branch-from", Stays: true, Bytes: file(append(torn, summary("aaaa0002", "aaaa0003"))...)},
		{Code: "branch-from", Stays: true, Bytes: file(append(talk(), summary("", "gone0000"))...)},
	}
}

// longTalk returns a conversation of more tokens than a compaction keeps:
// cccc0000 to cccc0023.
func longTalk() []string {
	lines := []string{oddHeader}
	for i := range 24 {
		parent := ""
		if i > 0 {
			parent = fmt.Sprintf("cccc%04d", i-1)
		}
		say := ask
		if i%2 == 1 {
			say = reply
		}
		lines = append(lines, say(fmt.Sprintf("cccc%04d", i), parent, strings.Repeat(fmt.Sprintf("Step %d. ", i), 800)))
	}
	return lines
}

func damagedValues() []DamagedFile {
	const usual = "2026-02-03T10:00:01.000Z"
	at := func(line, time string) string { return strings.Replace(line, usual, "2026-02-03T"+time+":00.000Z", 1) }
	half := func(line string) string { return strings.Replace(line, "half", `half \ud83d of one`, 1) }
	whole := string(file(talk()...))
	return []DamagedFile{
		{Code: "bad-time", Bytes: file(oddHeader, talk()[1], talk()[2], strings.Replace(talk()[3], usual, "not a time", 1), talk()[4])},
		{Code: "bad-time", Bytes: file(oddHeader, talk()[1], talk()[2], strings.Replace(talk()[3], `"`+usual+`"`, "1770112801000", 1), talk()[4])},
		{Code: "time-order", Stays: true, Bytes: file(append(talk(), at(ask("aaaa0005", "aaaa0004", "before its time"), "09:00"))...)},
		{Code: "time-order", Stays: true, Bytes: file(oddHeader, talk()[1], at(talk()[2], "23:00"), talk()[3], talk()[4])},
		{Code: "lone-surrogate", Stays: true, Bytes: file(append(talk(), half(ask("aaaa0005", "aaaa0004", "half")))...)},
		{Code: "lone-surrogate", Stays: true, Bytes: []byte(strings.ReplaceAll(whole, `"aaaa0002"`, `"aaaa\ude00"`) +
			`{"type":"label",` + tree("llll0001", "aaaa0004") + `,"targetId":"aaaa\ude00","label":"odd"}` + "\n")},
		{Code: "not-utf8", Stays: true, Bytes: []byte(strings.Replace(whole, "compiled", "comp\xff\xfeiled", 1))},
		{Code: "not-utf8", Stays: true, Bytes: []byte(strings.Replace(whole, "compiled", "\xe6\x97\xf0\x9f\x98\xe0\x80\xed\xa0\x80\xf4\x90\xc3", 1))},
		{Code: "not-utf8", Stays: true, Bytes: []byte(strings.ReplaceAll(whole, `"aaaa0002"`, "\"aaaa\xe6\x97\""))},
	}
}

func damagedTools() []DamagedFile {
	calls := func(id, parent string, callIDs ...string) string {
		var blocks []string
		for _, callID := range callIDs {
			blocks = append(blocks, `{"type":"toolCall","id":`+js(callID)+`,"name":"read","arguments":{"path":"go.mod"}}`)
		}
		return `{"type":"message",` + tree(id, parent) + `,"message":{"role":"assistant","content":[` + strings.Join(blocks, ",") +
			`],"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-4-5","usage":` + oddUsage + `,"stopReason":"toolUse","timestamp":1770112801000}}`
	}
	result := func(id, parent, callID string) string {
		return `{"type":"message",` + tree(id, parent) + `,"message":{"role":"toolResult","toolCallId":` + js(callID) +
			`,"toolName":"read","content":[` + string(said("module odd")) + `],"isError":false,"timestamp":1770112801000}}`
	}
	picture := strings.Replace(strings.Replace(result("aaaa0005", "aaaa0004", "call_1"), `],"isError":false`,
		`,{"type":"image","data":"aGVsbG8=","mimeType":"image/png"}],"details":{"lines":1},"isError":true`, 1), "module odd", `no such \"file\"`, 1)
	call := calls("aaaa0005", "aaaa0004", "call_1")
	name := `{"type":"session_info",` + tree("mmmm0001", "aaaa0005") + `,"name":"while it ran"}`
	return []DamagedFile{
		{Code: "orphan-result", Bytes: file(append(talk(), result("aaaa0005", "aaaa0004", "call_1"))...)},
		{Code: "orphan-result", Bytes: file(append(talk(), picture, reply("aaaa0006", "aaaa0005", "Not there."))...)},
		{Code: "orphan-result", Bytes: file(append(talk(), call, result("aaaa0006", "gone0000", "call_1"), reply("aaaa0007", "aaaa0006", "Read."))...)},
		{Code: "duplicate-result", Bytes: file(append(talk(), call, result("aaaa0006", "aaaa0005", "call_1"), result("aaaa0007", "aaaa0006", "call_1"))...)},
		{Code: "duplicate-result", Bytes: file(append(talk(), call, result("aaaa0006", "aaaa0005", "call_1"), reply("aaaa0007", "aaaa0006", "Read."),
			result("bbbb0001", "aaaa0005", "call_1"), result("aaaa0008", "aaaa0007", "call_1"))...)},
		{Code: "dangling-call", Stays: true, Bytes: file(append(talk(), call, ask("aaaa0006", "aaaa0005", "well?"))...)},
		{Code: "dangling-call", Stays: true, Bytes: file(append(talk(), call)...)},
		{Code: "dangling-call", Stays: true, Bytes: file(append(talk(), call, name)...)},
		{Code: "dangling-call", Stays: true, Bytes: file(append(talk(), calls("aaaa0005", "aaaa0004", "call_3", "call_1", "call_2"), result("aaaa0006", "aaaa0005", "call_1"))...)},
		{Code: "dangling-call", Stays: true, Bytes: file(append(talk(), calls("aaaa0005", "aaaa0004", "call_1", "call_2"), result("aaaa0006", "aaaa0005", "call_1"),
			result("aaaa0007", "aaaa0006", "call_1"), ask("aaaa0008", "aaaa0007", "well?"))...)},
		{Code: "dangling-call", Stays: true, Bytes: file(append(talk(), call, ask("bbbb0001", "aaaa0002", "else"), reply("bbbb0002", "bbbb0001", "Other."))...)},
		{Code: "dangling-call", Stays: true, Bytes: file(append(talk(), call, ask("bbbb0001", "aaaa0005", "this?"), reply("bbbb0002", "bbbb0001", "Yes."), ask("cccc0001", "aaaa0005", "or this?"))...)},
		{Code: "dangling-call", Stays: true, Bytes: file(append(talk(), call, ask("bbbb0001", "aaaa0002", "else"), `{"type":"session_info",`+tree("mmmm0001", "aaaa0005")+`,"name":"from an old window"}`)...)},
	}
}
