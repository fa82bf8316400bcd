package claude

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

// A record is one line of a transcript, without its body.
type record struct {
	offset  int64
	size    int
	body    jsonl.Span // position of the message in the line
	result  jsonl.Span // position of the program's data about a tool result
	kind    string
	subtype string // of a system line
	uuid    string // "" for a line outside the tree
	time    time.Time

	parent  int    // index of the record above; -1 for a root
	message string // ID of the response that an assistant line belongs to
	leader  int    // index of the first line of that response, or of the record itself

	parentUUID string
	sidechain  bool
	results    bool // a user line with tool results
	meta       bool // text that the program wrote, not the user
	hidden     bool // shown in the transcript only, never sent to the model
	failed     bool // an API error
	aborted    bool // the user stopped the response
	summary    bool // the summary of a compaction
	from       bool // the summary follows the kept messages
	boundary   *boundary
}

// A boundary is the record of a compaction.
type boundary struct {
	logicalParent string
	head, tail    string // of the kept messages; "" for none
	kept          map[string]bool
	from          bool // the summary follows the kept messages
	summary       int  // index of the record with the text; -1 if there is none
	tokensBefore  int64
	metadata      []byte
}

var lineKeys = jsonl.NewKeys("type", "uuid", "parentUuid", "timestamp", "isSidechain", "message", "isMeta",
	"isCompactSummary", "isVisibleInTranscriptOnly", "subtype", "logicalParentUuid", "compactMetadata", "origin", "summarizeMetadata", "cwd", "version",
	"toolUseResult", "isApiErrorMessage", "isAbortedMidStream")

const (
	atType = iota
	atUUID
	atParent
	atTime
	atSidechain
	atMessage
	atMeta
	atSummary
	atHidden
	atSubtype
	atLogicalParent
	atCompact
	atOrigin
	atSummarize
	atCwd
	atVersion
	atResult
	atError
	atAborted
	lineKeyCount
)

// requestPrefix starts the lines that repeat requests to the model: up to half
// of a file. They are the program's own log and contain nothing new.
var requestPrefix = []byte(`{"type":"api-request`)

// kinds are the kinds of lines that Claude Code up to 2.1.328 writes, and those
// of [sources].
var kinds = setOf("user", "assistant", "system", "attachment", "progress", "summary", "custom-title", "ai-title", "tag", "relocated",
	"agent-name", "agent-color", "agent-setting", "mode", "permission-mode", "repl-mode", "memory-mode", "last-prompt", "cost-state", "tools-used",
	"atis-latch", "isolation-latch", "queue-operation", "file-history-snapshot", "file-history-delta", "attribution-snapshot", "content-replacement",
	"artifact-comment-monitor", "artifact-autoreact-ledger", "bridge-session", "continued-in", "data-flow-incomplete", "data-flow-records",
	"derived-from", "dev-mods", "ended-by-model", "fork-context-ref", "frame-link", "history-suppression", "pr-link", "resume-head-vouch",
	"session-owner", "worktree-state", sources.LongKind)

func setOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// scanLine reads the envelope of a line; ok is false for a line that is skipped.
func scanLine(line []byte, offset int64, spans *[lineKeyCount]jsonl.Span) (r record, ok bool) {
	if bytes.HasPrefix(line, requestPrefix) {
		return r, false
	}
	if shape, _ := lineKeys.Scan(line, spans[:]); shape != jsonl.Object {
		return r, false
	}
	text := func(i int) string { s, _ := jsonl.String(spans[i].Of(line)); return s }
	flag := func(i int) bool { b, _ := jsonl.Bool(spans[i].Of(line)); return b }
	r = record{
		offset: offset, size: len(line), kind: text(atType), uuid: text(atUUID), parent: -1, parentUUID: text(atParent),
		sidechain: flag(atSidechain), meta: flag(atMeta), hidden: flag(atHidden), summary: flag(atSummary),
		failed: flag(atError), aborted: flag(atAborted), result: spans[atResult],
	}
	r.from = sources.Object(spans[atSummarize].Of(line)).Text("direction") == "from"
	r.time, _ = format.ParseTime(text(atTime))
	message := spans[atMessage].Of(line)
	if jsonl.KindOf(message) == '{' {
		r.body = spans[atMessage]
	}
	switch {
	case r.kind == "assistant" && jsonl.KindOf(message) == '{':
		r.message = jsonl.LookupString(message, "id")
	case r.kind == "user" && jsonl.KindOf(message) == '{':
		r.results = bytes.Contains(message, resultMark) && hasResult(message)
		r.meta = r.meta || jsonl.LookupString(spans[atOrigin].Of(line), "kind") == "task-notification"
	case r.kind == "system":
		if r.subtype = text(atSubtype); r.subtype != "compact_boundary" {
			break
		}
		r.boundary = readBoundary(text(atLogicalParent), spans[atCompact].Of(line))
		r.boundary.from = r.boundary.from || r.from
	}
	return r, true
}

var resultMark = []byte(`"tool_result"`)

func hasResult(message []byte) bool {
	content, _ := jsonl.Lookup(message, "content")
	for b := range jsonl.Elements(content) {
		if jsonl.LookupString(b, "type") == "tool_result" {
			return true
		}
	}
	return false
}

func readBoundary(logicalParent string, compact sources.Object) *boundary {
	b := &boundary{logicalParent: logicalParent, summary: -1, kept: map[string]bool{}}
	if jsonl.KindOf(compact) != '{' {
		return b
	}
	b.metadata, b.tokensBefore = bytes.Clone(compact), compact.Int("preTokens")
	if s := compact.RawObject("summarizeMetadata"); s != nil {
		b.from = jsonl.LookupString(s, "direction") == "from"
	}
	for _, e := range compact.Object("preservedMessages").List("uuids") {
		id, _ := jsonl.String(e)
		b.head = cmp.Or(b.head, id)
		b.tail, b.kept[id] = id, true
	}
	if segment := sources.Object(compact.RawObject("preservedSegment")); segment != nil && b.head == "" {
		b.head, b.tail = segment.Text("headUuid"), segment.Text("tailUuid")
		b.kept[b.head], b.kept[b.tail] = true, true
	}
	return b
}

// isCommand reports whether the program generated a user message for a command
// that the user typed.
func isCommand(blocks []format.Block) bool {
	var text string
	switch b := blocks[0].(type) {
	case *format.TextBlock:
		text = b.Text
	case *format.UnknownBlock: // see textBlock
		text = strings.TrimPrefix(string(b.Raw[:min(len(b.Raw), 64)]), textStart+`"`)
	}
	return slices.ContainsFunc([]string{"<command-name>", "<command-message>", "<local-command-", "<bash-input>", "<bash-stdout>"},
		func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}
