package settings

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/prices"
)

// The values that pi knows for two of its settings, the default first.
var (
	treeFilters   = []string{"default", "no-tools", "user-only", "labeled-only", "all"}
	doubleEscapes = []string{"tree", "fork", "none"}
)

// A setter takes the value of one member; nil, for null, restores the default.
// It returns a description of valid values if the value is invalid, and ""
// otherwise.
type setter func(raw []byte) (want string)

// runsProgram is returned by a setter for a member that only pith's own file
// may have.
const runsProgram = "runs a program"

// ownOnly is the same for any other such member.
const ownOnly = "only in pith's own file"

// setters returns the setters of all known members by path.
func (d *document) setters(s *Settings) map[string]setter {
	c, r, byDefault := &s.compaction, &s.Retry, Defaults()
	wait := number(&r.MaxRetryAfterMs, byDefault.Retry.MaxRetryAfterMs)
	return map[string]setter{
		"sessionDir":                     text(&s.SessionDir),
		"defaultProvider":                text(&s.DefaultProvider),
		"defaultModel":                   text(&s.DefaultModel),
		"defaultThinkingLevel":           word(&s.DefaultThinkingLevel, "", format.ThinkingLevels),
		"treeFilterMode":                 word(&s.TreeFilter, treeFilters[0], treeFilters),
		"doubleEscapeAction":             word(&s.DoubleEscape, doubleEscapes[0], doubleEscapes),
		"compaction.enabled":             flag(&c.Enabled, byDefault.compaction.Enabled),
		"compaction.reserveTokens":       number(&c.ReserveTokens, byDefault.compaction.ReserveTokens),
		"compaction.keepRecentTokens":    number(&c.KeepRecentTokens, byDefault.compaction.KeepRecentTokens),
		"branchSummary.reserveTokens":    number(&s.BranchSummary.ReserveTokens, byDefault.BranchSummary.ReserveTokens),
		"branchSummary.skipPrompt":       flag(&s.BranchSummary.SkipPrompt, byDefault.BranchSummary.SkipPrompt),
		"retry.enabled":                  flag(&r.Enabled, byDefault.Retry.Enabled),
		"retry.maxRetries":               number(&r.MaxRetries, byDefault.Retry.MaxRetries),
		"retry.baseDelayMs":              number(&r.BaseDelayMs, byDefault.Retry.BaseDelayMs),
		"retry.maxAgentDelayMs":          number(&r.MaxDelayMs, byDefault.Retry.MaxDelayMs),
		"retry.maxDelayMs":               wait, // the name in older versions of pi; the next one is read later and wins
		"retry.provider.maxRetryDelayMs": wait,
		"retry.provider.timeoutMs":       number(&r.TimeoutMs, byDefault.Retry.TimeoutMs),
		"summarizer":                     d.summarizer(&s.Summarizer),
		"handover":                       d.own(text(&s.Handover), runsProgram),
		"store":                          d.own(text(&s.Store), ownOnly),
		"prices":                         priceList(&s.Prices),
	}
}

// overrides is the path of the only object whose member names are chosen by the
// user.
const overrides = "compaction.modelOverrides"

// apply applies the members of a document to settings. An invalid value is
// ignored with a warning.
func (d *document) apply(s *Settings) {
	known := len(s.Warnings)
	a := application{d, s, d.setters(s)}
	a.members(d.root, "")
	slices.SortFunc(s.Warnings[known:], func(a, b Warning) int { return cmp.Compare(a.Offset, b.Offset) })
}

type application struct {
	*document
	to      *Settings
	setters map[string]setter
}

// members applies the members of an object, in the order of their names. Only
// the last of several with one name counts.
func (a application) members(v value, prefix string) {
	last := v.last()
	for _, name := range slices.Sorted(maps.Keys(last)) {
		path, member := prefix+name, last[name]
		set, ok := a.setters[path]
		switch {
		case ok && member.isNull():
			set(nil)
		case ok:
			a.complain(member, path, set(member.raw))
		case path == overrides:
			a.overrides(member)
		case a.hasBelow(path) && member.isNull():
			a.reset(path)
		case a.hasBelow(path) && !member.isObject():
			a.complain(member, path, anObject)
		case a.hasBelow(path):
			a.members(member, path+".")
		}
	}
}

const anObject = "a JSON object"

func (a application) hasBelow(path string) bool {
	for known := range a.setters {
		if strings.HasPrefix(known, path+".") {
			return true
		}
	}
	return false
}

// reset restores the defaults of everything below a path.
func (a application) reset(path string) {
	for known, set := range a.setters {
		if strings.HasPrefix(known, path+".") {
			set(nil)
		}
	}
	if strings.HasPrefix(overrides, path+".") {
		a.to.overrides = nil
	}
}

