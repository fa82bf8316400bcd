package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
)

// This file measures building the index of words.

// wordsRuns is how often the whole index is built: it takes long and varies little.
const wordsRuns = 2

func (b *bench) wordsSection(ctx context.Context) (section, error) {
	dir, err := b.store(ctx)
	if err != nil {
		return section{}, err
	}
	text, err := textOf(dir)
	if err != nil {
		return section{}, err
	}
	build := b.pithContender(func(ctx context.Context) (reading, error) { return b.readWords(ctx, dir) })
	build.runs = min(build.runs, wordsRuns)
	return section{
		title: "Building the index of words over 1,000 sessions, 500 MB",
		note: "A rate is of bytes of session files, pictures and JSON included, for a second of CPU time. The text is what the index is about: " +
			bytesUnit.text(float64(text)) + " of these files.",
		trials: []trial{{
			what: "building the index of words",
			rows: []row{
				{key: "words", title: "all words of 500 MB", unit: secondsUnit},
				{key: "rate", title: "session a second and core", unit: rateUnit, goal: noLess(25e6, rateUnit)},
				{key: "size", title: "size of the index", unit: bytesUnit, goal: atMost(float64(text)/2, bytesUnit)},
				{key: "peak", title: "peak memory", unit: bytesUnit, goal: atMost(200e6, bytesUnit)},
			},
			contenders: []contender{build},
		}},
	}, nil
}

func (b *bench) readWords(ctx context.Context, dir string) (reading, error) {
	index, err := os.MkdirTemp(b.work, "words-")
	if err != nil {
		return reading{}, err
	}
	defer os.RemoveAll(index)
	s, err := buildWords(ctx, dir, index)
	return reading{
		values: map[string]value{"words": s.time(), "rate": s.rate(), "size": sizeOf(search.IndexFiles(index)), "peak": s.memory()},
		counts: map[string]int{"sessions": s.Sessions},
	}, err
}

// buildWords fills both indexes in a folder, each in a process of its own, and
// returns what the words took.
func buildWords(ctx context.Context, dir, index string) (sample, error) {
	if _, err := inChild(ctx, task{Name: "list+index", Path: dir, Index: index}); err != nil {
		return sample{}, err
	}
	return inChild(ctx, task{Name: "words", Path: dir, Index: index})
}

// wordsTask builds the index of words. The index of facts is there already.
func wordsTask(ctx context.Context, t task) (out sample, err error) {
	facts, err := catalog.OpenIndex(t.Index)
	if err != nil {
		return out, err
	}
	defer facts.Close()
	words, err := search.OpenIndex(t.Index)
	if err != nil {
		return out, err
	}
	defer words.Close()
	o := t.only(catalog.Options{Index: facts})
	if err := out.timed(func() error { return words.Fill(ctx, search.Build{Catalog: o}) }); err != nil {
		return out, err
	}
	infos, err := catalog.Sorted(catalog.ListAll(ctx, o))
	out.Sessions = len(infos)
	for i := range infos {
		out.Bytes += infos[i].Size
	}
	return out, err
}

// textOf is how many bytes of text there are in the sessions of a folder: what
// was said and thought, the arguments of tools and what they returned.
func textOf(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(data) {
			n += textOfLine(line)
		}
		return nil
	})
	return n, err
}

// textOfLine needs not be exact, so a line that is not as expected has none.
func textOfLine(line []byte) (n int64) {
	var entry struct {
		Summary, Label, Name string
		Message              struct {
			Content json.RawMessage
		}
	}
	_ = json.Unmarshal(line, &entry)
	n = int64(len(entry.Summary) + len(entry.Label) + len(entry.Name))
	var plain string
	if json.Unmarshal(entry.Message.Content, &plain) == nil {
		return n + int64(len(plain))
	}
	var blocks []struct {
		Text, Thinking, Name string
		Arguments            json.RawMessage
	}
	_ = json.Unmarshal(entry.Message.Content, &blocks)
	for i := range blocks {
		b := &blocks[i]
		n += int64(len(b.Text) + len(b.Thinking) + len(b.Name) + len(b.Arguments))
	}
	return n
}
