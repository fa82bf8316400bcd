package jsonl_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// reference is the grammar of RFC 8259 written down as plainly as possible, one
// byte at a time. It is what the fast code must agree with, offsets included.
type reference struct {
	b       []byte
	i       int
	fault   int // -1 while there is none
	depth   int
	members []refMember // of the outermost object
}

// refMember is a member of the outermost object: name decoded, value raw.
type refMember struct {
	name       string
	start, end int
}

// judge returns the verdict of the reference on b.
func judge(b []byte) (jsonl.Shape, int, []refMember) {
	r := &reference{b: b, fault: -1}
	r.space()
	isObject := r.at() == '{'
	r.value()
	r.space()
	if r.fault < 0 && r.i < len(b) {
		r.fail()
	}
	switch {
	case r.fault >= 0:
		return jsonl.Invalid, r.fault, nil
	case isObject:
		return jsonl.Object, -1, r.members
	}
	return jsonl.Other, -1, nil
}

// at returns the next byte, or -1 at the end and after a fault.
func (r *reference) at() int {
	if r.fault >= 0 || r.i >= len(r.b) {
		return -1
	}
	return int(r.b[r.i])
}

func (r *reference) fail() {
	if r.fault < 0 {
		r.fault = r.i
	}
}

// one moves over a byte of the set, or fails.
func (r *reference) one(set string) {
	if c := r.at(); c >= 0 && strings.IndexByte(set, byte(c)) >= 0 {
		r.i++
		return
	}
	r.fail()
}

// many moves over bytes of the set, if there are any.
func (r *reference) many(set string) {
	for c := r.at(); c >= 0 && strings.IndexByte(set, byte(c)) >= 0; c = r.at() {
		r.i++
	}
}

func (r *reference) space() { r.many(" \t\r\n") }

const digits = "0123456789"

func (r *reference) value() {
	r.depth++
	defer func() { r.depth-- }()
	switch c := r.at(); c {
	case '{':
		r.list('}', r.member)
	case '[':
		r.list(']', r.value)
	case '"':
		r.str()
	case 't':
		r.word("true")
	case 'f':
		r.word("false")
	case 'n':
		r.word("null")
	default:
		r.number()
	}
}

func (r *reference) list(end byte, item func()) {
	r.i++
	r.space()
	if r.at() == int(end) {
		r.i++
		return
	}
	for r.fault < 0 {
		r.space()
		item()
		r.space()
		if r.at() == int(end) {
			r.i++
			return
		}
		r.one(",")
	}
}

func (r *reference) member() {
	if r.at() != '"' {
		r.fail()
		return
	}
	nameStart := r.i
	r.str()
	nameEnd := r.i
	r.space()
	r.one(":")
	r.space()
	start := r.i
	r.value()
	if r.depth == 1 && r.fault < 0 {
		name := refDecode(r.b[nameStart+1 : nameEnd-1])
		r.members = append(r.members, refMember{name, start, r.i})
	}
}

func (r *reference) word(w string) {
	for i := range w {
		r.one(w[i : i+1])
	}
}

func (r *reference) number() {
	if r.at() == '-' {
		r.i++
	}
	if r.at() == '0' {
		r.i++
	} else {
		r.one(digits)
		r.many(digits)
	}
	if r.at() == '.' {
		r.i++
		r.one(digits)
		r.many(digits)
	}
	if c := r.at(); c == 'e' || c == 'E' {
		r.i++
		if c := r.at(); c == '+' || c == '-' {
			r.i++
		}
		r.one(digits)
		r.many(digits)
	}
}

func (r *reference) str() {
	r.i++
	for {
		switch c := r.at(); {
		case c < ' ':
			r.fail()
			return
		case c == '"':
			r.i++
			return
		case c == '\\':
			r.i++
			if r.at() != 'u' {
				r.one(`"\/bfnrt`)
				continue
			}
			r.i++
			for range 4 {
				r.one(digits + "abcdefABCDEF")
			}
		default:
			r.i++
		}
	}
}

// refDecode decodes the inside of a valid string literal to code units, as
// JavaScript holds them, and those to WTF-8.
func refDecode(inner []byte) string {
	short := map[byte]uint16{'"': '"', '\\': '\\', '/': '/', 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9}
	var units []uint16
	for len(inner) > 0 {
		if inner[0] != '\\' {
			plain := inner
			if i := bytes.IndexByte(inner, '\\'); i >= 0 {
				plain = inner[:i]
			}
			units = append(units, utf16.Encode([]rune(refUTF8(plain)))...)
			inner = inner[len(plain):]
			continue
		}
		if unit, ok := short[inner[1]]; ok {
			units = append(units, unit)
			inner = inner[2:]
			continue
		}
		var unit uint16
		for _, c := range bytes.ToLower(inner[2:6]) {
			unit = unit<<4 | uint16(strings.IndexByte("0123456789abcdef", c))
		}
		units = append(units, unit)
		inner = inner[6:]
	}
	return wtf8(units)
}

func wtf8(units []uint16) string {
	var out []byte
	for i := 0; i < len(units); i++ {
		u := units[i]
		if utf16.IsSurrogate(rune(u)) && i+1 < len(units) {
			if r := utf16.DecodeRune(rune(u), rune(units[i+1])); r != 0xFFFD {
				out = append(out, string(r)...)
				i++
				continue
			}
		}
		if utf16.IsSurrogate(rune(u)) {
			out = append(out, 0xED, 0x80|byte(u>>6)&0x3F, 0x80|byte(u)&0x3F)
			continue
		}
		out = append(out, string(rune(u))...)
	}
	return string(out)
}

// seedLines are lines of real sessions, and some that real sessions lack.
func seedLines(t testing.TB) [][]byte {
	t.Helper()
	data, err := os.ReadFile("testdata/lines.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	if len(lines) < 20 {
		t.Fatalf("testdata/lines.jsonl has %d lines: without seeds this tests nothing", len(lines))
	}
	for _, line := range []string{
		`{"type":"message","text":"\u001b[31mred\u001b[0m \ud83d\ude00 \ud83d \udE00 \\\\\" \/"}`,
		`{"\u0074ype":"a","type":"b","t\u0079pe":"c","id":1,"id":-2.5e+10}`,
		"{ \"type\" :\t\"x\" ,\r\n \"id\" : [ ] , \"message\" : { } }\r",
		`{"":"","a":[[],{},[{}],null,true,false,0,-0,1.5,1e3,1E-3]}`,
		"{\"type\":\"\xff\xfe bad \xed\xa0\x80 bytes \xe2\x82\"}",
		"{\"type\":\"line\u2028separator\u2029 and \u007f\"}",
		`[]`, `"text"`, `12`, `null`, ` true `, `{}`,
	} {
		lines = append(lines, []byte(line))
	}
	return lines
}
