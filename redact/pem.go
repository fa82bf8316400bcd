package redact

import "bytes"

const (
	pemWord = "-----begin"
	pemRule = "private-key"
	maxPEM  = 64 << 10
	minPEM  = 32
)

var (
	inPEM      = charset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=")
	betweenPEM = charset(" \t\r\n\"',+\\[]()")
)

// privateKey calls found for the secret parts of a PEM block that starts at at:
// everything between its first and last line, in one piece or, if it is a list
// of strings, string by string.
func privateKey(text []byte, at int, found func(span)) {
	head := text[at+len(pemWord) : min(len(text), at+len(pemWord)+120)]
	close := bytes.Index(head, []byte("-----"))
	if close < 0 {
		return
	}
	if title := bytes.ToUpper(head[:close]); !bytes.Contains(title, []byte("PRIVATE KEY")) && !bytes.Contains(title, []byte("STATIC KEY")) {
		return
	}
	start := at + len(pemWord) + close + 5
	body := text[start:min(len(text), start+maxPEM)]
	if end := bytes.Index(body, []byte("-----")); end >= 0 && bytes.IndexByte(body[:end], '"') < 0 {
		whole := span{start, start + end}
		for whole.start < whole.end && (text[whole.start] <= ' ' || text[whole.start] == '\\') {
			whole.start++
		}
		for whole.start < whole.end && text[whole.end-1] <= ' ' {
			whole.end--
		}
		if whole.end-whole.start >= minPEM {
			found(whole)
		}
		return
	}
	for i := start; i < start+len(body); {
		i = skip(text, i, len(body), betweenPEM)
		end := skip(text, i, len(body), inPEM)
		if end-i < minPEM/2 {
			if end == i {
				return
			}
		} else {
			found(span{i, end})
		}
		i = end
	}
}
