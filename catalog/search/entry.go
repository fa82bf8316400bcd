package search

import (
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A field is one text of an entry.
type field struct {
	kind inspect.Part
	tool string // for calls and results
	text string
}

// An entry contains the searchable parts of a line.
type entry struct {
	id     string
	typ    format.Type
	role   format.Role // of a message; "" for other entries
	time   time.Time   // zero if the line has none
	fields []field
	calls  []fileCall
	result string // id of the tool call whose result it is
	length int    // length of the line in the file

	speech inspect.Speech // of the line
}

// A fileCall is a tool call that names a file.
type fileCall struct{ id, file string }

// read reads an entry from its line. It returns false if the line is not an
// entry or contains no text. The next call reuses its slices.
func (e *entry) read(line []byte) bool {
	e.id, e.typ, e.role, e.time, e.result = "", "", "", time.Time{}, ""
	e.fields, e.calls = e.fields[:0], e.calls[:0]
	if !e.speech.Read(line) {
		return false
	}
	var text strings.Builder // of blocks that are one field
	for p := range e.speech.Passages() {
		if p.Text == "" {
			continue
		}
		e.files(&p)
		if last := len(e.fields) - 1; last >= 0 && e.fields[last].continues(&p) {
			if text.Len() == 0 {
				text.WriteString(e.fields[last].text)
			}
			text.WriteByte('\n')
			text.WriteString(p.Text)
			continue
		}
		e.settle(&text)
		e.fields = append(e.fields, field{p.Part, p.Tool, p.Text})
	}
	e.settle(&text)
	if len(e.fields) == 0 {
		return false
	}
	s := &e.speech
	e.id, e.typ, e.role, e.time, e.result = s.ID, s.Type, s.Role, s.Time, s.Result
	return true
}

// continues reports whether a passage is the next block of the same text.
func (f *field) continues(p *inspect.Passage) bool {
	return p.Part == f.kind && p.Tool == f.tool && (p.Part == inspect.PartText || p.Part == inspect.PartResult)
}

// settle sets the text of the last field, if it has several blocks.
func (e *entry) settle(text *strings.Builder) {
	if text.Len() > 0 {
		e.fields[len(e.fields)-1].text = text.String()
		text.Reset()
	}
}

// files adds the files that the arguments of a tool call name.
func (e *entry) files(call *inspect.Passage) {
	for key, value := range inspect.Texts(call.Arguments) {
		if s, ok := jsonl.String(value); ok && isFileKey(key) {
			e.calls = append(e.calls, fileCall{call.CallID, s})
		}
	}
}

// isFileKey reports whether an argument with that raw name is a file. It knows
// the names that the tools of pi-compatible agents use.
func isFileKey(raw []byte) bool {
	switch string(raw) {
	case `"path"`, `"file"`, `"file_path"`, `"filePath"`, `"filename"`, `"notebook_path"`, `"target_file"`:
		return true
	}
	return false
}
