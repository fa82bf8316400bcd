package settings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// levels are the thinking levels that pi knows.
var levels = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// The words that pi knows for two of its settings, the usual one first.
var (
	treeFilters   = []string{"default", "no-tools", "user-only", "labeled-only", "all"}
	doubleEscapes = []string{"tree", "fork", "none"}
)

// application takes the members of one document over into settings. A value of a
// wrong type is warned about and passed over; null means the default again.
type application struct {
	*document
	to *Settings
}

func (d *document) apply(s *Settings) {
	a := application{d, s}
	known := len(s.Warnings)
	a.object(d.root, "", map[string]func(value, string){
		"sessionDir":           a.text(&s.SessionDir),
		"defaultProvider":      a.text(&s.DefaultProvider),
		"defaultModel":         a.text(&s.DefaultModel),
		"defaultThinkingLevel": a.level,
		"treeFilterMode":       a.word(&s.TreeFilter, treeFilters),
		"doubleEscapeAction":   a.word(&s.DoubleEscape, doubleEscapes),
		"compaction":           a.compaction,
		"branchSummary":        a.branchSummary,
		"retry":                a.retry,
		"summarizer":           a.summarizer,
		"handover":             a.handover,
	})
	slices.SortFunc(s.Warnings[known:], func(a, b Warning) int { return cmp.Compare(a.Offset, b.Offset) })
}

// object gives each known member of an object to its reader, in the order of their
// names. Only the last of several with one name is read.
func (a application) object(v value, path string, readers map[string]func(value, string)) {
	last := map[string]value{}
	for name, member := range v.members() {
		if readers[name] != nil {
			last[name] = member
		}
	}
	for _, name := range slices.Sorted(maps.Keys(last)) {
		readers[name](last[name], path+name)
	}
}

// group reads the members of a nested object; null resets it.
func (a application) group(v value, path string, reset func(), readers map[string]func(value, string)) {
	switch {
	case v.isNull():
		reset()
	case !v.isObject():
		a.wrong(v, path, "an object in braces")
	default:
		a.object(v, path+".", readers)
	}
}

func (a application) compaction(v value, path string) {
	s := a.to
	a.group(v, path, func() { s.compaction, s.overrides = defaultCompaction, nil }, map[string]func(value, string){
		"enabled":          a.flag(&s.compaction.Enabled, defaultCompaction.Enabled),
		"reserveTokens":    a.number(&s.compaction.ReserveTokens, defaultCompaction.ReserveTokens),
		"keepRecentTokens": a.number(&s.compaction.KeepRecentTokens, defaultCompaction.KeepRecentTokens),
		"modelOverrides":   a.modelOverrides,
	})
}

func (a application) modelOverrides(v value, path string) {
	switch {
	case v.isNull():
		a.to.overrides = nil
		return
	case !v.isObject():
		a.wrong(v, path, "an object in braces")
		return
	}
	if a.to.overrides == nil {
		a.to.overrides = map[string]override{}
	}
	last := map[string]value{}
	for name, member := range v.members() {
		last[name] = member
	}
	for _, model := range slices.Sorted(maps.Keys(last)) {
		o := a.to.overrides[model]
		reset := func() { o = override{} }
		a.group(last[model], fmt.Sprintf("%s[%q]", path, model), reset, map[string]func(value, string){
			"reserveTokens":    a.optional(&o.reserve),
			"keepRecentTokens": a.optional(&o.keep),
		})
		a.to.overrides[model] = o
	}
}

func (a application) branchSummary(v value, path string) {
	s := a.to
	a.group(v, path, func() { s.BranchSummary = defaultBranchSummary }, map[string]func(value, string){
		"reserveTokens": a.number(&s.BranchSummary.ReserveTokens, defaultBranchSummary.ReserveTokens),
		"skipPrompt":    a.flag(&s.BranchSummary.SkipPrompt, defaultBranchSummary.SkipPrompt),
	})
}

