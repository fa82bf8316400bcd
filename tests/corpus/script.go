package corpus

import (
	"bytes"
	"fmt"
	"time"
)

// A script writes a session by hand, line by line: the demos and the odd files
// are made with it. Each method writes one line under the leaf and returns the
// new entry's id. Time passes by itself, the same on every run.
type script struct {
	r       *random
	out     bytes.Buffer
	cwd     string
	id      string
	start   time.Time
	now     int64
	key     uint32
	entries uint32
	leaf    string // "" before the first entry
	model   model
	tokens  int
	pending []call
}

// newScript starts a session and writes its header. extra is put at the header's
// end as it is.
func newScript(seed uint64, cwd string, start time.Time, extra string) *script {
	s := blankScript(seed, cwd, start)
	fmt.Fprintf(&s.out, `{"type":"session","version":3,"id":%s,"timestamp":%s,"cwd":%s%s}`+"\n",
		js(s.id), appendTime(nil, s.now), js(cwd), extra)
	return s
}

// blankScript is newScript without a header.
func blankScript(seed uint64, cwd string, start time.Time) *script {
	r := &random{state: mix64(seed)}
	return &script{
		r: r, cwd: cwd, start: start, now: start.UnixMilli(), id: uuid7(start, r.next(), r.next()), key: uint32(r.next()),
		model: models[0], tokens: 9400,
	}
}

// js is a string as JavaScript prints it in JSON.
func js(s string) string { return string(appendString(nil, s)) }

// raw writes a line as it is.
func (s *script) raw(line string) { s.out.WriteString(line + "\n") }

// pass lets up to the given number of seconds pass.
func (s *script) pass(seconds int) { s.now += int64(s.r.between(200, seconds*1000)) }

// goTo makes an earlier entry the leaf.
func (s *script) goTo(id string) { s.leaf = id }

// nextID makes the id of a new entry.
func (s *script) nextID() string {
	quoted := appendID(nil, shuffled(s.entries, s.key), true)
	s.entries++
	return string(quoted[1 : len(quoted)-1])
}

// envelope returns the tree fields of a new entry and makes it the leaf.
func (s *script) envelope() (id, fields string) {
	id = s.nextID()
	parent := "null"
	if s.leaf != "" {
		parent = js(s.leaf)
	}
	s.leaf = id
	return id, fmt.Sprintf(`"id":%s,"parentId":%s,"timestamp":%s`, js(id), parent, appendTime(nil, s.now))
}

// entry writes an entry whose envelope follows its type; fields are the rest.
func (s *script) entry(entryType, format string, args ...any) string {
	id, envelope := s.envelope()
	s.raw(fmt.Sprintf(`{"type":"%s",%s,`, entryType, envelope) + fmt.Sprintf(format, args...) + "}")
	return id
}

// customEntry writes an entry whose envelope comes last, as pi's extension
// entries have it.
func (s *script) customEntry(entryType, format string, args ...any) string {
	s.pass(2)
	id, envelope := s.envelope()
	s.raw(fmt.Sprintf(`{"type":"%s",`, entryType) + fmt.Sprintf(format, args...) + "," + envelope + "}")
	return id
}

// use switches to a model and writes that.
func (s *script) use(m model) string {
	s.model = m
	s.pass(3)
	return s.entry("model_change", `"provider":%s,"modelId":%s`, js(m.provider), js(m.id))
}

func (s *script) thinking(level string) string {
	s.pass(1)
	return s.entry("thinking_level_change", `"thinkingLevel":%s`, js(level))
}

func (s *script) name(name string) string {
	s.pass(20)
	return s.entry("session_info", `"name":%s`, js(name))
}

func (s *script) label(target, label string) string {
	s.pass(30)
	return s.entry("label", `"targetId":%s,"label":%s`, js(target), js(label))
}

// A block is one content block as JSON.
type block string

func said(text string) block { return block(`{"type":"text","text":` + js(text) + `}`) }

func picture(base64 string) block {
	return block(`{"type":"image","data":` + js(base64) + `,"mimeType":"image/png"}`)
}

func thought(text string) block {
	g := generator{r: &random{state: uint64(len(text))}, out: &output{}}
	g.digits(base64Digits, len(text)/2/4*4)
	return block(`{"type":"thinking","thinking":` + js(text) + `,"thinkingSignature":` + js(string(g.out.buf)) + `}`)
}

func joined(blocks []block) string {
	var b bytes.Buffer
	for i, block := range blocks {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(block))
	}
	return b.String()
}

// user writes what the user types, with pictures after it.
func (s *script) user(text string, pictures ...block) string {
	s.pass(150)
	blocks := joined(append([]block{said(text)}, pictures...))
	s.tokens += len(text)/4 + 1200*len(pictures)
	return s.entry("message", `"message":{"role":"user","content":[%s],"timestamp":%d}`, blocks, s.now-9)
}

// answer ends a turn.
func (s *script) answer(blocks ...block) string { return s.assistant("stop", "", blocks) }

// calling writes an assistant message with tool calls among its blocks. Results
// must follow, in order.
func (s *script) calling(blocks ...block) string { return s.assistant("toolUse", "", blocks) }

// broken writes an assistant message that ended in an error or was aborted.
func (s *script) broken(reason, message string, blocks ...block) string {
	return s.assistant(reason, message, blocks)
}

func (s *script) assistant(stopReason, message string, blocks []block) string {
	s.pass(14)
	content := joined(blocks)
	g := generator{r: s.r, out: &output{}, model: s.model}
	g.usage(s.r.between(3, 12), len(content)/4+6, s.tokens, s.r.between(60, 900))
	last := ""
	if message != "" {
		last = `,"errorMessage":` + js(message)
	}
	s.tokens += len(content) / 4
	return s.entry("message",
		`"message":{"role":"assistant","content":[%s],"api":%s,"provider":%s,"model":%s,"usage":%s,"stopReason":%s,"timestamp":%d%s}`,
		content, js(s.model.api), js(s.model.provider), js(s.model.id), g.out.buf, js(stopReason), s.now-2100, last)
}
