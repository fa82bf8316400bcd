package cli

import (
	"github.com/pith-sessions/pith/catalog/search"
)

// searchResult is what was found in JSON, as docs/cli.md describes it.
type searchResult struct {
	Hits      []hitRecord `json:"hits"`
	More      bool        `json:"more"`
	Sessions  int         `json:"sessions"`
	Scanned   int64       `json:"scanned"`
	Unindexed int64       `json:"unindexed"`
}

type hitRecord struct {
	Session     jsText        `json:"session"`
	Path        jsText        `json:"path"`
	SessionName *jsText       `json:"sessionName"`
	Cwd         jsText        `json:"cwd"`
	Entry       *jsText       `json:"entry"`
	Type        jsText        `json:"type"`
	Role        *jsText       `json:"role"`
	Kind        search.Kind   `json:"kind"`
	Tool        *jsText       `json:"tool"`
	Time        *string       `json:"time"`
	Score       float64       `json:"score"`
	Snippet     jsText        `json:"snippet"`
	Parts       []snippetPart `json:"parts"`
}

// A snippetPart is a piece of a snippet that is all found, or not at all.
type snippetPart struct {
	Text  jsText `json:"text"`
	Match bool   `json:"match"`
}

func searchRecord(r search.Results) searchResult {
	out := searchResult{Hits: make([]hitRecord, len(r.Hits)), More: r.More, Sessions: r.Sessions, Scanned: r.Scanned, Unindexed: r.Unindexed}
	for i := range r.Hits {
		h := &r.Hits[i]
		out.Hits[i] = hitRecord{
			Session: jsText(h.Session.ID), Path: jsText(h.Session.Path), SessionName: jsTextOrNull(h.Session.Name), Cwd: jsText(h.Session.Cwd),
			Entry: jsTextOrNull(h.EntryID), Type: jsText(h.Type), Role: jsTextOrNull(h.Role), Kind: h.Kind, Tool: jsTextOrNull(h.Tool),
			Time: timeOrNull(h.Time), Score: h.Score, Snippet: jsText(h.Snippet.Text), Parts: partsOf(&h.Snippet),
		}
	}
	return out
}

// partsOf cuts a snippet at its marks.
func partsOf(s *search.Snippet) []snippetPart {
	out := []snippetPart{}
	at := 0
	add := func(end int, match bool) {
		if end > at {
			out = append(out, snippetPart{jsText(s.Text[at:end]), match})
			at = end
		}
	}
	for _, m := range s.Marks {
		add(m.Start, false)
		add(m.End, true)
	}
	add(len(s.Text), false)
	return out
}
