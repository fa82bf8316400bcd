package repair

import (
	"context"
	"fmt"
	"os"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
)

// indexRecord is the state of the index, as docs/reference/json.md describes it.
type indexRecord struct {
	Dir       string `json:"dir"`
	Sessions  int    `json:"sessions"`
	Bytes     int64  `json:"bytes"` // of these sessions
	Size      int64  `json:"size"`  // of the index
	Unindexed int64  `json:"unindexed"`
}

// reindex deletes the index that ls and search use and builds it again.
func (a *Commands) reindex(ctx context.Context, asJSON bool) error {
	dir, err := a.NeedCacheDir()
	if err != nil {
		return err
	}
	if err := a.CheckSessionDir(); err != nil {
		return err
	}
	if err := clearIndex(dir); err != nil {
		return err
	}
	words, err := search.OpenIndex(dir)
	if err != nil {
		return err
	}
	a.UseWords(words)
	infos, err := a.List(ctx, true, true)
	if err != nil {
		return err
	}
	if err := a.fillAll(ctx, words); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	state := indexRecord{Dir: dir, Sessions: len(infos), Size: indexSize(dir)}
	for i := range infos {
		state.Bytes += infos[i].Size
	}
	if state.Unindexed, err = words.Pending(ctx, infos); err != nil {
		return err
	}
	if asJSON {
		return a.Out.JSON(state)
	}
	a.Out.Printf("%s, %s; the index takes %s in %s\n", humanize.Count(state.Sessions, "session"), humanize.Bytes(state.Bytes), humanize.Bytes(state.Size), layout.OneLine(dir))
	return nil
}

func (a *Commands) fillAll(ctx context.Context, words *search.Index) error {
	err := words.Fill(ctx, search.Build{
		Catalog:  a.Listing(),
		Progress: func(done, total int64) { a.Working("indexing", done, total, humanize.Bytes) },
	})
	if err != nil {
		return fmt.Errorf("index sessions: %w", err)
	}
	if facts := a.SessionIndex(); facts != nil && facts.Err() != nil {
		return fmt.Errorf("write the index: %w", facts.Err())
	}
	return nil
}

// clearIndex empties the index. Other processes that are using it go on with
// theirs until they end.
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

func indexSize(dir string) int64 {
	var size int64
	for _, file := range catalog.IndexFiles(dir) {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	return size
}
