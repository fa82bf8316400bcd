package redact

import (
	"embed"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// A Rule describes secrets of one kind. It has the same meaning as in the
// configuration of gitleaks, except for paths: a session has no file names, so
// a rule applies everywhere.
type Rule struct {
	// ID identifies the kind. Placeholders show it in lower case.
	ID string
	// Regex is in the syntax of package regexp.
	Regex string
	// SecretGroup is the group of Regex that contains the secret. Zero means
	// the first nonempty group, or the whole match without groups.
	SecretGroup int
	// Entropy is the minimum entropy of the secret, in bits per character.
	Entropy float64
	// Keywords are words of which every match contains one, in any case.
	Keywords []string
	// Allowlists are exceptions.
	Allowlists []Allowlist
}

// An Allowlist defines exceptions. One that matches is enough.
type Allowlist struct {
	Regexes []string
	// RegexTarget is the text that Regexes match: "match", "line", or "" for
	// the secret.
	RegexTarget string
	// StopWords exclude every secret that contains one of them, in any case.
	StopWords []string
	// Condition is "AND" if paths must match too, and none does.
	Condition string
}

//go:embed rules/*.toml rules/*.txt
var ruleFiles embed.FS

// globalAllow are the exceptions of gitleaks for all rules.
var globalAllow Allowlist

// Builtin returns the rules, those with code of their own included. An error in
// one is a bug.
var Builtin = sync.OnceValue(func() (rules []Rule) {
	at := map[string]int{}
	add := func(r Rule) {
		if i, there := at[r.ID]; there {
			rules[i] = r
		} else if r.Regex != "" { // rules of paths have none
			at[r.ID] = len(rules)
			rules = append(rules, r)
		}
	}
	for _, name := range []string{"rules/gitleaks.toml", "rules/pith.toml"} {
		var file struct {
			Extend    struct{ DisabledRules []string }
			Allowlist Allowlist
			Rules     []Rule
		}
		if err := toml.Unmarshal(ruleFile(name), &file); err != nil {
			panic(err)
		}
		for _, r := range file.Rules {
			r.Regex = unbound(r.Regex)
			add(r)
		}
		for _, id := range file.Extend.DisabledRules {
			rules[at[id]].Keywords = nil
		}
		globalAllow.Regexes = append(globalAllow.Regexes, file.Allowlist.Regexes...)
		globalAllow.StopWords = append(globalAllow.StopWords, file.Allowlist.StopWords...)
	}
	for line := range strings.Lines(string(ruleFile("rules/forms.txt"))) {
		if fields := strings.SplitN(strings.TrimSpace(line), " ", 3); len(fields) == 3 && line[0] != '#' {
			r := Rule{ID: fields[0], Regex: fields[2], Entropy: 2, Allowlists: noForms}
			if r.Keywords = []string{leadOf(r.Regex)}; fields[1] != "=" {
				r.Keywords = strings.Split(strings.ReplaceAll(fields[1], "␣", " "), ",")
			}
			add(r)
		}
	}
	for _, r := range shapeRules() {
		add(r)
	}
	return slices.DeleteFunc(rules, func(r Rule) bool { return len(r.Keywords) == 0 })
})

func ruleFile(name string) []byte {
	text, err := ruleFiles.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return text
}

// unbound relaxes the boundaries that an expression requires around a match.
// gitleaks requires a quote, a space or a semicolon after it; in a session any
// end of a word is enough. If a match starts with at least four fixed
// characters that are not all base64 digits, a letter may precede it.
func unbound(expr string) string {
	expr = strings.ReplaceAll(expr, `(?:[\x60'"\s;]|\\[nr]|$)`, `(?:\W|$)`)
	if lead := leadOf(expr); len(lead) >= 4 && strings.ContainsAny(lead, "_-.") {
		return strings.Replace(expr, `\b`, "", 1)
	}
	return expr
}

// leadOf returns, in lower case, the fixed text with which every match of an
// expression begins.
func leadOf(expr string) string {
	tree, err := syntax.Parse(expr, syntax.Perl)
	for err == nil {
		switch tree.Op {
		case syntax.OpLiteral:
			return strings.ToLower(string(tree.Rune))
		case syntax.OpConcat:
			first := slices.IndexFunc(tree.Sub, func(re *syntax.Regexp) bool { return re.Op != syntax.OpWordBoundary })
			tree = tree.Sub[max(first, 0)]
		case syntax.OpCapture:
			tree = tree.Sub[0]
		default:
			return ""
		}
	}
	return ""
}

// noForms excludes variables and examples.
var noForms = []Allowlist{{Regexes: []string{
	`^[$<{%*\[]`, `\{\{?\w*\}?\}`, `(?i)^(?:pass|passwd|password|pwd|secret|pw|token|user|x+|\.+|\*+|your[_-]?\w*)$`, `(?i)example|changeme|xxxx|your[-_]|placeholder|redacted|^(?:string|text|nothing)$`,
}}}

// An exception is an Allowlist ready to use.
type exception struct {
	Allowlist
	regexes []*regexp.Regexp
}

func compileExceptions(lists []Allowlist) (out []exception) {
	for _, list := range lists {
		if list.Condition != "" {
			continue
		}
		e := exception{Allowlist: list}
		for _, expr := range list.Regexes {
			e.regexes = append(e.regexes, regexp.MustCompile(expr))
		}
		out = append(out, e)
	}
	return out
}

// excepted reports whether one of the exceptions says that a match is not a
// secret. m and s are the spans of match and secret in text.
func excepted(list []exception, text []byte, m, s span) bool {
	return slices.ContainsFunc(list, func(e exception) bool {
		target := text[s.start:s.end]
		switch e.RegexTarget {
		case "match":
			target = text[m.start:m.end]
		case "line":
			target = lineAround(text, m)
		}
		lower := strings.ToLower(string(text[s.start:s.end]))
		return slices.ContainsFunc(e.regexes, func(re *regexp.Regexp) bool { return re.Match(target) }) ||
			slices.ContainsFunc(e.StopWords, func(word string) bool { return strings.Contains(lower, strings.ToLower(word)) })
	})
}
