// Package page renders sessions as HTML: turns as sections of a page, and the
// style sheet and the script that a page needs. Exported files and the web server
// use the same ones.
//
// Everything that comes from a session is untrusted, and is escaped here, in
// one place. The markup has no event handlers, no inline styles and no
// addresses that a browser loads. Links lead only to http, https and mail;
// images are shown from the bytes in the session, if they are what they claim.
//
// # Invariants
//
//	P1  A turn, or the part of it on a branch, is one section element, or nothing
//	    if it is left out.
//	P2  No text of a session becomes markup, the name of an attribute or an
//	    address that a browser opens by itself.
//	P3  Control characters and marks that change the direction of text are shown,
//	    not obeyed.
//
// Stability: outside the core. Its exported names may still change.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

//go:embed page.css
var style string

// Style returns the style sheet of all pages, without comments and indentation.
var Style = sync.OnceValue(func() string {
	return regexp.MustCompile(`(?s)/\*.*?\*/|\n *`).ReplaceAllString(style, "")
})

//go:embed common.js
var common string

//go:embed page.js
var script string

// Common returns the script that all pages share. It runs before any other.
var Common = sync.OnceValue(func() string { return compact(common) })

// Script returns the script of a session's page.
var Script = sync.OnceValue(func() string { return compact(script) })

// Scripts returns Common and Script as one text, for a page that loads nothing.
func Scripts() string { return Common() + Script() }

// compact returns a script without its comments and indentation, because every
// exported page contains it.
func compact(script string) string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimLeft(line, " ")
		if i := strings.LastIndex(line, " // "); i >= 0 && !strings.ContainsAny(line[i+4:], "\"'`/") {
			line = line[:i] + "\n"
		}
		if !strings.HasPrefix(line, "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Policy returns the content security policy of a page that contains Style and
// Scripts and loads nothing.
func Policy() string {
	return "default-src 'none'; img-src data:; style-src '" + hash(Style()) + "'; script-src '" + hash(Scripts()) + "'; base-uri 'none'; form-action 'none'"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
