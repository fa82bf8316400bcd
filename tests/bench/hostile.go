package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// This file measures files that nobody writes on purpose: whole processes, each
// with an empty cache.

const (
	hostileHead = `{"type":"session","version":3,"id":"hostile","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n"
	hostileUser = `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":[`
)

// hostile are the files, with the commands that read them.
var hostile = []struct {
	what  string
	write func(*os.File) error
	args  func(file, out string) []string
}{
	{"400 MB of NULs", func(f *os.File) error { return repeat(f, make([]byte, 1<<20), 400) }, listing},
	{"a message of 300 MB", func(f *os.File) error {
		_, err := f.WriteString(hostileHead + hostileUser + `{"type":"text","text":"`)
		if err == nil {
			err = repeat(f, bytes.Repeat([]byte("lorem ipsum dolor sit amet, "), 1<<20/28), 300)
		}
		_, ended := f.WriteString(`"}]}}` + "\n")
		return errors.Join(err, ended)
	}, listing},
	{"a sparse file of 20 GB", func(f *os.File) error {
		_, err := f.WriteString(hostileHead)
		return errors.Join(err, f.Truncate(20<<30))
	}, listing},
	{"a picture of 100 MB", writePicture, func(file, out string) []string {
		return []string{"export", file, "-o", out, "--yes", "--format", "html"}
	}},
}

func listing(string, string) []string { return []string{"ls", "--all"} }

func repeat(w io.Writer, piece []byte, times int) error {
	for range times {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// writePicture writes a session with one picture that cannot be compressed.
func writePicture(f *os.File) error {
	if _, err := f.WriteString(hostileHead + hostileUser + `{"type":"text","text":"look"},{"type":"image","mimeType":"image/png","data":"`); err != nil {
		return err
	}
	data := base64.NewEncoder(base64.StdEncoding, f)
	_, err := io.WriteString(data, "\x89PNG\r\n\x1a\n")
	if err == nil {
		_, err = io.CopyN(data, rand.NewChaCha8([32]byte{1}), 100_000_000)
	}
	err = errors.Join(err, data.Close())
	if err == nil {
		_, err = f.WriteString(`"}]}}` + "\n")
	}
	return err
}

// Labels that the table of limits refers to.
func hostileTime(what string) string { return verbOf(what) + what }
func hostilePeak(what string) string { return verbOf(what) + what + ", peak memory" }

func verbOf(what string) string {
	if what == "a picture of 100 MB" {
		return "pith export of "
	}
	return "pith ls --all with "
}

func (b *bench) hostileTrials(ctx context.Context) (trials []trial, err error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	for _, h := range hostile {
		trials = append(trials, trial{{"pith", min(b.runs, 2), func(ctx context.Context) (r reading, err error) {
			home, err := os.MkdirTemp(b.work, "hostile-")
			if err != nil {
				return r, err
			}
			defer os.RemoveAll(home)
			file := filepath.Join(home, "sessions", "--p--", "2026-02-03T10-00-00-000Z_hostile.jsonl")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return r, err
			}
			f, err := os.Create(file)
			if err != nil {
				return r, err
			}
			if err := errors.Join(h.write(f), f.Close()); err != nil {
				return r, err
			}
			cmd := command(ctx, home, home, pith, h.args(file, filepath.Join(home, "page.html"))...)
			begin := time.Now()
			peak, err := watched(cmd)
			if err != nil {
				return r, fmt.Errorf("%s: %w", h.what, err)
			}
			r.figures = append(r.figures, took(hostileTime(h.what), time.Since(begin)), resident(hostilePeak(h.what), peak))
			return r, nil
		}}})
	}
	return trials, nil
}
