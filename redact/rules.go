package redact

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// A Rule describes secrets of one kind. It has the same meaning as in the
// configuration of gitleaks, except for the path: a session has no file names,
// so a rule applies everywhere.
type Rule struct {
	// ID identifies the kind. Placeholders show it in lower case.
	ID string
	// Description is for people.
	Description string
	// Regex is in the syntax of package regexp.
	Regex string
	// SecretGroup is the group of Regex that contains the secret. Zero means
	// the first nonempty group, or the whole match without groups.
	SecretGroup int
	// Entropy is the minimum entropy of the secret, in bits per character.
	Entropy float64
	// Keywords are words of which every match contains one, in any case.
	// Without them Regex is applied to all text, which is slow.
	Keywords []string
	// Allow lists matches that are not secrets.
	Allow []Allowlist

	line int // line in its file
}

// An Allowlist defines exceptions. One that matches is enough, unless All is
// set.
type Allowlist struct {
	Regexes []string
	// Target is the text that Regexes match: "match", "line", or "" for the
	// secret.
	Target string
	// StopWords exclude every secret that contains one of them, in any case.
	StopWords []string
	// All requires that Regexes and StopWords both match.
	All bool
}

// A RuleSet is the content of a rule file.
type RuleSet struct {
	// File is the origin of the rules, for errors.
	File string
	// Rules are added to those of earlier sets, or replace those with the same
	// ID.
	Rules []Rule
	// Disabled are IDs of rules of earlier sets to ignore.
	Disabled []string
	// Allow applies to all rules of all sets.
	Allow []Allowlist
}

// A RuleError is an error in a rule file. New and ReadRules return no other
// type for invalid rules.
type RuleError struct {
	File string
	Line int    // 1-based; 0 if unknown
	Rule string // ID of the rule, or ""
	Err  error
}

func (e *RuleError) Error() string {
	where := e.File
	if e.Line > 0 {
		where += ":" + strconv.Itoa(e.Line)
	}
	if e.Rule != "" {
		where += ": rule " + strconv.Quote(e.Rule)
	}
	return fmt.Sprintf("%s: %v", where, e.Err)
}

func (e *RuleError) Unwrap() error { return e.Err }

var (
	// ErrNoID means that a rule has no ID.
	ErrNoID = errors.New("no id")
	// ErrNoRegex means that a rule has no regex.
	ErrNoRegex = errors.New("no regex")
	// ErrGroup means that the regex does not have the secretGroup.
	ErrGroup = errors.New("no such group in the regex")
)

// ReadRules reads a rule file in the TOML of gitleaks: [[rules]] with id,
// regex, secretGroup, entropy, keywords and [[rules.allowlists]], a global
// [allowlist] or [[allowlists]], and [extend] with disabledRules. The rules are
// added to the built-in ones, whatever [extend] says. Members about files,
// commits or reports are ignored; an allowlist that has nothing else, or that
// requires them, has no effect. name is used in errors.
func ReadRules(name string, src io.Reader) (*RuleSet, error) {
	text, err := io.ReadAll(src)
	if err != nil {
		return nil, &RuleError{File: name, Err: err}
	}
	set, err := parseRules(name, string(text))
	if err != nil {
		return nil, err
	}
	return set, set.check()
}

// check compiles the expressions of a set. It returns a *RuleError for the first invalid one.
func (set *RuleSet) check() error {
	for i := range set.Rules {
		if err := set.Rules[i].check(); err != nil {
			return &RuleError{File: set.File, Line: set.Rules[i].line, Rule: set.Rules[i].ID, Err: err}
		}
	}
	if _, err := compileAllow(set.Allow); err != nil {
		return &RuleError{File: set.File, Err: err}
	}
	return nil
}

func (r *Rule) check() error {
	re, err := regexp.Compile(r.Regex)
	if err != nil {
		return err
	}
	if r.SecretGroup < 0 || r.SecretGroup > re.NumSubexp() {
		return ErrGroup
	}
	_, err = compileAllow(r.Allow)
	return err
}

//go:embed rules/gitleaks.toml rules/pith.toml rules/forms.txt
var ruleFiles embed.FS

