package corpus

// This file writes the entries between two turns: settings, names, labels,
// extension entries, compactions and branches.

// settings writes the entries that pi writes first: the model and the thinking
// level.
func (g *generator) settings() {
	if g.room() < 4 {
		return
	}
	g.modelChange()
	g.thinkingChange("medium")
}

// between writes the entries before the next turn, scheduled or random. It
// always leaves room for a turn.
func (g *generator) between() {
	chance := func(permille int) func() bool { return func() bool { return g.r.chance(permille) } }
	for _, event := range []struct {
		due   func() bool
		write func()
	}{
		{func() bool { return g.o.Name != "" && !g.named && len(g.turns) > 0 }, g.sessionInfo},
		{func() bool { return g.o.CompactEvery > 0 && g.sinceCompaction >= g.o.CompactEvery }, g.compaction},
		{func() bool { return len(g.turns) > 1 && g.branches.due(g.entries) }, g.branch},
		{func() bool { return len(g.path) > 0 && g.labels.due(g.entries) }, g.label},
		{chance(60), func() { g.thinkingChange(pick(g.r, []string{"off", "low", "medium", "high"})) }},
		{chance(30), func() { g.model = pick(g.r, models); g.modelChange() }},
		{chance(60), g.custom},
		{chance(30), g.customMessage},
		{chance(40), g.bashExecution},
	} {
		if g.room() > 2 && event.due() {
			event.write()
		}
	}
}

func (g *generator) modelChange() {
	g.wait(5, 4000)
	g.begin("model_change")
	g.out.text(`,"provider":`)
	g.out.quoted(g.model.provider)
	g.out.text(`,"modelId":`)
	g.out.quoted(g.model.id)
	g.out.endLine()
}

func (g *generator) thinkingChange(level string) {
	g.wait(5, 4000)
	g.begin("thinking_level_change")
	g.out.text(`,"thinkingLevel":`)
	g.out.quoted(level)
	g.out.endLine()
}

func (g *generator) sessionInfo() {
	g.named = true
	g.wait(500, 9000)
	g.begin("session_info")
	g.out.text(`,"name":`)
	g.out.quoted(g.o.Name)
	g.out.endLine()
}

// label marks the start of one of the latest turns.
func (g *generator) label() {
	target := g.path[len(g.path)-1].id
	if n := len(g.turns); n > 0 {
		target = g.path[g.turns[max(0, n-1-g.r.below(4))]].id
	}
	g.wait(500, 9000)
	g.begin("label")
	g.out.text(`,"targetId":`)
	g.out.id(target)
	g.out.text(`,"label":"before the `)
	g.out.text(pick(g.r, slots["thing"]))
	g.out.text(` change"`)
	g.out.endLine()
}

// custom writes an extension's state; pi puts the envelope last here.
func (g *generator) custom() {
	g.wait(5, 900)
	out := g.out
	out.text(`{"type":"custom","customType":"todo-list","data":{"open":`)
	out.int(int64(g.r.below(9)))
	out.text(`,"done":`)
	out.int(int64(g.r.below(30)))
	out.text(`,"current":"`)
	g.body(askText, 60)
	out.text(`"},`)
	g.envelope()
	out.endLine()
}

func (g *generator) customMessage() {
	g.wait(5, 900)
	out := g.out
	out.text(`{"type":"custom_message","customType":"file-watch","content":"`)
	out.text(pick(g.r, slots["file"]))
	out.text(` changed on disk. `)
	g.body(proseText, 160)
	out.text(`","display":true,"details":{"files":`)
	out.int(int64(g.r.between(1, 5)))
	out.text(`},`)
	g.envelope()
	out.endLine()
}

func (g *generator) bashExecution() {
	g.wait(900, 20000)
	target := resultSizes.draw(g.r)
	g.begin("message")
	out := g.out
	out.text(`,"message":{"role":"bashExecution","command":`)
	out.quoted(pick(g.r, slots["cmd"]))
	out.text(`,"output":"`)
	g.fill(outputText, target, 90)
	out.text(`","exitCode":0,"cancelled":false,"truncated":false,"timestamp":`)
	out.int(g.now)
	out.text(`}`)
	out.endLine()
}

// keptEntries is about the number of entries that a compaction keeps.
const keptEntries = 40

// compaction summarizes all but the last entries of the path. No later branch
// starts before it.
func (g *generator) compaction() {
	kept := max(0, len(g.path)-keptEntries)
	for g.path[kept].result {
		kept--
	}
	g.wait(8000, 40000)
	firstKept := g.path[kept].id
	g.begin("compaction")
	out := g.out
	out.text(`,"summary":"## Goal\n`)
	g.body(proseText, 200)
	out.text(`\n\n## Progress\n### Done\n- [x] `)
	g.body(proseText, 1600)
	out.text(`\n\n## Next Steps\n1. `)
	g.body(proseText, 900)
	out.text(`","firstKeptEntryId":`)
	out.id(firstKept)
	out.text(`,"tokensBefore":`)
	out.int(int64(g.tokens))
	g.details()
	out.endLine()
	g.sinceCompaction = 0
	g.turns = g.turns[:0]
	g.tokens = 22000
}

// details writes the file lists of a summary.
func (g *generator) details() {
	out := g.out
	out.text(`,"details":{"readFiles":[`)
	out.quoted(g.o.Cwd + "/" + pick(g.r, slots["file"]))
	out.text(`],"modifiedFiles":[`)
	out.quoted(g.o.Cwd + "/" + pick(g.r, slots["file"]))
	out.text(`]},"fromHook":false`)
}

// branch goes back to before one of the latest turns, never to before the first
// entry, and every second time summarizes the abandoned branch.
func (g *generator) branch() {
	back := g.turns[max(0, len(g.turns)-1-g.r.below(5))]
	if back == 0 {
		return
	}
	left := g.leaf().id
	g.path = g.path[:back]
	for n := len(g.turns); n > 0 && g.turns[n-1] >= back; n-- {
		g.turns = g.turns[:n-1]
	}
	if g.branches.left%2 != 0 {
		return
	}
	g.wait(8000, 40000)
	g.begin("branch_summary")
	out := g.out
	out.text(`,"fromId":`)
	out.id(left)
	out.text(`,"summary":"The other branch tried this: `)
	g.body(proseText, 900)
	out.text(`"`)
	g.details()
	out.endLine()
}