// overrides applies the numbers of individual models.
func (a application) overrides(v value) {
	if v.isNull() {
		a.to.overrides = nil
		return
	}
	if !v.isObject() {
		a.complain(v, overrides, anObject)
		return
	}
	if a.to.overrides == nil {
		a.to.overrides = map[string]override{}
	}
	for model, member := range v.last() {
		path := fmt.Sprintf("%s[%q]", overrides, model)
		o := a.to.overrides[model]
		switch {
		case member.isNull():
			o = override{}
		case !member.isObject():
			a.complain(member, path, anObject)
		default:
			below := application{a.document, a.to, map[string]setter{path + ".reserveTokens": optional(&o.reserve), path + ".keepRecentTokens": optional(&o.keep)}}
			below.members(member, path+".")
		}
		a.to.overrides[model] = o
	}
}

// complain adds a warning about a value, if a setter returned a description.
func (a application) complain(v value, path, want string) {
	switch want {
	case "":
		return
	case runsProgram:
		if path == "summarizer" {
			path += " with a command"
		}
		want = path + " is ignored here because it runs a program; set it in pith's own settings"
	case ownOnly:
		want = path + " is ignored here; set it in pith's own settings"
	default:
		want = fmt.Sprintf("invalid %s %s: use %s; ignoring this value", path, v.shown(), want)
	}
	a.to.Warnings = append(a.to.Warnings, warningAt(a.path, a.data, v.at, want))
}

// summarizer returns the setter of the summarizer. A command is accepted only
// in pith's own file.
func (d *document) summarizer(to *string) setter {
	return func(raw []byte) string {
		var name string
		if want := text(&name)(raw); want != "" {
			return want
		}
		line, isCommand := strings.CutPrefix(name, "cmd:")
		switch {
		case isCommand && d.owner != pith:
			return runsProgram
		case isCommand && strings.TrimSpace(line) == "", !isCommand && name != "" && name != "model" && !slices.Contains([]string{"no-model", "extract", "none"}, name):
			return `"model", "no-model", or "cmd:" and a command`
		}
		*to = name
		return ""
	}
}

// own returns a setter that is accepted only in pith's own file, and the reason.
func (d *document) own(set setter, why string) setter {
	if d.owner == pith {
		return set
	}
	return func([]byte) string { return why }
}

func text(to *string) setter {
	return func(raw []byte) string {
		s, ok := jsonl.String(raw)
		if !ok && raw != nil {
			return "a string"
		}
		*to = strings.ToValidUTF8(s, "\uFFFD")
		return ""
	}
}

// priceList returns a setter for prices, which replace those of another file.
func priceList(to *map[string]prices.Price) setter {
	return func(raw []byte) string {
		var list map[string]prices.Price
		if raw != nil {
			bad := json.Unmarshal(raw, &list) != nil
			for model, p := range list {
				bad = bad || !strings.Contains(model, "/") || min(p.Input, p.Output, p.CacheRead, p.CacheWrite, p.CacheWrite1h) < 0
			}
			if bad {
				return priceForm
			}
		}
		*to = list
		return ""
	}
}

const priceForm = `an object like {"provider/model": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}}, in dollars per million tokens`

// word returns a setter for one of several words.
func word(to *string, byDefault string, words []string) setter {
	return func(raw []byte) string {
		text := byDefault
		if raw != nil {
			if text, _ = jsonl.String(raw); !slices.Contains(words, text) {
				return "one of " + strings.Join(words, ", ")
			}
		}
		*to = text
		return ""
	}
}

func flag(to *bool, byDefault bool) setter {
	return func(raw []byte) string {
		b, ok := jsonl.Bool(raw)
		switch {
		case raw == nil:
			b = byDefault
		case !ok:
			return "true or false"
		}
		*to = b
		return ""
	}
}

func number(to *int64, byDefault int64) setter {
	return func(raw []byte) string {
		var n *int64
		if want := optional(&n)(raw); want != "" {
			return want
		}
		if *to = byDefault; n != nil {
			*to = *n
		}
		return ""
	}
}

// maxSafeInteger is the largest integer that JavaScript represents exactly.
const maxSafeInteger = 1<<53 - 1

// optional returns a setter for an optional number.
func optional(to **int64) setter {
	return func(raw []byte) string {
		if raw == nil {
			*to = nil
			return ""
		}
		n, ok := jsonl.Int(raw)
		if !ok || n < 0 || n > maxSafeInteger {
			return fmt.Sprintf("a whole number from 0 to %d", int64(maxSafeInteger))
		}
		*to = &n
		return ""
	}
}
