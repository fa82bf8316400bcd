package redact

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// A shape is a way in which a text says that a value is a secret: see
// rules/shapes.toml.
type shape struct {
	ID, Example, Next, Then, Left, Expr string
	Loose, Spoken, Secret, Column       bool

	// For a shape without a name:
	Keywords, Except []string
	Entropy          float64

	next, then [256]bool
	left, re   *regexp.Regexp
}

var valueForms = strings.NewReplacer(
	"VALUE", `(?:"([^"\n]{8,})"|'([^'\n]{8,})'|\x60([^\x60\n]{8,})\x60|([^\s"'\x60<>|&;,(){}\[\]\\]{8,}))`,
	"WRAPQUOTED", `(?:(?:new )?[\w.:]+\((?:"\w+",[ ]?)?)?[brf]?QUOTED`,
	"QUOTED", `(?:"([^"\n]{8,})"|'([^'\n]{8,})'|\x60([^\x60\n]{8,})\x60)`)

// shapes returns the shapes, those with a name ready to use.
var shapes = sync.OnceValue(func() []*shape {
	var file struct{ Shapes []*shape }
	if err := toml.Unmarshal(ruleFile("rules/shapes.toml"), &file); err != nil {
		panic(err)
	}
	for _, s := range file.Shapes {
		if s.Expr = valueForms.Replace(valueForms.Replace(s.Expr)); s.Next == "" {
			continue
		}
		for _, c := range []byte(s.Next) {
			s.next[c] = true
		}
		for _, c := range []byte(s.Then) {
			s.then[c] = true
		}
		s.re, s.left = regexp.MustCompile("^"+s.Expr), regexp.MustCompile(s.Left)
	}
	return file.Shapes
})

// shapeRules returns the shapes without a name as rules.
func shapeRules() (rules []Rule) {
	for _, s := range shapes() {
		if s.Next == "" {
			rules = append(rules, Rule{ID: s.ID, Regex: s.Expr, Entropy: s.Entropy, Keywords: s.Keywords, Allowlists: append([]Allowlist{{Regexes: s.Except}}, noForms...)})
		}
	}
	return rules
}

// named calls found for the secrets that a name of some weight has.
func named(text []byte, n name, heavy weight, found func(span, weight)) {
	after := skip(text, n.end, far, charSpace)
	for _, s := range shapes() {
		if n.end == len(text) || !s.next[text[n.end]] || s.Then != "" && (after == len(text) || !s.then[text[after]]) {
			continue
		}
		any := false
		for _, c := range s.candidates(text, n) {
			switch c.weight = heavy; {
			case s.Secret:
				c.weight = madeUp
			case heavy == login:
				continue
			}
			if c.isSecret(text, n) {
				found(c.span, c.weight)
				any = true
			}
		}
		if any {
			return
		}
	}
}

// How far after a name its value may end: in a sentence it begins near.
const near, far = 240, 800

// candidates returns the values that a name has in this shape.
func (s *shape) candidates(text []byte, n name) (all []candidate) {
	rest := text[n.end:min(len(text), n.end+far)]
	var places []span
	switch sentence := rest[:min(len(rest), near)]; {
	case s.Column:
		places = column(text, n)
	case s.Spoken && !bytes.ContainsAny(sentence, "0123456789"):
	default:
		if s.Spoken {
			if match := s.re.FindIndex(sentence); match == nil {
				break
			} else if match[1] < len(sentence) {
				rest = sentence
			}
		}
		groups := s.re.FindSubmatchIndex(rest)
		if groups == nil || !s.left.Match(leftOf(text, n)) {
			break
		}
		for i := 2; i < len(groups); i += 2 {
			if groups[i] >= 0 {
				places = append(places, span{n.end + groups[i], n.end + groups[i+1]})
			}
		}
	}
	for _, place := range places {
		c := candidate{span: place, loose: s.Loose, spoken: s.Spoken}
		if quote := text[c.start-1]; c.end < len(text) && text[c.end] == quote && bytes.IndexByte([]byte("\"'`"), quote) >= 0 {
			c.quoted = true
		} else {
			for c.end > c.start && bytes.IndexByte([]byte(".,:"), text[c.end-1]) >= 0 { // of the sentence
				c.end--
			}
		}
		all = append(all, c)
	}
	return all
}

// leftOf returns the name with what is left of it on its line, or in its string of
// JSON, or the end of that.
func leftOf(text []byte, n name) []byte {
	near := text[max(0, n.start-100):n.end]
	for _, start := range []string{"\n", `:"`, `: "`, `["`} {
		if i := bytes.LastIndex(near[:len(near)-n.end+n.start], []byte(start)); i >= 0 {
			near = near[i+len(start):]
		}
	}
	return near
}

// column returns the values below a name that is the head of a column.
func column(text []byte, n name) (all []span) {
	const longest, most = 400, 50 // bytes of the head, and rows
	from, to := n.end-len(leftOf(text, n)), lineEnd(text[:min(len(text), n.end+longest)], n.end)
	head := text[from:to]
	if from == n.start-100 || to == len(text) || head[len(head)-1] != '\n' || skip(head, 0, len(head), inHead) < len(head) || bytes.Count(head, []byte{'"'})%2 > 0 {
		return nil
	}
	for _, sep := range []string{"|", "\t", ",", ";"} {
		columns, index := bytes.Count(head, []byte(sep)), bytes.Count(text[from:n.start], []byte(sep))
		if columns == 0 {
			continue
		}
		for rows := 0; rows < most && to < len(text); rows++ {
			start := to
			to = lineEnd(text, to)
			row := text[start:to]
			if skip(row, 0, len(row), inRuler) == len(row) {
				continue
			}
			if bytes.Count(row, []byte(sep)) != columns {
				break
			}
			for range index {
				start += bytes.Index(text[start:to], []byte(sep)) + 1
			}
			cell, _, _ := bytes.Cut(text[start:to], []byte(sep))
			value := bytes.TrimLeft(cell, " \t\"'`")
			start += len(cell) - len(value)
			value, _, _ = bytes.Cut(bytes.TrimRight(value, " \t\r\n\"'`"), []byte{'"'}) // the end of the cell, or of a string of JSON
			if len(value) >= minLearned {
				all = append(all, span{start, start + len(value)})
			}
		}
		return all
	}
	return nil
}

var (
	inHead  = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- |,;\t\"*\r\n")
	inRuler = charset("-+:=| \t\r\n")
)