// builtin returns the rules embedded in the package. An error in them is a bug.
var builtin = sync.OnceValue(func() []*RuleSet {
	read := func(name string, parse func(name, text string) (*RuleSet, error)) *RuleSet {
		text, err := ruleFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		set, err := parse(name, string(text))
		if err != nil {
			panic(err)
		}
		return set
	}
	sets := []*RuleSet{read("rules/gitleaks.toml", parseRules), read("rules/pith.toml", parseRules)}
	for _, set := range sets {
		for i := range set.Rules {
			set.Rules[i].Regex = unbound(set.Rules[i].Regex)
		}
	}
	return append(sets, read("rules/forms.txt", parseForms), &RuleSet{File: "shapes", Rules: shapeRules()})
})

// unbound relaxes the boundaries that an expression requires around a match.
// gitleaks requires a quote, a space or a semicolon after it; in a session any
// end of a word is enough. If a match starts with at least four fixed
// characters that are not all base64 digits, a letter may precede it.
func unbound(expr string) string {
	expr = strings.ReplaceAll(expr, `(?:[\x60'"\s;]|\\[nr]|$)`, `(?:\W|$)`)
	bare := strings.TrimPrefix(strings.TrimPrefix(expr, "(?i)"), `\b`)
	tree, err := syntax.Parse(bare, syntax.Perl)
	if err != nil {
		return expr
	}
	begins, _ := leads(tree)
	if len(begins) == 0 || slices.ContainsFunc(begins, func(lead string) bool { return len(lead) < 4 || !strings.ContainsAny(lead, "_-.") }) {
		return expr
	}
	return strings.Replace(expr, `\b`, "", 1)
}

// parseForms parses a file of forms, one per line: an ID, keywords, an
// expression.
func parseForms(name, text string) (*RuleSet, error) {
	set := &RuleSet{File: name}
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(fields) < 3 || line[0] == '#' {
			continue
		}
		r := Rule{ID: fields[0], Regex: fields[2], Entropy: 2, Allow: noForms, line: len(set.Rules) + 1}
		if fields[1] == "=" {
			tree, err := syntax.Parse(r.Regex, syntax.Perl)
			if err != nil {
				return nil, &RuleError{File: name, Rule: r.ID, Err: err}
			}
			if r.Keywords, _ = leads(tree); len(r.Keywords) == 0 {
				return nil, &RuleError{File: name, Rule: r.ID, Err: errNoLead}
			}
		} else {
			r.Keywords = strings.Split(strings.NewReplacer("_=_", " = ", "_'", " '").Replace(fields[1]), ",")
		}
		set.Rules = append(set.Rules, r)
	}
	return set, nil
}

var errNoLead = errors.New("the expression has no fixed prefix")

// noForms excludes variables and examples.
var noForms = []Allowlist{{Regexes: []string{
	`^[$<{%*\[]`, `\{\{?\w*\}?\}`, `(?i)^(?:pass|passwd|password|pwd|secret|pw|token|user|x+|\.+|\*+|your[_-]?\w*)$`, `(?i)example|changeme|xxxx|your[-_]|placeholder|redacted|^(?:string|text|nothing)$`,
}}}

// Builtin returns the built-in rules.
func Builtin() []Rule {
	rules, _ := merge(builtin())
	return rules
}

// merge combines rule sets in order.
func merge(sets []*RuleSet) (rules []Rule, allow []Allowlist) {
	at := map[string]int{}
	for _, set := range sets {
		off := map[string]bool{}
		for _, id := range set.Disabled {
			off[id] = true
		}
		kept := rules[:0:0]
		clear(at)
		for _, r := range rules {
			if !off[r.ID] {
				at[r.ID] = len(kept)
				kept = append(kept, r)
			}
		}
		for _, r := range set.Rules {
			if i, there := at[r.ID]; there {
				kept[i] = r
				continue
			}
			at[r.ID] = len(kept)
			kept = append(kept, r)
		}
		rules = kept
		allow = append(allow, set.Allow...)
	}
	return rules, allow
}

