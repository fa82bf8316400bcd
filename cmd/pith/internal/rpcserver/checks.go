package rpcserver

import (
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A check rejects a value that does not have the type of its parameter.
type check func(p *params, name string, raw []byte)

// checks are the types of parameters by the names in signatures.
var checks = map[string]check{
	"":     ofKind('"', "a string"),
	"name": nonEmpty,
	// An entry is its ID, or null for the place before the first one.
	"entry":      orNull(nonEmpty),
	"textOrNull": orNull(ofKind('"', "a string")),
	"flag":       readableBy(jsonl.Bool, "true or false"),
	"whole":      readableBy(jsonl.Int, "a whole number"),
	"count":      isCount,
	"object":     ofKind('{', "an object"),
	"any":        func(*params, string, []byte) {},
	"content":    readableBy(func(raw []byte) (bool, bool) { return true, format.IsContent(raw) }, "a string or a list of blocks"),
	"replacement": orNull(func(p *params, name string, raw []byte) {
		if content, ok := jsonl.Lookup(raw, "content"); jsonl.KindOf(raw) != '{' || !ok || !format.IsContent(content) {
			p.reject(name, "must be null or an object with content, a string or a list of blocks")
		}
	}),
	"images": func(p *params, name string, raw []byte) {
		listOf("image blocks")(p, name, raw)
		for _, b := range format.DecodeContent(raw).Blocks {
			if _, ok := b.(*format.ImageBlock); !ok {
				p.reject(name, "must contain blocks of type image with data and mimeType")
			}
		}
	},
	"hooks": func(p *params, name string, raw []byte) {
		listOf("names")(p, name, raw)
		for element := range jsonl.Elements(raw) {
			if hook, _ := jsonl.String(element); !hookNames[hook] {
				p.reject(name, "has an unknown hook: "+string(element))
			}
		}
	},
	"tags": func(p *params, name string, raw []byte) {
		listOf("tags")(p, name, raw)
		for element := range jsonl.Elements(raw) {
			if tag, ok := jsonl.String(element); !ok || marks.CheckTag(tag) != nil {
				p.reject(name, "has an invalid tag: "+string(element))
			}
		}
	},
	"sessionID": func(p *params, name string, raw []byte) {
		ofKind('"', "a string")(p, name, raw)
		if id, ok := jsonl.String(raw); ok && id == "" && p.bad == nil {
			p.bad = pith.ErrSessionID // as in pi, a given ID must not be empty
		}
	},
}

// checkOf returns the check of a type in a signature.
func checkOf(kind string) check {
	if c, ok := checks[kind]; ok {
		return c
	}
	if what, ok := strings.CutPrefix(kind, "list of "); ok {
		return listOf(what)
	}
	return oneOf(strings.Split(kind, "/"))
}

func ofKind(kind byte, what string) check {
	return func(p *params, name string, raw []byte) {
		if jsonl.KindOf(raw) != kind {
			p.mustBe(name, what, raw)
		}
	}
}

func listOf(what string) check { return ofKind('[', "a list of "+what) }

func readableBy[T any](read func([]byte) (T, bool), what string) check {
	return func(p *params, name string, raw []byte) {
		if _, ok := read(raw); !ok {
			p.mustBe(name, what, raw)
		}
	}
}

func orNull(c check) check {
	return func(p *params, name string, raw []byte) {
		if !jsonl.IsNull(raw) {
			c(p, name, raw)
		}
	}
}

// oneOf accepts some words, and an empty string for the default.
func oneOf(words []string) check {
	return func(p *params, name string, raw []byte) {
		ofKind('"', "a string")(p, name, raw)
		if s, _ := jsonl.String(raw); s != "" && !slices.Contains(words, s) {
			last := len(words) - 1
			p.reject(name, "must be "+strings.Join(words[:last], ", ")+" or "+words[last])
		}
	}
}

func nonEmpty(p *params, name string, raw []byte) {
	ofKind('"', "a string")(p, name, raw)
	if s, _ := jsonl.String(raw); s == "" {
		p.reject(name, "must not be empty")
	}
}

func isCount(p *params, name string, raw []byte) {
	n, ok := jsonl.Int(raw)
	if !ok {
		p.mustBe(name, "a whole number", raw)
	}
	if n < 0 {
		p.reject(name, "must not be negative")
	}
}
