// Package page makes HTML of sessions: an entry as a section of a page, and the
// style sheet and the script that a page needs. An exported file and a server that
// shows sessions use the same ones.
//
// Everything that comes from a session is untrusted. It is escaped here, in one
// place, and so is what a page must never do: markup has no handlers, no styles,
// no addresses that are fetched. Links lead to http, https and mail only; pictures
// are shown from the bytes that the session holds, when they are what they claim.
//
// # Invariants
//
//	P1  An entry is one section element, or nothing when it is left out.
//	P2  No text of a session becomes markup, an attribute's name or an address
//	    that a browser opens by itself.
//	P3  Control characters and marks that change the direction of text are shown,
//	    not obeyed.
//
// The package may still change.
//
// Stability: outside the core. Its exported names may still change.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"
	"sync"
)

// Style is the style sheet of a page.
//
//go:embed page.css
var Style string

//go:embed page.js
var script string

// Script is the script of a page, without its comments and indents: every page that
// leaves holds it.
var Script = sync.OnceValue(func() string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		if line = strings.TrimLeft(line, " "); !strings.HasPrefix(line, "//") {
			b.WriteString(line)
		}
	}
	return b.String()
})

// Policy is the content security policy of a page that holds Style and Script
// and loads nothing.
func Policy() string {
	return "default-src 'none'; img-src data:; style-src '" + hash(Style) + "'; script-src '" + hash(Script()) + "'; base-uri 'none'; form-action 'none'"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
