package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/tests/browser"
)

// This file measures what people wait for: screens of the app in a terminal,
// and pages in Chromium.

// Labels that the table of limits refers to.
const (
	keys95      = ", 95 of 100 keys"
	appSearch   = "the app: a search settles after the last key, slowest word"
	pageSearch  = "a page: rows of a search after the last key, slowest word"
	pageMatches = "a page: all matches of a search after the last key, slowest word"
)

func firstScreen(sessions int) string {
	return fmt.Sprintf("the app: first screen with rows, %d sessions", sessions)
}

func keysIn(where string, sessions int) string {
	return fmt.Sprintf("the app: a key in the %s, %d sessions", where, sessions)
}

// screensTrials measures the app with 1,000 and 100,000 sessions, and pages.
func (b *bench) screensTrials(ctx context.Context) ([]trial, error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	var trials []trial
	for _, n := range crowds {
		if b.quick && n > 10_000 {
			continue
		}
		agentDir, home, err := b.indexed(ctx, pith, n)
		if err != nil {
			return nil, err
		}
		trials = append(trials, trial{{"pith", b.runs, func(ctx context.Context) (reading, error) { return b.appStarts(ctx, pith, home, agentDir, n) }}},
			trial{{"pith", 1, func(ctx context.Context) (reading, error) { return b.appKeys(ctx, pith, home, agentDir, n) }}})
		if n == 1000 {
			w := &web{work: b.work, pith: pith, home: home}
			trials = append(trials, trial{{"pith", 1, func(ctx context.Context) (reading, error) { return b.appSearches(ctx, pith, home, agentDir) }}},
				trial{{"pith", 1, func(ctx context.Context) (reading, error) {
					return w.searches(ctx, filepath.Join(agentDir, "sessions"))
				}}})
		}
	}
	return trials, nil
}

// indexed returns an agent directory and a home directory with its index: that
// of words, too, for the 1,000 sessions of 500 MB.
func (b *bench) indexed(ctx context.Context, pith string, n int) (agentDir, home string, err error) {
	if n == 1000 {
		return b.wordsHome(ctx, pith)
	}
	if agentDir, err = b.crowd(ctx, n); err != nil {
		return "", "", err
	}
	home, err = b.indexedHome(ctx, pith, n)
	return agentDir, home, err
}

// What the app writes when its list has a row, and when it has all of them.
const (
	selectedRow  = "› "
	completeList = "◉ All"
)

// appStarts measures the time from the start of the app until its screen has
// rows.
func (b *bench) appStarts(ctx context.Context, pith, home, agentDir string, n int) (r reading, err error) {
	t, err := inTerminal(ctx, home, agentDir, pith)
	if err != nil {
		return r, err
	}
	first, err := t.await(selectedRow)
	complete := time.Duration(0)
	if err == nil {
		complete, err = t.await(completeList)
	}
	peak := t.close()
	return reading{figures: []figure{took(firstScreen(n), first), took(fmt.Sprintf("the app: complete list, %d sessions", n), complete), resident(fmt.Sprintf("the app: peak memory, %d sessions", n), peak)}}, err
}

// appKeys measures keys in the list, and with few sessions in a conversation
// and its tree.
func (b *bench) appKeys(ctx context.Context, pith, home, agentDir string, n int) (r reading, err error) {
	t, err := inTerminal(ctx, home, agentDir, pith)
	if err != nil {
		return r, err
	}
	defer t.close()
	if _, err := t.await(completeList); err != nil {
		return r, err
	}
	t.settle()
	const down, up = "\x1b[B", "\x1b[A"
	steps := []struct{ open, where, key string }{{"", "list", down}}
	if n == 1000 {
		steps = append(steps, struct{ open, where, key string }{"\x1b[H\r", "conversation", up}, struct{ open, where, key string }{"t", "tree", up})
	}
	for _, s := range steps {
		for _, key := range strings.SplitAfter(s.open, "H") {
			if key == "" {
				continue
			}
			if _, err := t.press(key); err != nil {
				return r, err
			}
			t.settle()
		}
		all, err := t.presses(s.key, 100)
		if err != nil {
			return r, fmt.Errorf("%s: %w", s.where, err)
		}
		r.figures = append(r.figures, took(keysIn(s.where, n)+", median", all[len(all)/2]), took(keysIn(s.where, n)+keys95, p95(all)))
	}
	return r, nil
}

// searched are typical searches.
var searched = []string{"parser", "retry", "timeout in", "config loader", "error", "zzyzx"}

// appSearches types words into the list and measures the time from the last
// letter until the screen does not change any more.
func (b *bench) appSearches(ctx context.Context, pith, home, agentDir string) (r reading, err error) {
	var all []time.Duration
	for _, word := range searched {
		t, err := inTerminal(ctx, home, agentDir, pith)
		if err != nil {
			return r, err
		}
		if _, err := t.await(completeList); err != nil {
			t.close()
			return r, err
		}
		t.settle()
		for _, letter := range word[:len(word)-1] {
			if _, err := t.press(string(letter)); err != nil {
				t.close()
				return r, err
			}
		}
		begin := time.Now()
		_, err = t.press(word[len(word)-1:])
		all = append(all, t.settle().Sub(begin))
		t.close()
		if err != nil {
			return r, err
		}
	}
	slowest := all[0]
	for _, d := range all {
		slowest = max(slowest, d)
	}
	return reading{figures: []figure{took(appSearch, slowest)}}, nil
}

// searches types words into the box of the list and measures, in the page, the
// time from the last letter until the rows of the answer are there.
func (w *web) searches(ctx context.Context, dir string) (r reading, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s, err := w.serve(ctx, dir)
	if err != nil {
		return r, err
	}
	var slowest, complete time.Duration
	err = onPage(ctx, s.url, "", func(p *browser.Page) error {
		p.Wait(`document.documentElement.dataset.ready === "1"`)
		p.Do(`watched.off = true`)
		p.Do(`const box = document.querySelector("#q"); globalThis.last = 0; globalThis.answered = 0;
			box.addEventListener("input", () => { last = performance.now(); }, true);
			new MutationObserver(() => { if (document.documentElement.dataset.asked === box.value.trim()) requestAnimationFrame(() => { answered = performance.now(); }); }).observe(document.documentElement, { attributes: true, attributeFilter: ["data-asked", "data-rows"] })`)
		for _, word := range searched {
			p.Do(`const box = document.querySelector("#q"); box.value = ""; box.dispatchEvent(new Event("input")); box.focus(); answered = 0; last = 0`)
			for _, letter := range word {
				p.Press(string(letter))
			}
			p.Wait(`document.documentElement.dataset.asked === "` + word + `" && answered > last`)
			slowest = max(slowest, time.Duration(browser.Eval[float64](p, `answered - last`)*float64(time.Millisecond)))
			p.Wait(`document.documentElement.dataset.busy === undefined && performance.now() - answered > 1000`) // the rest of the matches
			complete = max(complete, time.Duration(browser.Eval[float64](p, `answered - last`)*float64(time.Millisecond)))
		}
		return nil
	})
	return reading{figures: []figure{took(pageSearch, slowest), took(pageMatches, complete)}}, err
}