func (a application) retry(v value, path string) {
	r := &a.to.Retry
	reset := func() { *r = defaultRetry }
	wait := a.number(&r.MaxRetryAfterMs, defaultRetry.MaxRetryAfterMs)
	a.group(v, path, reset, map[string]func(value, string){
		"enabled":         a.flag(&r.Enabled, defaultRetry.Enabled),
		"maxRetries":      a.number(&r.MaxRetries, defaultRetry.MaxRetries),
		"baseDelayMs":     a.number(&r.BaseDelayMs, defaultRetry.BaseDelayMs),
		"maxAgentDelayMs": a.number(&r.MaxDelayMs, defaultRetry.MaxDelayMs),
		// The name that provider.maxRetryDelayMs had in older versions of pi. It
		// comes before "provider", so that the new name wins.
		"maxDelayMs": wait,
		"provider": func(v value, path string) {
			reset := func() { r.MaxRetryAfterMs, r.TimeoutMs = defaultRetry.MaxRetryAfterMs, defaultRetry.TimeoutMs }
			a.group(v, path, reset, map[string]func(value, string){
				"maxRetryDelayMs": wait,
				"timeoutMs":       a.number(&r.TimeoutMs, defaultRetry.TimeoutMs),
			})
		},
	})
}

// command is the beginning of a summarizer that is a program.
const command = "cmd:"

func (a application) summarizer(v value, path string) {
	before := a.to.Summarizer
	a.text(&a.to.Summarizer)(v, path)
	line, isCommand := strings.CutPrefix(a.to.Summarizer, command)
	switch {
	case isCommand && a.owner != pith:
		a.notHere(v, path+" with a command")
	case isCommand && strings.TrimSpace(line) == "", !isCommand && !slices.Contains([]string{"", "model", "extract"}, a.to.Summarizer):
		a.wrong(v, path, `"model", "extract", or "cmd:" and a command`)
	default:
		return
	}
	a.to.Summarizer = before
}

func (a application) handover(v value, path string) {
	if a.owner != pith {
		a.notHere(v, path)
		return
	}
	a.text(&a.to.Handover)(v, path)
}

func (a application) level(v value, path string) {
	before := a.to.DefaultThinkingLevel
	a.text(&a.to.DefaultThinkingLevel)(v, path)
	if now := a.to.DefaultThinkingLevel; now != "" && !slices.Contains(levels, now) {
		a.to.DefaultThinkingLevel = before
		a.wrong(v, path, "one of "+strings.Join(levels, ", "))
	}
}

// word reads one of several words; the first is what null means.
func (a application) word(to *string, words []string) func(value, string) {
	return func(v value, path string) {
		said := words[0]
		if !v.isNull() {
			var ok bool
			if said, ok = jsonl.String(v.raw); !ok || !slices.Contains(words, said) {
				a.wrong(v, path, "one of "+strings.Join(words, ", "))
				return
			}
		}
		*to = said
	}
}

func (a application) text(to *string) func(value, string) {
	return func(v value, path string) {
		if v.isNull() {
			*to = ""
			return
		}
		s, ok := jsonl.String(v.raw)
		if !ok {
			a.wrong(v, path, "a string")
			return
		}
		*to = strings.ToValidUTF8(s, "\uFFFD")
	}
}

func (a application) flag(to *bool, byDefault bool) func(value, string) {
	return func(v value, path string) {
		if v.isNull() {
			*to = byDefault
			return
		}
		b, ok := jsonl.Bool(v.raw)
		if !ok {
			a.wrong(v, path, "true or false")
			return
		}
		*to = b
	}
}

func (a application) number(to *int64, byDefault int64) func(value, string) {
	return func(v value, path string) {
		if v.isNull() {
			*to = byDefault
			return
		}
		if n, ok := a.whole(v, path); ok {
			*to = n
		}
	}
}

func (a application) optional(to **int64) func(value, string) {
	return func(v value, path string) {
		if v.isNull() {
			*to = nil
			return
		}
		if n, ok := a.whole(v, path); ok {
			*to = &n
		}
	}
}

// maxSafeInteger is the largest integer that JavaScript counts exactly.
const maxSafeInteger = 1<<53 - 1

func (a application) whole(v value, path string) (int64, bool) {
	n, ok := jsonl.Int(v.raw)
	if !ok || n < 0 || n > maxSafeInteger {
		a.wrong(v, path, fmt.Sprintf("a whole number from 0 to %d", int64(maxSafeInteger)))
		return 0, false
	}
	return n, true
}

// wrong warns about a value that cannot be right.
func (a application) wrong(v value, path, want string) {
	a.warn(v, fmt.Sprintf("%s is %s; write %s. Until then the value is ignored", path, v.shown(), want))
}

// notHere warns about a member that names a program outside of pith's own file.
func (a application) notHere(v value, path string) {
	a.warn(v, path+" is ignored here, because it runs a program; write it in pith's own settings")
}

func (a application) warn(v value, text string) {
	a.to.Warnings = append(a.to.Warnings, warningAt(a.path, a.data, v.at, text))
}
