package redact

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file reads the part of TOML that rule files use: tables, arrays of
// tables, strings of all four kinds, numbers, booleans and arrays of strings.
// Inline tables, dates and nested arrays are errors.

// table is one [name] or [[name]] with what stands below it.
type table struct {
	name   string
	line   int
	values []setting
}

type setting struct {
	key  string
	line int
	// text is a string, number or boolean as written; list an array.
	text   string
	list   []string
	isList bool
}

// syntaxError is a fault in a rule file.
type syntaxError struct {
	line int
	err  error
}

func (e *syntaxError) Error() string { return e.err.Error() }

type tomlReader struct {
	src  string
	at   int
	line int
}

// parseTOML returns the tables of src in order. The first has no name and holds
// what stands before any table.
func parseTOML(src string) ([]table, *syntaxError) {
	r := &tomlReader{src: strings.TrimPrefix(src, "\ufeff"), line: 1}
	if !utf8.ValidString(src) {
		return nil, r.fault("not UTF-8")
	}
	tables := []table{{line: 1}}
	for {
		r.blank()
		if r.at == len(r.src) {
			return tables, nil
		}
		if r.src[r.at] == '[' {
			name, err := r.header()
			if err != nil {
				return nil, err
			}
			tables = append(tables, table{name: name, line: r.line})
		} else {
			s, err := r.setting()
			if err != nil {
				return nil, err
			}
			last := &tables[len(tables)-1]
			last.values = append(last.values, s)
		}
		if err := r.endOfLine(); err != nil {
			return nil, err
		}
	}
}

func (r *tomlReader) fault(text string) *syntaxError {
	return &syntaxError{r.line, errors.New(text)}
}

// blank skips white space, line ends and comments.
func (r *tomlReader) blank() {
	for r.at < len(r.src) {
		switch r.src[r.at] {
		case ' ', '\t', '\r':
		case '\n':
			r.line++
		case '#':
			if end := strings.IndexByte(r.src[r.at:], '\n'); end >= 0 {
				r.at += end
			} else {
				r.at = len(r.src)
			}
			continue
		default:
			return
		}
		r.at++
	}
}

func (r *tomlReader) spaces() {
	for r.at < len(r.src) && (r.src[r.at] == ' ' || r.src[r.at] == '\t') {
		r.at++
	}
}

func (r *tomlReader) endOfLine() *syntaxError {
	r.spaces()
	if r.at == len(r.src) || strings.ContainsRune("\r\n#", rune(r.src[r.at])) {
		return nil
	}
	return r.fault("more than one thing on the line")
}

func (r *tomlReader) header() (string, *syntaxError) {
	line, _, _ := strings.Cut(r.src[r.at:], "\n")
	open, close := "[", "]"
	if strings.HasPrefix(line, "[[") {
		open, close = "[[", "]]"
	}
	name, _, found := strings.Cut(line[len(open):], close)
	if !found {
		return "", r.fault("the name of a table has no end")
	}
	r.at += len(open) + len(name) + len(close)
	return strings.TrimSpace(name), nil
}

func (r *tomlReader) setting() (setting, *syntaxError) {
	s := setting{line: r.line}
	line, _, _ := strings.Cut(r.src[r.at:], "\n")
	key, _, found := strings.Cut(line, "=")
	if !found {
		return s, r.fault("neither a table nor a setting")
	}
	s.key = strings.Trim(strings.TrimSpace(key), `"`)
	r.at += len(key) + 1
	r.spaces()
	var err *syntaxError
	if r.at < len(r.src) && r.src[r.at] == '[' {
		s.isList = true
		s.list, err = r.list()
	} else {
		s.text, err = r.scalar()
	}
	return s, err
}

func (r *tomlReader) list() ([]string, *syntaxError) {
	r.at++
	list := []string{}
	for {
		r.blank()
		if r.at == len(r.src) {
			return nil, r.fault("an array has no end")
		}
		if r.src[r.at] == ']' {
			r.at++
			return list, nil
		}
		text, err := r.scalar()
		if err != nil {
			return nil, err
		}
		list = append(list, text)
		r.blank()
		switch {
		case r.at < len(r.src) && r.src[r.at] == ',':
			r.at++
		case r.at < len(r.src) && r.src[r.at] != ']':
			return nil, r.fault("a comma is missing in an array")
		}
	}
}

func (r *tomlReader) scalar() (string, *syntaxError) {
	rest := r.src[r.at:]
	for _, quotes := range []string{`'''`, `"""`, `'`, `"`} {
		if !strings.HasPrefix(rest, quotes) {
			continue
		}
		end := closing(rest[len(quotes):], quotes)
		if end < 0 {
			return "", r.fault("a string has no end")
		}
		text := rest[len(quotes) : len(quotes)+end]
		r.at += end + 2*len(quotes)
		lines := strings.Count(text, "\n")
		if lines > 0 && len(quotes) == 1 {
			return "", r.fault("a string has no end on its line")
		}
		r.line += lines
		if len(quotes) == 3 {
			text = strings.TrimPrefix(strings.TrimPrefix(text, "\r"), "\n")
		}
		if quotes[0] == '"' {
			return r.unescape(text)
		}
		return text, nil
	}
	end := strings.IndexAny(rest, ",]#\r\n \t")
	if end < 0 {
		end = len(rest)
	}
	word := rest[:end]
	r.at += end
	if word == "true" || word == "false" {
		return word, nil
	}
	if _, err := strconv.ParseFloat(word, 64); err != nil {
		return "", r.fault("a value is neither a string, a number, true, false nor an array of these")
	}
	return word, nil
}

// closing is where the quotes end that began before s; -1 when they do not.
func closing(s, quotes string) int {
	for i := 0; i < len(s); i++ {
		switch {
		case quotes[0] == '"' && s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], quotes):
			return i
		}
	}
	return -1
}

func (r *tomlReader) unescape(s string) (string, *syntaxError) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	var out strings.Builder
	for len(s) > 0 {
		if s[0] != '\\' {
			out.WriteByte(s[0])
			s = s[1:]
			continue
		}
		char, _, rest, err := strconv.UnquoteChar(s, '"')
		if err != nil {
			return "", r.fault("an unknown escape in a string")
		}
		out.WriteRune(char)
		s = rest
	}
	return out.String(), nil
}
