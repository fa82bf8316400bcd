package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/internal/cache/tables"
)

type indexFlags struct{ rebuild, json bool }

func (a *app) indexCommand() *cobra.Command {
	var f indexFlags
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Bring the index of all sessions up to date",
		Long: `Read what changed in the sessions of all projects and bring the index up to date,
from which lists and searches are answered. They are complete without it too, but
slower. Other commands go on with it for a moment when they are done.`,
		Example: `  pith index
  pith index --rebuild`,
		Args: takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.index(cmd.Context(), f) },
	}
	cmd.Flags().BoolVar(&f.rebuild, "rebuild", false, "throw the index away and make it anew")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	return cmd
}

// indexRecord is the state of the index, as docs/cli.md describes it.
type indexRecord struct {
	Dir       jsText `json:"dir"`
	Sessions  int    `json:"sessions"`
	Bytes     int64  `json:"bytes"` // of these sessions
	Size      int64  `json:"size"`  // of the index
	Unindexed int64  `json:"unindexed"`
}

func (a *app) index(ctx context.Context, f indexFlags) error {
	dir := a.cacheDir()
	if dir == "" {
		return errNoCache
	}
	if err := a.checkSessionDir(); err != nil {
		return err
	}
	if f.rebuild {
		if err := removeIndex(dir); err != nil {
			return err
		}
	}
	words, err := search.OpenIndex(dir)
	if err != nil {
		return err
	}
	a.cache.triedWords, a.cache.words = true, words
	infos, err := a.sessions(ctx, true, true)
	if err != nil {
		return err
	}
	if err := a.fillAll(ctx, words); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	_ = tables.New(filepath.Join(dir, tablesFolder)).Sweep(a.env.Now().Add(-tablesKept)) // what is left does no harm
	record := indexRecord{Dir: jsText(dir), Sessions: len(infos), Size: indexSize(dir)}
	for i := range infos {
		record.Bytes += infos[i].Size
	}
	if record.Unindexed, err = words.Pending(ctx, infos); err != nil {
		return err
	}
	if f.json {
		return a.out.json(record)
	}
	a.out.printf("%s, %s; the index takes %s in %s\n", humanize.Count(record.Sessions, "session"), humanize.Bytes(record.Bytes), humanize.Bytes(record.Size), oneLine(dir))
	return nil
}

func (a *app) fillAll(ctx context.Context, words *search.Index) error {
	bar := a.progress("indexing")
	defer bar.done()
	err := words.Fill(ctx, search.Build{
		Catalog:  a.listing(),
		Progress: func(done, total int64) { bar.at(done, total, humanize.Bytes) },
	})
	if err != nil {
		return fmt.Errorf("index the sessions: %w", err)
	}
	if index := a.sessionIndex(); index != nil && index.Err() != nil {
		return fmt.Errorf("keep the facts of the sessions: %w", index.Err())
	}
	return nil
}

// indexFiles are the files of the indexes, whether they exist or not.
func indexFiles(dir string) []string {
	return append(catalog.IndexFiles(dir), search.IndexFiles(dir)...)
}

// removeIndex deletes the files of the indexes.
func removeIndex(dir string) error {
	for _, file := range indexFiles(dir) {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove the index: %w", err)
		}
	}
	return nil
}

// indexSize is how much the indexes take on the disk.
func indexSize(dir string) int64 {
	var size int64
	for _, file := range indexFiles(dir) {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	return size
}
