package format

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// This file reads members of valid JSON objects. Every as function returns the
// zero value for a value of another type: odd shapes are read, not refused.

// nameOf returns the name in a raw key without its quotes. Only a name with an
// escape is copied.
func nameOf(key []byte) []byte {
	if len(key) < 2 {
		return nil
	}
	inner := key[1 : len(key)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	name, _ := jsonl.String(key)
	return []byte(name)
}

func asString(raw []byte) string {
	s, _ := jsonl.String(raw)
	return s
}

// known maps raw JSON strings that nearly every line repeats to their values,
// so that reading them does not allocate.
var known = func() map[string]string {
	words := []string{
		blockText, blockThinking, blockImage, blockToolCall,
		"stop", "toolUse", "length", "error", "aborted",
	}
	for _, t := range []Type{
		TypeSession, TypeMessage, TypeModelChange, TypeThinkingLevelChange, TypeCompaction, TypeBranchSummary,
		TypeCustom, TypeCustomMessage, TypeLabel, TypeSessionInfo, TypeUsage, TypeContextEdit,
	} {
		words = append(words, string(t))
	}
	for _, r := range []Role{RoleSystem, RoleUser, RoleAssistant, RoleToolResult, RoleBashExecution, RoleCustom} {
		words = append(words, string(r))
	}
	raw := make(map[string]string, len(words))
	for _, w := range words {
		raw[`"`+w+`"`] = w
	}
	return raw
}()

// asWord is like asString, without allocating for common values.
func asWord(raw []byte) string {
	if w, ok := known[string(raw)]; ok {
		return w
	}
	return asString(raw)
}

// asInt accepts fractions, because JavaScript has one number type; it truncates
// them.
func asInt(raw []byte) int64 {
	if n, ok := jsonl.Int(raw); ok {
		return n
	}
	f, ok := jsonl.Float(raw)
	if !ok || math.IsNaN(f) || f >= 1<<63 || f < -1<<63 {
		return 0
	}
	return int64(f)
}

func asFloat(raw []byte) float64 {
	f, ok := jsonl.Float(raw)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

func asBool(raw []byte) bool {
	b, _ := jsonl.Bool(raw)
	return b
}

// asRaw returns a value of any type. null reads as absent.
func asRaw(raw []byte) json.RawMessage {
	if len(raw) == 0 || jsonl.IsNull(raw) {
		return nil
	}
	return clip(raw)
}

// clip limits the capacity, so that an append to the result does not write into
// the line.
func clip(raw []byte) json.RawMessage { return raw[:len(raw):len(raw)] }

// A member is one name and raw value of an object.
type member struct{ name, raw []byte }

// appendMembers collects the members of obj, so that they can be looked up
// repeatedly after one scan of the bytes.
func appendMembers(dst []member, obj []byte) []member {
	for key, raw := range jsonl.Members(obj) {
		dst = append(dst, member{nameOf(key), raw})
	}
	return dst
}
