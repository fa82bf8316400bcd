package query

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pith-sessions/pith/catalog"
)

// An Env is what the values of filters refer to.
type Env struct {
	// Now is the time that ages refer to. Zero means time.Now.
	Now time.Time
	// Cwd is the directory that relative paths start at; "" means that there
	// are none.
	Cwd string
	// Catalog names the sessions whose agents are known.
	Catalog catalog.Options
}

// MostWords is the maximum number of words of a query.
const MostWords = 60

const expressionPrefix = "re:"

// Parse parses a query. The error, an *[Error], is that of the first item that is
// not valid; the query consists of the others, for a list that is shown while
// the query is typed.
func Parse(text string, env Env) (Query, error) {
	if !utf8.ValidString(text) {
		return Query{}, &Error{Reason: "the query is not UTF-8"}
	}
	if env.Now.IsZero() {
		env.Now = time.Now()
	}
	var q Query
	var first error
	for l := (lexer{text: text}); ; {
		it, ok := l.next()
		if !ok {
			return q, first
		}
		if err := q.add(&it, &env); err != nil && first == nil {
			first = err
		}
	}
}

// An item is a word or a filter of a query.
type item struct {
	at     int // where it starts
	not    bool
	name   string // of a filter, in lower case, or "re", or ""
	values []string
	form   Form // without a name
	closed bool // the quotes are closed, or there are none
}

// add adds an item to the query.
func (q *Query) add(it *item, env *Env) error {
	switch f := find(it.name); {
	case it.name == "" && it.values[0] == "": // empty quotes
		return nil
	case it.name == "":
		return q.addWord(Word{Text: it.values[0], Form: it.form, Not: it.not})
	case it.name == "re":
		expr, err := expression(it.values[0])
		if err != nil || it.values[0] == "" {
			return expressionError(it.values[0], err)
		}
		return q.addWord(Word{Text: it.values[0], Form: Regexp, Not: it.not, Expr: expr})
	case f == nil:
		return unknownFilter(it.name, it.values)
	default:
		return q.addCondition(f, it, env)
	}
}

// expression compiles a regular expression. As in pi, letter case matters if it has
// a capital letter.
func expression(text string) (*regexp.Regexp, error) {
	expr, err := regexp.Compile(text)
	if err == nil && strings.ToLower(text) == text {
		expr, err = regexp.Compile("(?i)" + text)
	}
	return expr, err
}

func (q *Query) addWord(w Word) error {
	if len(q.Words) == MostWords {
		return &Error{Reason: "the query has too many words; the limit is 60"}
	}
	q.Words = append(q.Words, w)
	return nil
}

func (q *Query) addCondition(f *Filter, it *item, env *Env) error {
	c := Condition{Filter: f, Not: it.not}
	for _, text := range it.values {
		if text == "" {
			continue
		}
		test, ok := f.parse(text, env)
		if !ok {
			return valueError(f, text, env)
		}
		c.values = append(c.values, value{text, test})
	}
	if len(c.values) == 0 {
		return &Error{Filter: f.Name, Reason: f.Name + ": needs a value, as in " + f.Name + ":" + f.Value}
	}
	q.Conditions = append(q.Conditions, c)
	return nil
}

// A lexer splits a query into items.
type lexer struct {
	text string
	at   int
}

// next returns the next item.
func (l *lexer) next() (it item, ok bool) {
	l.at += len(l.text[l.at:]) - len(strings.TrimLeftFunc(l.text[l.at:], unicode.IsSpace))
	if l.at == len(l.text) {
		return item{}, false
	}
	it.at, it.closed = l.at, true
	if rest := l.text[l.at+1:]; l.text[l.at] == '-' && rest != "" && !startsWithSpace(rest) {
		it.not = true
		l.at++
	}
	if l.text[l.at] == '"' {
		var text string
		text, it.closed = l.quoted()
		it.values, it.form = []string{text}, Phrase
		return it, true
	}
	if it.name = l.name(); it.name != "" {
		l.at += len(it.name) + 1
		it.name = strings.ToLower(it.name)
		l.list(&it)
		return it, true
	}
	word := l.until("")
	if it.form = Plain; len(word) > 1 && word[len(word)-1] == '*' {
		it.form = Prefix
	}
	it.values = []string{word}
	return it, true
}

// name returns the name of the filter at the start of an item. A word with a
// colon that looks like something else, such as an address, has none.
func (l *lexer) name() string {
	rest := l.text[l.at:]
	name, value, ok := strings.Cut(rest, ":")
	if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' }) {
		return ""
	}
	if IsFilter(name) {
		return name
	}
	if len(name) == 1 || value == "" || startsWithSpace(value) || strings.ContainsRune(`:/\`, rune(value[0])) {
		return "" // C:\x, error:, std::vector, https://example.org
	}
	return name
}

// list reads the values of a filter.
func (l *lexer) list(it *item) {
	stop := ","
	if it.name == "re" {
		stop = ""
	}
	for {
		text := ""
		if strings.HasPrefix(l.text[l.at:], `"`) {
			text, it.closed = l.quoted()
		}
		it.values = append(it.values, text+l.until(stop))
		if l.at == len(l.text) || l.text[l.at] != ',' {
			return
		}
		l.at++
	}
}

