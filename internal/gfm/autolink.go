package gfm

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Autolinks is the extension for web and mail addresses without brackets.
var Autolinks goldmark.Extender = autolinks{}

type autolinks struct{}

func (a autolinks) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(a, 999)))
}

// Trigger returns the bytes that may precede an address. A space stands for any
// white space and for the start of a line.
func (autolinks) Trigger() []byte { return []byte{' ', '*', '_', '~', '('} }

func (autolinks) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if pc.IsInLinkLabel() {
		return nil
	}
	line, segment := block.PeekLine()
	before := 0
	if strings.IndexByte(" *_~(", line[0]) >= 0 {
		before = 1
	}
	line = line[before:]
	kind := ast.AutoLinkType(ast.AutoLinkURL)
	end, protocol := webAddress(line)
	if end < 0 {
		kind = ast.AutoLinkEmail
		if end = mailAddress(line); end < 0 {
			return nil
		}
	}
	end = withoutPunctuation(line[:end])
	if before > 0 {
		ast.MergeOrAppendTextSegment(parent, segment.WithStop(segment.Start+before))
	}
	start := segment.Start + before
	block.Advance(before + end)
	link := ast.NewAutoLink(kind, ast.NewTextSegment(text.NewSegment(start, start+end)))
	link.Protocol = protocol
	return link
}

// webAddress returns the end of the web address that b begins with, or -1, and
// the protocol to assume if the address has none.
func webAddress(b []byte) (end int, protocol []byte) {
	for _, scheme := range []string{"https://", "http://", "ftp://"} {
		if !bytes.HasPrefix(b, []byte(scheme)) {
			continue
		}
		if end = hostEnd(b, len(scheme)); end < 0 {
			return -1, nil
		}
		return pathEnd(b, portEnd(b, end), "-@:%_+.~#$!?&/=();,'\">^{}[]`"), nil
	}
	if !bytes.HasPrefix(b, []byte("www.")) {
		return -1, nil
	}
	if end = hostEnd(b, len("www.")); end < 0 {
		return -1, nil
	}
	return pathEnd(b, end, "-@:%_+.~#!?&/=();,'\">^{}[]`"), []byte("http")
}

// longestHost is the maximum length of a host name before its last dot.
const longestHost = 256

// hostEnd returns the end of the host name at start, or -1. The name ends with
// a dot and lower-case letters; the last such dot counts.
func hostEnd(b []byte, start int) int {
	dot := -1
	for i := start; i < len(b) && i <= start+longestHost; i++ {
		if b[i] == '.' && i > start && i+1 < len(b) && isLower(b[i+1]) {
			dot = i
		}
		if !isAlphanumericOr(b[i], "-@:%._+~#=") {
			break
		}
	}
	if dot < 0 {
		return -1
	}
	end := dot + 1
	for end < len(b) && isLower(b[end]) {
		end++
	}
	return end
}

// portEnd returns the end of the port number at i, or i.
func portEnd(b []byte, i int) int {
	if i >= len(b) || b[i] != ':' {
		return i
	}
	end := i + 1
	for end < len(b) && '0' <= b[end] && b[end] <= '9' {
		end++
	}
	if end == i+1 {
		return i
	}
	return end
}

// pathEnd returns the end of the path, query or fragment at i, or i.
func pathEnd(b []byte, i int, marks string) int {
	if i >= len(b) || strings.IndexByte("/#?", b[i]) < 0 {
		return i
	}
	for i < len(b) && isAlphanumericOr(b[i], marks) {
		i++
	}
	return i
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func isAlphanumericOr(c byte, marks string) bool {
	return util.IsAlphaNumeric(c) || strings.IndexByte(marks, c) >= 0
}

// mailAddress returns the end of the mail address that b begins with, or -1.
func mailAddress(b []byte) int {
	if len(b) > 0 && util.IsPunct(b[0]) {
		return -1
	}
	end := util.FindEmailIndex(b)
	if end < 0 {
		return -1
	}
	at := bytes.IndexByte(b, '@')
	if bytes.IndexByte(b[at:end-1], '.') < 0 {
		return -1
	}
	if b[end-1] == '.' {
		end--
	}
	if end < len(b) && (b[end] == '-' || b[end] == '_') {
		return -1
	}
	return end
}

// withoutPunctuation returns the length of an address without the punctuation
// of the sentence around it: closing marks, a parenthesis that the address does
// not open, and a character reference.
func withoutPunctuation(address []byte) int {
	unopened := bytes.Count(address, []byte{')'}) - bytes.Count(address, []byte{'('})
	end := len(address)
	for end > 1 {
		switch address[end-1] {
		case '?', '!', '.', ',', ':', '*', '_', '~':
			end--
		case ')':
			if unopened <= 0 {
				return end
			}
			unopened--
			end--
		case ';':
			name := end - 2
			for name > 0 && util.IsAlphaNumeric(address[name]) {
				name--
			}
			if name == end-2 || address[name] != '&' {
				return end
			}
			end = name
		default:
			return end
		}
	}
	return end
}
