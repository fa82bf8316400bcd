package edits

import (
	"strings"

	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A use is how a tool treats files.
type use uint8

const (
	reads use = iota + 1
	writes
	replaces
	patches
	runs // a shell command, which may rename files
)

// tools lists the tools that read and change files, by name. Programs share names, and
// the arguments tell them apart.
var tools = map[string]use{
	// pi, Atomic, oh-my-pi
	"read": reads, "write": writes, "edit": replaces, "bash": runs,
	// Claude Code, Kimi
	"Read": reads, "Write": writes, "Edit": replaces, "MultiEdit": replaces, "Bash": runs,
	"WriteFile": writes, "StrReplaceFile": replaces, "Shell": runs,
	// Codex
	"apply_patch": patches, "shell": runs, "shell_command": runs, "exec_command": runs,
	// OpenCode, besides edit, write and bash
	"multiedit": replaces, "patch": patches,
	// Gemini CLI, Qwen Code
	"replace": replaces, "write_file": writes, "run_shell_command": runs,
	// Copilot CLI, besides edit, apply_patch and bash
	"create": writes, "str_replace": replaces, "str_replace_editor": replaces,
}

var (
	pathNames    = []string{"path", "file_path", "filePath", "file", "filename", "target_file"}
	contentNames = []string{"content", "file_text", "contents"}
	oldNames     = []string{"oldText", "old_string", "oldString", "old_str", "old_text", "old"}
	newNames     = []string{"newText", "new_string", "newString", "new_str", "new_text", "new"}
	allNames     = []string{"replace_all", "replaceAll", "all", "allow_multiple"}
	patchNames   = []string{"input", "patch", "patchText", "patch_text"}
)

// text returns the first of several members that is a string.
func text(obj []byte, names ...string) (string, bool) {
	for _, name := range names {
		raw, _ := jsonl.Lookup(obj, name)
		if s, ok := jsonl.String(raw); ok {
			return s, true
		}
	}
	return "", false
}

func flag(obj []byte, names ...string) bool {
	for _, name := range names {
		raw, _ := jsonl.Lookup(obj, name)
		if b, ok := jsonl.Bool(raw); ok {
			return b
		}
	}
	return false
}

func object(obj []byte, name string) []byte {
	raw, _ := jsonl.Lookup(obj, name)
	if jsonl.KindOf(raw) != '{' {
		return nil
	}
	return raw
}

func list(obj []byte, name string) [][]byte {
	raw, _ := jsonl.Lookup(obj, name)
	if s, ok := jsonl.String(raw); ok && jsonl.Valid([]byte(s)) { // some models send a list as text
		raw = []byte(s)
	}
	switch jsonl.KindOf(raw) {
	case '{':
		return [][]byte{raw}
	case '[':
		var out [][]byte
		for e := range jsonl.Elements(raw) {
			if jsonl.KindOf(e) == '{' {
				out = append(out, e)
			}
		}
		return out
	}
	return nil
}

// command returns the shell command of a call: a text, or the words of one.
func command(args []byte) (line string, words []string) {
	if line, ok := text(args, "command", "cmd", "script"); ok {
		return line, nil
	}
	raw, _ := jsonl.Lookup(args, "command")
	for e := range jsonl.Elements(raw) {
		w, _ := jsonl.String(e)
		words = append(words, w)
	}
	if n := len(words); n == 3 && strings.HasSuffix(words[0], "sh") && strings.HasPrefix(words[1], "-") {
		return words[2], nil
	}
	return "", words
}

// patchOf returns the patch that a call holds in the format of apply_patch.
func patchOf(use use, args []byte) (string, bool) {
	const begin, end = "*** Begin Patch", "*** End Patch"
	body, ok := text(args, patchNames...)
	if use == runs {
		line, words := command(args)
		body, ok = line, strings.Contains(line, "apply_patch")
		if len(words) == 2 && words[0] == "apply_patch" {
			body, ok = words[1], true
		}
	}
	from, to := strings.Index(body, begin), strings.LastIndex(body, end)
	if !ok || from < 0 || to < from {
		return "", false
	}
	return body[from : to+len(end)], true
}

// pathsOf returns the files that a call names, with renames.
func pathsOf(use use, args []byte) (paths []string, renames []Change) {
	if patch, ok := patchOf(use, args); ok {
		for _, c := range patched(patch) {
			paths = append(paths, c.Path)
			if c.Kind == Move {
				paths, renames = append(paths, c.To), append(renames, c)
			}
		}
		return paths, renames
	}
	if use == runs {
		return nil, moves(args)
	}
	if path, ok := text(args, pathNames...); ok && path != "" {
		paths = append(paths, path)
	}
	return paths, nil
}

// resultPaths returns the files that only the details of a result name.
func resultPaths(details []byte) []string {
	var out []string
	for _, d := range append(list(details, "perFileResults"), list(details, "files")...) {
		if path, ok := text(d, pathNames...); ok {
			out = append(out, path)
		}
	}
	if path, ok := text(details, "path", "filePath"); ok {
		out = append(out, path)
	}
	if from, ok := text(details, "sourcePath"); ok {
		out = append(out, from)
	}
	return out
}

// decode says what a call did, given its result, which is not an error.
func decode(tool string, args []byte, r *journal.Message) []Change {
	use := tools[tool]
	if changes, ok := fromDetails(use, args, r.Details); ok {
		return withMoves(changes)
	}
	if patch, ok := patchOf(use, args); ok {
		if !strings.Contains(resultText(r.Content), "Success") && (tool == "apply_patch" || use == runs) && len(r.Details) == 0 {
			return nil
		}
		return patched(patch)
	}
	path, ok := text(args, pathNames...)
	switch {
	case use == runs:
		return moves(args)
	case !ok || path == "":
		return nil
	case use == reads:
		return whole(path, args, r)
	case use == writes:
		content, ok := text(args, contentNames...)
		if mode, _ := text(args, "mode"); !ok || mode == "append" {
			return nil
		}
		c := Change{Kind: Write, Path: path, Content: content}
		c.known(r.Details)
		return []Change{c}
	case use == replaces:
		return replaced(tool, path, args, r.Details)
	}
	return nil
}

// known takes the content before a change from the details of Claude Code.
func (c *Change) known(details []byte) {
	if before, ok := text(details, "originalFile"); ok {
		c.Before, c.HasBefore = before, true
	}
	if kind, _ := text(details, "type"); kind == "create" && c.Kind == Write {
		c.New = true
	}
	exists, _ := jsonl.Lookup(details, "exists")
	if known, ok := jsonl.Bool(exists); ok && !known && c.Kind == Write { // OpenCode
		c.New = true
	}
}

func replaced(tool, path string, args, details []byte) []Change {
	c := Change{Kind: Replace, Path: path, InSequence: tool == "MultiEdit" || tool == "multiedit"}
	c.known(details)
	if flag(details, "userModified") { // a person wrote what was applied
		if c.HasBefore {
			return []Change{{Kind: Read, Path: path, Content: c.Before}}
		}
		return nil
	}
	c.Swaps = swapsOf(args)
	if body, ok := text(args, "file_text"); ok && len(c.Swaps) == 0 { // the create command of str_replace_editor
		return []Change{{Kind: Write, Path: path, Content: body}}
	}
	if len(c.Swaps) == 1 && c.Swaps[0].Old == "" { // creates the file
		return []Change{{Kind: Write, Path: path, Content: c.Swaps[0].New, New: !c.HasBefore || c.Before == "", Before: c.Before, HasBefore: c.HasBefore}}
	}
	if patch, ok := text(details, "patch"); ok {
		c.Hunks = unified(patch)
	}
	if diff, ok := text(details, "diff"); ok && len(c.Hunks) == 0 {
		if strings.Contains(diff, "@@ -") {
			c.Hunks = unified(diff)
		} else {
			c.Hunks = numbered(diff)
		}
	}
	for _, h := range list(details, "structuredPatch") {
		c.Hunks = append(c.Hunks, structured(h))
	}
	if len(c.Swaps)+len(c.Hunks) == 0 {
		return nil
	}
	return []Change{c}
}

// swapsOf returns the replacements that a call asks for.
func swapsOf(args []byte) (out []Swap) {
	entries := append(list(args, "edits"), list(args, "edit")...)
	if len(entries) == 0 && jsonl.KindOf(args) == '{' {
		entries = [][]byte{args}
	}
	for _, e := range entries {
		from, hasOld := text(e, oldNames...)
		to, hasNew := text(e, newNames...)
		if hasOld && hasNew {
			out = append(out, Swap{from, to, flag(e, allNames...)})
		}
	}
	return out
}

// structured reads a hunk of Claude Code.
func structured(raw []byte) (h Hunk) {
	start, _ := jsonl.Lookup(raw, "oldStart")
	n, _ := jsonl.Int(start)
	h.Line = int(n)
	lines, _ := jsonl.Lookup(raw, "lines")
	for e := range jsonl.Elements(lines) {
		if s, ok := jsonl.String(e); ok && !strings.HasPrefix(s, `\`) {
			h.add(s)
		}
	}
	return h
}

// fromDetails reads results that hold whole files: of oh-my-pi, OpenCode, Gemini CLI and
// Qwen Code, and the file changes of Codex.
func fromDetails(use use, args, details []byte) ([]Change, bool) {
	if jsonl.KindOf(details) != '{' || use != writes && use != replaces && use != patches {
		return nil, false
	}
	path, _ := text(args, pathNames...)
	if c, ok := states(path, details, "originalContent", "newContent"); ok {
		c.New = flag(details, "isNewFile")
		return []Change{c.exact(args)}, true
	}
	if diff := object(details, "filediff"); diff != nil {
		if c, ok := states(path, diff, "before", "after"); ok {
			return []Change{c.exact(args)}, true
		}
	}
	var out []Change
	for _, f := range append(append(list(details, "perFileResults"), list(details, "files")...), details) {
		for _, names := range [][2]string{{"oldText", "newText"}, {"before", "after"}} {
			if c, ok := states("", f, names[0], names[1]); ok && c.Path != "" {
				out = append(out, c.exact(args))
				break
			}
		}
	}
	if len(out) > 0 {
		return out, true
	}
	return codexChanges(details)
}

// states reads a file before and after a change. A member that is missing means that
// the file did not exist then.
func states(path string, obj []byte, before, after string) (c Change, ok bool) {
	if named, ok := text(obj, pathNames...); ok {
		path = named
	}
	c = Change{Kind: Write, Path: path}
	var known bool
	c.Before, c.HasBefore = text(obj, before)
	if c.Content, known = text(obj, after); !known {
		return c, false
	}
	c.New = !c.HasBefore
	if from, ok := text(obj, "sourcePath"); ok && from != path {
		c.To, c.Path = path, from
	}
	return c, true
}

// exact makes a replacement of a change whose call says which text was replaced.
func (c Change) exact(args []byte) Change {
	if swaps := swapsOf(args); len(swaps) > 0 && c.HasBefore {
		c.Kind, c.HasAfter, c.Swaps = Replace, true, swaps
	}
	return c
}

// codexChanges reads the details of apply_patch: changes by path.
func codexChanges(details []byte) ([]Change, bool) {
	var out []Change
	for key, value := range jsonl.Members(details) {
		path, ok := jsonl.String(key)
		kind, _ := text(value, "type")
		if !ok {
			return nil, false
		}
		switch kind {
		case "add":
			content, _ := text(value, "content")
			out = append(out, Change{Kind: Write, Path: path, Content: content, New: true})
		case "delete":
			out = append(out, Change{Kind: Remove, Path: path})
		case "update":
			diff, _ := text(value, "unified_diff")
			to, _ := text(value, "move_path")
			out = append(out, Change{Kind: Replace, Path: path, Hunks: unified(diff), To: to})
		default:
			return nil, false
		}
	}
	return out, len(out) > 0
}

// whole returns a read that shows a whole file.
func whole(path string, args []byte, r *journal.Message) []Change {
	if file := object(r.Details, "file"); file != nil { // Claude Code
		content, ok := text(file, "content")
		n := func(name string) int64 { raw, _ := jsonl.Lookup(file, name); i, _ := jsonl.Int(raw); return i }
		if !ok || n("startLine") > 1 || n("numLines") != n("totalLines") {
			return nil
		}
		return []Change{{Kind: Read, Path: path, Content: content}}
	}
	if shown := object(r.Details, "displayContent"); shown != nil { // oh-my-pi
		content, ok := text(shown, "text")
		numbers, _ := jsonl.Lookup(shown, "lineNumbers")
		total, _ := jsonl.Lookup(r.Details, "totalLines")
		if n, isInt := jsonl.Int(total); !ok || !isInt || !countsTo(numbers, n) {
			return nil
		}
		return []Change{{Kind: Read, Path: path, Content: content}}
	}
	for _, name := range []string{"offset", "limit", "range", "ranges", "sel", "line_offset", "n_lines"} {
		if raw, ok := jsonl.Lookup(args, name); ok && !jsonl.IsNull(raw) {
			return nil
		}
	}
	content := resultText(r.Content)
	if object(r.Details, "truncation") != nil || content == "" || cutOff(content) || looksNumbered(content) {
		return nil
	}
	return []Change{{Kind: Read, Path: path, Content: content}}
}

// countsTo reports whether a list is the numbers from 1 to n.
func countsTo(list []byte, n int64) bool {
	at := int64(0)
	for e := range jsonl.Elements(list) {
		at++
		if i, ok := jsonl.Int(e); !ok || i != at {
			return false
		}
	}
	return at == n
}

// cutOff reports whether a read ends with a note that there is more.
func cutOff(content string) bool {
	last := content[strings.LastIndexByte(content, '\n')+1:]
	return strings.HasPrefix(last, "[") && strings.HasSuffix(last, "]") && strings.Contains(last, "offset")
}

// looksNumbered reports whether a read decorates the lines of the file, perhaps below a
// heading.
func looksNumbered(content string) bool {
	first, rest, _ := strings.Cut(content, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	return Undecorated(first) != first || Undecorated(second) != second || strings.HasPrefix(first, "<")
}

// Undecorated is a line of a tool result without the line number in front of it.
func Undecorated(line string) string {
	rest := strings.TrimLeft(line, " \t")
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	if end == 0 {
		return line
	}
	for _, mark := range []string{"→", "\t", "| ", "|", ": ", ":"} {
		if text, ok := strings.CutPrefix(rest[end:], mark); ok {
			return text
		}
	}
	return line
}

func resultText(content []byte) string {
	if s, ok := jsonl.String(content); ok {
		return s
	}
	var out []string
	for _, b := range journal.Blocks(content) {
		if string(jsonl.TextOf(b.Type)) != "text" {
			continue
		}
		if s, ok := jsonl.String(b.Text); ok {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}