// quoted reads a text in quotes. A missing last quote is assumed at the end.
func (l *lexer) quoted() (text string, closed bool) {
	var b strings.Builder
	for l.at++; ; l.at += 2 {
		before, _, ok := strings.Cut(l.text[l.at:], `"`)
		b.WriteString(before)
		if !ok {
			l.at = len(l.text)
			return b.String(), false
		}
		l.at += len(before)
		if !strings.HasPrefix(l.text[l.at:], `""`) {
			l.at++
			return b.String(), true
		}
		b.WriteByte('"')
	}
}

// until reads up to a space or one of the characters in stop.
func (l *lexer) until(stop string) string {
	rest := l.text[l.at:]
	end := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(stop, r) })
	if end < 0 {
		end = len(rest)
	}
	l.at += end
	return rest[:end]
}

func startsWithSpace(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsSpace(r)
}

func quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// quoteIfNeeded quotes a value that would otherwise end early, or at one of the
// characters in stop.
func quoteIfNeeded(text, stop string) string {
	if text == "" || text[0] == '"' || strings.ContainsFunc(text, unicode.IsSpace) || strings.ContainsAny(text, stop) {
		return quote(text)
	}
	return text
}

// Typed parses a query that is being typed, like [Parse]. The word at its end may
// not be complete, so it becomes a prefix; one letter does not, because it is
// the start of nearly everything. The value of a filter at its end may not be
// complete either, and is no error then.
func Typed(text string, env Env) (Query, error) {
	q, err := Parse(text, env)
	if bad, ok := errors.AsType[*Error](err); ok {
		if open, typing := Last(text); typing && open.Filter.Name == bad.Filter && open.Value == bad.Value && open.begins(&env) {
			err = nil
		}
	}
	if n := len(q.Words) - 1; n >= 0 && q.Words[n].Form == Plain && strings.HasSuffix(text, q.Words[n].Text) {
		w := &q.Words[n]
		last, _ := utf8.DecodeLastRuneInString(w.Text)
		if utf8.RuneCountInString(w.Text) > 1 && (unicode.IsLetter(last) || unicode.IsDigit(last)) {
			w.Form, w.Text = Prefix, w.Text+"*"
		}
	}
	return q, err
}

// An Open is the filter at the end of a query that is being typed.
type Open struct {
	// Before is the query up to the value that is being typed, and Value that
	// value without its quotes.
	Before, Value string
	Filter        *Filter
}

// Last returns the filter that is being typed at the end of a query; ok is false
// if there is none.
func Last(text string) (_ Open, ok bool) {
	var it, last item
	l := lexer{text: text}
	for more := true; more; {
		last = it
		it, more = l.next()
	}
	f := find(last.name)
	if f == nil || last.closed && strings.TrimRightFunc(text, unicode.IsSpace) != text {
		return Open{}, false
	}
	before := text[:last.at] + minus(last.not) + f.Name + ":"
	for _, v := range last.values[:len(last.values)-1] {
		before += quoteIfNeeded(v, ",") + ","
	}
	return Open{before, last.values[len(last.values)-1], f}, true
}

// begins reports whether the value may be the start of one that the filter takes.
func (o *Open) begins(env *Env) bool {
	return strings.Trim(o.Value, "<>=$") == "" || slices.ContainsFunc(o.Filter.known(env), func(known string) bool {
		return strings.HasPrefix(known, strings.ToLower(o.Value))
	})
}

// With returns the query with a value instead of the one that is being typed.
func (o *Open) With(value string) string { return o.Before + quoteIfNeeded(value, ",") + " " }

// Join joins the arguments of a command to a query. An argument with spaces is a
// phrase or the value of a filter if there are others, and the whole query if it
// is the only one.
func Join(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	out := make([]string, len(args))
	for i, arg := range args {
		arg = strings.TrimSpace(arg)
		if strings.ContainsFunc(arg, unicode.IsSpace) && !strings.Contains(arg, `"`) {
			l := lexer{text: strings.TrimPrefix(arg, "-")}
			if name := l.name(); name != "" {
				arg = arg[:len(arg)-len(l.text)] + name + ":" + quote(l.text[len(name)+1:])
			} else {
				arg = quote(arg)
			}
		}
		out[i] = arg
	}
	return strings.Join(out, " ")
}
