// Command recall measures how well questions about earlier sessions are
// answered: by pith mcp, by pith search as people use it, and by grep.
//
// It has the form of LongMemEval, for coding agents and generated: 500
// questions about 10,000 exchanges in 1,000 sessions of a year. Each fact has
// similar ones that differ in one word. Most exchanges are about the same
// subjects and state no fact. Some of the facts are corrected later, and then
// only the correction counts. Questions use the words of the session, other
// forms of them, or different words. It measures whether the session with the
// answer is the first, or one of the first five, and how many tokens it takes
// to read them.
//
// It makes no claim about LongMemEval itself, whose data are not used here.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/inspect"
)

func main() {
	seed := flag.Uint64("seed", 1, "another number makes other sessions and questions")
	keep := flag.String("dir", "", "keep the sessions in `DIR`")
	misses := flag.Int("misses", 0, "print so many questions that pith mcp does not answer first")
	only := flag.String("only", "", "measure only what has `TEXT` in its name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *seed, *keep, *only, *misses); err != nil {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, seed uint64, keep, only string, misses int) error {
	work, err := os.MkdirTemp("", "pith-recall-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	sessions := filepath.Join(work, "sessions")
	if keep != "" {
		sessions = keep
	}
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		return err
	}
	list, err := generate(sessions, seed)
	if err != nil {
		return err
	}
	pith := filepath.Join(work, "pith")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", pith, "github.com/pith-sessions/pith/cmd/pith").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	d := desk{pith, sessions, filepath.Join(work, "cache")}
	fmt.Printf("%d questions, %d exchanges in %d sessions, seed %d\n\n", len(list), sessionCount*perSession, sessionCount, seed)
	fmt.Printf("%-34s %7s %7s %8s %9s %9s\n", "", "hit@1", "hit@5", "tokens", "median", "p95")
	for _, w := range []struct {
		name string
		open func(context.Context, desk) (asker, error)
	}{
		{"pith mcp, tool search", openMCP},
		{"pith search, the question's words", openSearch},
		{"grep -i, line with most words", openGrep},
	} {
		if !strings.Contains(w.name, only) {
			continue
		}
		if err := measure(ctx, d, w.name, w.open, list, misses); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		misses = 0
	}
	return nil
}

// A desk is the program and the sessions to query.
type desk struct{ pith, sessions, cache string }

// An asker answers a question: with the sessions that it finds, the best first,
// and the text that a model reads.
type asker interface {
	ask(ctx context.Context, question string) (sessions []string, text string, err error)
	close()
}

// A score counts answered questions.
type score struct{ asked, first, five int }

func (s *score) add(place int) {
	s.asked++
	if place == 0 {
		s.first++
	}
	if place >= 0 && place < 5 {
		s.five++
	}
}

func percent(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(1, of))) }

func measure(ctx context.Context, d desk, name string, open func(context.Context, desk) (asker, error), list []question, misses int) error {
	a, err := open(ctx, d)
	if err != nil {
		return err
	}
	defer a.close()
	var all score
	parts := map[string]*score{}
	var tokens int64
	var took []time.Duration
	for _, q := range list {
		begin := time.Now()
		sessions, text, err := a.ask(ctx, q.text)
		if err != nil {
			return fmt.Errorf("%s: %w", q.text, err)
		}
		took = append(took, time.Since(begin))
		tokens += inspect.Tokens(text)
		place := slices.Index(sessions, q.session)
		if place != 0 && misses > 0 {
			misses--
			fmt.Printf("MISS (%s, %s) place %d of %d: %s\nwanted %s\n%s\n", q.kind, q.wording, place, len(sessions), q.text, q.session, text)
		}
		all.add(place)
		for _, part := range []string{string(q.kind), q.wording} {
			if parts[part] == nil {
				parts[part] = &score{}
			}
			parts[part].add(place)
		}
	}
	slices.Sort(took)
	fmt.Printf("%-34s %7s %7s %8d %9s %9s\n", name, percent(all.first, all.asked), percent(all.five, all.asked), tokens/int64(len(list)),
		took[len(took)/2].Round(time.Millisecond/10), took[len(took)*95/100].Round(time.Millisecond/10))
	for _, part := range []string{string(byUser), string(byModel), string(updated), inSame, inForms, inOther, inAllOver} {
		if s := parts[part]; s != nil {
			fmt.Printf("  %-32s %7s %7s   of %d\n", part, percent(s.first, s.asked), percent(s.five, s.asked), s.asked)
		}
	}
	fmt.Println()
	return nil
}
