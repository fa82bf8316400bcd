package redact

import "bytes"

const (
	pemWord = "-----begin"
	pemRule = "private-key"
	maxPEM  = 64 << 10
)

var inPEM = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/= \t\r\n:,-_.()\\")

// privateKey is the part of a PEM block, which begins at at, that makes it a
// secret: all between its first and its last line. A block without an end ends
// where its characters do. It never reaches over a quote, so that a list of lines
// stays a list.
func privateKey(text []byte, at int) (secret span, ok bool) {
	head := text[at+len(pemWord) : min(len(text), at+len(pemWord)+120)]
	close := bytes.Index(head, []byte("-----"))
	if close < 0 || !bytes.Contains(bytes.ToUpper(head[:close]), []byte("PRIVATE KEY")) {
		return span{}, false
	}
	start := at + len(pemWord) + close + 5
	end := skip(text, start, maxPEM, inPEM)
	if last := bytes.Index(text[start:end], []byte("-----")); last >= 0 {
		end = start + last
	}
	for start < end && (text[start] <= ' ' || text[start] == '\\' || text[start] == ',') {
		start++
	}
	// In source code and in JSON a line break is two characters.
	if start > 0 && start < end && text[start-1] == '\\' && (text[start] == 'n' || text[start] == 'r') {
		start++
	}
	for end > start && text[end-1] <= ' ' {
		end--
	}
	return span{start, end}, end-start >= 32
}