// ruleFile is the TOML form of a rule file.
type ruleFile struct {
	Extend     struct{ DisabledRules []string }
	Allowlist  allowlistTable
	Allowlists []allowlistTable
	Rules      []struct {
		ID, Description, Regex, Path string
		SecretGroup                  int
		Entropy                      float64
		Keywords                     []string
		Allowlist                    allowlistTable
		Allowlists                   []allowlistTable
	}
}

type allowlistTable struct {
	Regexes, StopWords, Paths, Commits []string
	RegexTarget, Condition             string
}

func parseRules(name, text string) (*RuleSet, error) {
	var file ruleFile
	if err := toml.Unmarshal([]byte(strings.TrimPrefix(text, "\ufeff")), &file); err != nil {
		bad := &RuleError{File: name, Err: err}
		if at := (*toml.DecodeError)(nil); errors.As(err, &at) {
			bad.Line, _ = at.Position()
		}
		return nil, bad
	}
	set := &RuleSet{File: name, Disabled: file.Extend.DisabledRules, Allow: allowlists(append(file.Allowlists, file.Allowlist))}
	lines, line := strings.Split(text, "\n"), 0
	isRule := func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "[[rules]]") }
	for _, r := range file.Rules {
		line += 1 + max(0, slices.IndexFunc(lines[line:], isRule))
		rule := Rule{r.ID, r.Description, r.Regex, r.SecretGroup, r.Entropy, r.Keywords, allowlists(append(r.Allowlists, r.Allowlist)), line}
		switch {
		case strings.TrimSpace(r.ID) == "":
			return nil, &RuleError{File: name, Line: line, Err: ErrNoID}
		case r.Regex == "" && r.Path == "":
			return nil, &RuleError{File: name, Line: line, Rule: r.ID, Err: ErrNoRegex}
		case r.Regex != "":
			set.Rules = append(set.Rules, rule)
		}
	}
	return set, nil
}

// allowlists omits exceptions that can never apply to a session, which has no
// paths.
func allowlists(tables []allowlistTable) (lists []Allowlist) {
	for _, t := range tables {
		all := strings.EqualFold(t.Condition, "and") || t.Condition == "&&"
		if len(t.Regexes)+len(t.StopWords) > 0 && !(all && len(t.Paths)+len(t.Commits) > 0) {
			lists = append(lists, Allowlist{t.Regexes, t.RegexTarget, t.StopWords, all})
		}
	}
	return lists
}

type allowlist struct {
	Allowlist
	regexes []*regexp.Regexp
	stops   []string
}

func compileAllow(lists []Allowlist) ([]allowlist, error) {
	var out []allowlist
	for _, list := range lists {
		a := allowlist{Allowlist: list}
		for _, expr := range list.Regexes {
			re, err := regexp.Compile(expr)
			if err != nil {
				return nil, err
			}
			a.regexes = append(a.regexes, re)
		}
		for _, word := range list.StopWords {
			a.stops = append(a.stops, strings.ToLower(word))
		}
		out = append(out, a)
	}
	return out, nil
}

// excepted reports whether one of the lists says that a match is not a secret.
// m and s are the spans of match and secret in text.
func excepted(lists []allowlist, text []byte, m, s span) bool {
	return slices.ContainsFunc(lists, func(a allowlist) bool { return a.excepts(text, m, s) })
}

func (a *allowlist) excepts(text []byte, m, s span) bool {
	var target []byte
	switch a.Target {
	case "match":
		target = text[m.start:m.end]
	case "line":
		target = lineAround(text, m)
	default:
		target = text[s.start:s.end]
	}
	byRegex := slices.ContainsFunc(a.regexes, func(re *regexp.Regexp) bool { return re.Match(target) })
	if byRegex && !a.All {
		return true
	}
	lower := strings.ToLower(string(text[s.start:s.end]))
	byWord := slices.ContainsFunc(a.stops, func(word string) bool { return strings.Contains(lower, word) })
	if !a.All {
		return byWord
	}
	return (byRegex || len(a.regexes) == 0) && (byWord || len(a.stops) == 0)
}
