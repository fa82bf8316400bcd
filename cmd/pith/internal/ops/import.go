package ops

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/importer"
	"github.com/pith-sessions/pith/sessiondir"
)

// Agents returns the agents whose sessions can be imported, as lists name them.
func Agents() (names []string) {
	for _, p := range all.Programs() {
		names = append(names, p.Name())
	}
	return names
}

// Receivers returns the agents in which sessions can be continued: see [HandOver] and, for
// pi, [ForPi].
func Receivers() []string {
	names := []string{catalog.RootPi}
	for _, p := range all.Programs() {
		if _, ok := p.(sources.Receiver); ok {
			names = append(names, p.Name())
		}
	}
	return names
}

// ImportParams say which sessions of other agents are imported, with their subagents.
type ImportParams struct {
	// Sessions are some; without them all are meant of the agent Source, or of every
	// agent, that ran in a directory for which In is true.
	Sessions []catalog.Ref
	Source   string
	In       func(cwd string) bool
}

// An Imported session of another agent. Added is the number of new entries.
type Imported struct {
	ID      string `json:"id"`
	Path    string `json:"path"`
	Source  string `json:"source"`
	Created bool   `json:"created"`
	Added   int    `json:"added"`
	Title   string
}

// Import writes sessions of other agents as sessions of pi, or adds what is new to those
// that were imported before. n is the number of sessions, which each imports one by one.
func Import(ctx context.Context, a *App, p ImportParams) (n int, each iter.Seq2[Imported, error], err error) {
	infos, err := Infos(ctx, a, "", true)
	if err != nil {
		return 0, nil, err
	}
	chosen, err := p.choose(ctx, a, infos)
	if err != nil {
		return 0, nil, err
	}
	o := importer.Options{DirFor: a.DirFor, Find: importer.Among(infos)}
	return len(chosen), func(yield func(Imported, error) bool) {
		for i := range chosen {
			s := &chosen[i]
			r, err := importer.Import(ctx, s.Path, o)
			if errors.Is(err, importer.ErrNotForeign) {
				err = &ParamError{s.ID, "is already a pi session"}
			}
			if !yield(Imported{r.ID, r.Path, s.Root, r.Created, r.Added, s.Title()}, err) || ctx.Err() != nil {
				return
			}
		}
	}, nil
}

// choose returns the sessions to import, including those of their subagents.
func (p *ImportParams) choose(ctx context.Context, a *App, infos []catalog.Info) (chosen []catalog.Info, err error) {
	for _, ref := range p.Sessions {
		if i := slices.IndexFunc(infos, func(info catalog.Info) bool { return info.Path == ref.Path }); i >= 0 {
			chosen = append(chosen, infos[i])
			continue
		}
		if Original(ref.Path) == "" {
			return nil, &ParamError{ref.Path, "is not a session of another agent"}
		}
		info, err := catalog.Facts(ctx, ref, a.Listing()) // a copy of one
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, info)
	}
	for i := range infos {
		s := &infos[i]
		if len(p.Sessions) == 0 && AgentTitle(s.Root) != "" && (p.Source == "" || s.Root == p.Source) && p.In(s.Cwd) {
			chosen = append(chosen, *s)
		}
	}
	have := map[string]bool{}
	for i := range chosen {
		have[chosen[i].Path] = true
	}
	for n := 0; n < len(chosen); n++ { // children of children too
		for _, info := range infos {
			if info.Root == chosen[n].Root && info.ParentSession == chosen[n].Path && !have[info.Path] && (info.Internal || isSpawned(info.Path)) {
				have[info.Path] = true
				chosen = append(chosen, info)
			}
		}
	}
	return chosen, nil
}

// isSpawned reports whether the session of another agent that is read from path was
// started by its parent as a subagent.
func isSpawned(path string) bool {
	h, err := sessiondir.HeaderOf(path)
	if err != nil {
		return false
	}
	raw, _ := jsonl.Lookup(h.Raw, "spawned")
	spawned, _ := jsonl.Bool(raw)
	return spawned
}
