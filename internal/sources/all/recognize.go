package all

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/team"
)

// headSize is the part of a file that Recognize reads.
const headSize = 1 << 20

// Recognize returns the program that wrote a session file, wherever the file is
// and whatever its name is: the one that reads the most messages in its first
// lines. It returns false if no program reads any, or two read as many.
func Recognize(ctx context.Context, path string) (sources.Program, bool) {
	temp, err := head(path)
	if err != nil {
		return nil, false
	}
	defer os.RemoveAll(filepath.Dir(temp))
	var best sources.Program
	most, same := 0, false
	for _, p := range Programs() {
		if p.Name() == team.Name {
			continue // it reads every session of pi, and only in its own place
		}
		switch n := messages(ctx, p, temp); {
		case n > most:
			best, most, same = p, n, false
		case n == most:
			same = true
		}
	}
	return best, most > 0 && !same
}

// head copies the first lines of a file to a directory of their own, in which
// programs find no other files.
func head(path string) (temp string, err error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close() // only read
	data := make([]byte, headSize)
	n, err := io.ReadFull(in, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	data = data[:bytes.LastIndexByte(data[:n], '\n')+1]
	if jsonl.KindOf(bytes.TrimLeft(data, " \t\r\n\ufeff")) != '{' {
		return "", errors.New("not lines of JSON")
	}
	dir, err := os.MkdirTemp("", "pith-head-")
	if err != nil {
		return "", err
	}
	temp = filepath.Join(dir, "head.jsonl")
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return temp, nil
}

// messages returns the number of messages with content that a program reads in a
// file.
func messages(ctx context.Context, p sources.Program, path string) (n int) {
	found, err := sources.Single{Program: p}.Sessions(ctx, path)
	if err != nil || len(found) != 1 {
		return 0
	}
	for line, err := range sources.Translate(ctx, p, found[0], func(string) string { return "" }) {
		if err != nil {
			return 0
		}
		if jsonl.LookupString(line, "type") != "message" {
			continue
		}
		message, _ := jsonl.Lookup(line, "message")
		content, _ := jsonl.Lookup(message, "content")
		if len(content) > len(`""`) && string(content) != "null" {
			n++
		}
	}
	return n
}
