package corpus

// oddLeaves returns files whose last line is not at the end of the
// conversation, because its writer had an old view of the file.
func oddLeaves() []OddFile {
	stale := func(line string) []byte { return file(append(talk(), line)...) }
	return []OddFile{
		{
			Name: "stale-rename", Pitfalls: []int{77}, Entries: 5, Leaf: "mmmm0001",
			What:  "A window that had only seen the first answer renamed the session. As in pi, the last entry is the leaf.",
			Bytes: stale(`{"type":"session_info",` + tree("mmmm0001", "aaaa0002") + `,"name":"renamed from an old window"}`),
		}, {
			Name: "stale-label", Pitfalls: []int{77}, Entries: 5, Leaf: "mmmm0001",
			What:  "The same with a label.",
			Bytes: stale(`{"type":"label",` + tree("mmmm0001", "aaaa0001") + `,"targetId":"aaaa0001","label":"from an old window"}`),
		}, {
			Name: "exit-marker-elsewhere", Pitfalls: []int{77}, Entries: 5, Leaf: "mmmm0001",
			What: "A program wrote its exit marker below an older entry: it stood there, and resumes there.",
			Bytes: stale(`{"type":"custom","customType":"session_exit","data":{"reason":"signal","kind":"SIGTERM","pendingToolCalls":[]},` +
				tree("mmmm0001", "aaaa0001") + `}`),
		}, {
			Name: "usage-elsewhere", Pitfalls: []int{77}, Entries: 5, Leaf: "mmmm0001",
			What:  "A cache warmer noted its usage below an older entry. pi resumes there.",
			Bytes: stale(`{"type":"usage",` + tree("mmmm0001", "aaaa0002") + `,"kind":"cache_warm","provider":"anthropic","model":"claude-opus-4-5","usage":` + oddUsage + `}`),
		}, {
			Name: "stale-chain", Pitfalls: []int{77}, Entries: 7, Leaf: "mmmm0003",
			What: "Several such lines, each below the one before.",
			Bytes: file(append(talk(), `{"type":"label",`+tree("mmmm0001", "aaaa0002")+`,"targetId":"aaaa0001","label":"a"}`,
				`{"type":"session_info",`+tree("mmmm0002", "mmmm0001")+`,"name":"b"}`, `{"type":"label",`+tree("mmmm0003", "mmmm0002")+`,"targetId":"aaaa0002","label":"c"}`)...),
		}, {
			Name: "state-on-a-stale-name", Pitfalls: []int{77}, Entries: 6, Leaf: "mmmm0002",
			What: "State of an extension below such a line: the program that wrote it stood there.",
			Bytes: file(append(talk(), `{"type":"session_info",`+tree("mmmm0001", "aaaa0002")+`,"name":"b"}`,
				`{"type":"custom","customType":"x","data":1,`+tree("mmmm0002", "mmmm0001")+`}`)...),
		}, {
			Name: "metadata-at-the-leaf", Pitfalls: []int{77}, Entries: 6, Leaf: "mmmm0002",
			What: "Ordinary bookkeeping below the current leaf moves the leaf, as it does in pi.",
			Bytes: file(append(talk(), `{"type":"label",`+tree("mmmm0001", "aaaa0004")+`,"targetId":"aaaa0001","label":"a"}`,
				`{"type":"session_info",`+tree("mmmm0002", "mmmm0001")+`,"name":"b"}`)...),
		}, {
			Name: "stale-message", Pitfalls: []int{77, 170}, Entries: 5, Leaf: "bbbb0001",
			What:  "A message below an old entry is a branch on purpose: the leaf goes there.",
			Bytes: stale(ask("bbbb0001", "aaaa0002", "try it another way")),
		}, {
			Name: "only-metadata", Pitfalls: []int{77, 29}, Entries: 2, Leaf: "mmmm0002",
			What: "A session with settings and no conversation.",
			Bytes: file(oddHeader, `{"type":"model_change",`+tree("mmmm0001", "")+`,"provider":"anthropic","modelId":"claude-opus-4-5"}`,
				`{"type":"session_info",`+tree("mmmm0002", "mmmm0001")+`,"name":"empty"}`),
		},
	}
}
