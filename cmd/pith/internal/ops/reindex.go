package ops

import (
	"context"
	"fmt"
	"os"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
)

// An Indexed is the state of the index that lists and searches use.
type Indexed struct {
	Dir       string `json:"dir"`
	Sessions  int    `json:"sessions"`
	Bytes     int64  `json:"bytes"` // of these sessions
	Size      int64  `json:"size"`  // of the index
	Unindexed int64  `json:"unindexed"`
}

// Reindex empties the index in a directory, the one that a uses, and builds it again. Other
// processes that are using it go on with theirs until they end.
func Reindex(ctx context.Context, a *App, dir string) (*Indexed, error) {
	if err := clearIndex(dir); err != nil {
		return nil, err
	}
	words, err := search.OpenIndex(dir)
	if err != nil {
		return nil, err
	}
	defer words.Close() // what it holds was written
	infos, err := Infos(ctx, a, "", true)
	if err != nil {
		return nil, err
	}
	if err := words.Fill(ctx, search.Build{Catalog: a.Listing(), Progress: a.working("indexing", true)}); err != nil {
		return nil, fmt.Errorf("index sessions: %w", err)
	}
	if facts := a.Listing().Index; facts != nil && facts.Err() != nil {
		return nil, fmt.Errorf("write the index: %w", facts.Err())
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &Indexed{Dir: dir, Sessions: len(infos)}
	for i := range infos {
		r.Bytes += infos[i].Size
	}
	for _, file := range catalog.IndexFiles(dir) {
		if info, err := os.Stat(file); err == nil {
			r.Size += info.Size()
		}
	}
	r.Unindexed, err = words.Pending(ctx, infos)
	return r, err
}

func clearIndex(dir string) error {
	facts, err := catalog.OpenIndex(dir)
	if err != nil {
		return err
	}
	defer facts.Close()
	if err := facts.Clear(); err != nil {
		return fmt.Errorf("delete the index: %w", err)
	}
	return nil
}
