package conformance_test

import "fmt"

// The calls other than messages.

func (a *author) model() step {
	models := []string{"claude-opus-4-5", "gpt-5.2", "glm-4.7/free"}
	a.add(authored{})
	return call("appendModelChange", `"anthropic"`, `"`+models[a.random.IntN(len(models))]+`"`)
}

func (a *author) thinking() step {
	levels := []string{"off", "minimal", "low", "high"}
	a.add(authored{})
	return call("appendThinkingLevelChange", `"`+levels[a.random.IntN(len(levels))]+`"`)
}

func (a *author) custom() step {
	a.add(authored{})
	if a.chance(4) {
		return call("appendCustomEntry", `"state"`)
	}
	return call("appendCustomEntry", `"state"`, a.details())
}

func (a *author) customMessage() step {
	a.add(authored{editable: true})
	args := []string{`"lint"`, a.spoken(), fmt.Sprint(a.chance(2))}
	if a.chance(2) {
		args = append(args, a.details())
	}
	return call("appendCustomMessageEntry", args...)
}

// label labels any entry, on any branch; one in four clears. pi writes an empty
// label as it is, pith leaves it out.
func (a *author) label() step {
	if len(a.entries) == 0 {
		return nil
	}
	target, label := ref(a.random.IntN(len(a.entries))), a.word()
	switch {
	case a.chance(4):
		label = undefined
	case a.chance(8) && !a.sameWriting:
		label = `""`
	}
	a.add(authored{})
	return call("appendLabelChange", target, label)
}

// sessionName has names with control characters, which pith takes out and pi
// leaves in, except where both must write the same.
func (a *author) sessionName() step {
	names := []string{`"Faster builds"`, `"  日本 🌳 \"x\" "`, `""`, "\"\ufeff marked \u00a0\"", `"half \ud83d"`, `"   "`, `"two\r\n\nlines"`}
	if !a.sameWriting {
		names = append(names, `"\u001b[31mred"`, "\"\u0085next line\u0085\"", "\"\u2028apart\"", `"tab\t"`)
	}
	a.add(authored{})
	return call("appendSessionInfo", names[a.random.IntN(len(names))])
}

func (a *author) usageEntry() step {
	a.add(authored{})
	args := []string{`"cache_warm"`, `"anthropic"`, `"claude-opus-4-5"`, a.usage()}
	if a.chance(2) {
		args = append(args, a.word())
	}
	return call("appendUsage", args...)
}

// compaction keeps from any entry of the path on; sometimes from none, or from
// one that is not on the path, which keeps nothing.
func (a *author) compaction() step {
	up := a.path()
	if len(up) < 4 {
		return nil
	}
	first := ref(up[a.random.IntN(len(up))])
	switch a.random.IntN(8) {
	case 0:
		first = "null"
	case 1:
		first = ref(a.random.IntN(len(a.entries)))
	}
	a.add(authored{})
	args := []string{a.summaryText(), first, fmt.Sprint(a.random.IntN(200_000))}
	return call("appendCompaction", append(args, a.optional()...)...)
}

// summary leaves the branch with a summary.
func (a *author) summary() step {
	if len(a.entries) == 0 {
		return nil
	}
	target, to := "null", -1
	if !a.chance(8) {
		to = a.random.IntN(len(a.entries))
		target = ref(to)
	}
	a.leaf = to
	a.add(authored{})
	args := []string{target, a.summaryText()}
	return call("branchWithSummary", append(args, a.optional()...)...)
}

// summaryText is sometimes empty: then the context has no message for it.
func (a *author) summaryText() string {
	if a.chance(8) {
		return `""`
	}
	return a.text()
}

// optional is the arguments that compactions and branch summaries end with.
func (a *author) optional() []string {
	switch {
	case a.chance(3):
		return nil
	case a.chance(2):
		return []string{a.details()}
	case a.modern && a.chance(2):
		return []string{a.details(), "false", a.usage()}
	}
	return []string{a.details(), fmt.Sprint(a.chance(2))}
}

func (a *author) branch() step {
	if len(a.entries) == 0 {
		return nil
	}
	k := a.random.IntN(len(a.entries))
	a.moved = a.moved || k != a.leaf
	a.leaf = k
	return call("branch", ref(k))
}

func (a *author) reset() step {
	a.leaf, a.moved = -1, true
	return call("resetLeaf")
}

// edit changes what a model sees of an entry of the path, or hides it.
func (a *author) edit() step {
	for _, k := range a.path() {
		if !a.entries[k].editable || !a.chance(3) {
			continue
		}
		replacement := "null"
		if !a.chance(3) {
			replacement = `{"content":` + a.spoken() + `}`
		}
		a.add(authored{})
		return call("appendContextEdit", ref(k), replacement)
	}
	return nil
}
