package compact

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// FileOps are the paths that tools were called with, as given in the calls,
// whether or not the calls succeeded. The zero FileOps is empty.
type FileOps struct{ read, written, edited map[string]bool }

// Read returns the paths that were read, sorted.
func (f *FileOps) Read() []string { return sorted(f.read) }

// Written returns the paths that were written, sorted.
func (f *FileOps) Written() []string { return sorted(f.written) }

// Edited returns the paths that were edited, sorted, including those that an
// earlier summary lists as modified.
func (f *FileOps) Edited() []string { return sorted(f.edited) }

// Add adds the calls of one message in JSON: those of a response, and nested
// calls that a tool reports in its result.
func (f *FileOps) Add(raw json.RawMessage) {
	switch format.Role(journal.RoleName(raw)) {
	case format.RoleAssistant:
		m, _ := journal.ReadMessage(raw)
		for _, b := range journal.Blocks(m.Content) {
			if text(b.Type) == "toolCall" {
				f.call(text(b.Name), b.Arguments)
			}
		}
	case format.RoleToolResult:
		nested, _ := jsonl.Lookup(raw, "nestedCalls")
		calls, _ := jsonl.Lookup(nested, "calls")
		for _, b := range journal.Blocks(calls) {
			f.call(text(b.Name), b.Arguments)
		}
	}
}

func (f *FileOps) call(name string, arguments []byte) {
	var set *map[string]bool
	switch name {
	case "read":
		set = &f.read
	case "write":
		set = &f.written
	case "edit":
		set = &f.edited
	default:
		return
	}
	if path := jsonl.LookupString(arguments, "path"); path != "" {
		put(set, path)
	}
}

// carry adds the lists in the details of an earlier summary. Callers skip the
// details of summaries made by extensions, whose form is unknown.
func (f *FileOps) carry(details json.RawMessage) {
	for path := range stringList(details, "readFiles") {
		put(&f.read, path)
	}
	for path := range stringList(details, "modifiedFiles") {
		put(&f.edited, path)
	}
}

// stringList yields the strings of a list in details, which may have any shape.
func stringList(details []byte, name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		list, _ := jsonl.Lookup(details, name)
		for element := range jsonl.Elements(list) {
			if s, ok := jsonl.String(element); ok && !yield(s) {
				return
			}
		}
	}
}

// Lists returns the lists stored with a summary.
func (f *FileOps) Lists() FileLists {
	modified := map[string]bool{}
	maps.Copy(modified, f.written)
	maps.Copy(modified, f.edited)
	read := maps.Clone(f.read)
	maps.DeleteFunc(read, func(path string, _ bool) bool { return modified[path] })
	return FileLists{sorted(read), sorted(modified)}
}

// FileLists are the files that a summarized conversation touched: each path in
// one list, in JavaScript's sort order. Neither list is nil.
type FileLists struct {
	ReadFiles     []string `json:"readFiles"` // read and not modified
	ModifiedFiles []string `json:"modifiedFiles"`
}

// Tags returns the text that ends a summary, or "" without files.
func (l FileLists) Tags() string {
	return tagged("read-files", l.ReadFiles) + tagged("modified-files", l.ModifiedFiles)
}

func tagged(tag string, paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return "\n\n<" + tag + ">\n" + strings.Join(paths, "\n") + "\n</" + tag + ">"
}

// Details returns the lists as JSON, for an entry's details.
func (l FileLists) Details() json.RawMessage {
	out := jsonl.AppendStrings([]byte(`{"readFiles":`), l.ReadFiles)
	out = jsonl.AppendStrings(append(out, `,"modifiedFiles":`...), l.ModifiedFiles)
	return append(out, '}')
}

func put(set *map[string]bool, path string) {
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[path] = true
}

func sorted(set map[string]bool) []string {
	out := slices.AppendSeq(make([]string, 0, len(set)), maps.Keys(set))
	slices.SortFunc(out, compareUnits)
	return out
}

// compareUnits compares strings by their UTF-16 units. That differs from byte
// order for characters outside the basic plane, whose first unit is below
// U+E000.
func compareUnits(a, b string) int {
	for i := 0; i < len(a) && i < len(b); {
		x, size := utf8.DecodeRuneInString(a[i:])
		y, _ := utf8.DecodeRuneInString(b[i:])
		switch {
		case x == y && x != utf8.RuneError:
			i += size
			continue
		case x == utf8.RuneError || y == utf8.RuneError:
			return strings.Compare(a[i:], b[i:])
		case (x > 0xFFFF) == (y > 0xFFFF):
			return cmp.Compare(x, y)
		case x > 0xFFFF:
			return cmp.Compare(0xD800, y)
		default:
			return cmp.Compare(x, 0xD800)
		}
	}
	return cmp.Compare(len(a), len(b))
}
