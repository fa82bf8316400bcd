package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/tests/browser"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/testcache"
)

// manySessions is the number of sessions of an idle server.
const manySessions = 15_000

// typed are the texts of a search box at various moments.
var typed = []string{"p", "par", "parser", "parser ca", "parser cache", "retry", "timeout in", "config loader", `"race condition"`, "error", "migration fai", "zzyzx"}

// webTrials measures sessions in a browser.
func (b *bench) webTrials(ctx context.Context) ([]trial, error) {
	many, err := testcache.Folder(ctx, fmt.Sprintf("corpus-v%d-many", corpus.ContentVersion), func(_ context.Context, dir string) error {
		return corpus.Store(dir, corpus.StoreOptions{Sessions: manySessions, Bytes: 120_000_000, Projects: 40})
	})
	if err != nil {
		return nil, err
	}
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	w := &web{work: b.work, many: many, pith: pith, home: filepath.Join(b.work, "web-home")}
	if err := os.MkdirAll(w.home, 0o700); err != nil {
		return nil, err
	}
	if _, _, err := process(command(ctx, w.home, w.home, w.pith, "doctor", "--reindex", "--session-dir", many)); err != nil {
		return nil, err
	}
	if w.large, err = w.copyLarge(ctx); err != nil {
		return nil, err
	}
	return []trial{{{"pith", b.runs, w.lists}}, {{"pith", b.runs, w.openLarge}}, {{"pith", 1, w.idle}}}, nil
}

// web is the state that the trials share.
type web struct{ work, pith, home, many, large string }

// A site is a running pith serve.
type site struct {
	url, base string
	pid       int
	ready     time.Duration // from its start until it printed its URL
	token     string
}

// serve starts a server for a directory. It ends with ctx.
func (w *web) serve(ctx context.Context, dir string) (*site, error) {
	cmd := exec.CommandContext(ctx, w.pith, "serve", "--json", "--session-dir", dir)
	cmd.Env = []string{"HOME=" + w.home}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = cmd.Wait() }() // it ends with ctx
	line, err := bufio.NewReader(out).ReadBytes('\n')
	s := &site{pid: cmd.Process.Pid, ready: time.Since(begin)}
	var told struct{ URL string }
	if err == nil {
		err = json.Unmarshal(line, &told)
	}
	if err != nil {
		return nil, err
	}
	s.url = told.URL
	s.base, s.token, _ = strings.Cut(told.URL, "#")
	return s, nil
}

// get requests a path and returns the time of the response.
func (s *site) get(ctx context.Context, path string) (time.Duration, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+path, nil)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	begin := time.Now()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s is answered with %s", path, resp.Status)
	}
	return time.Since(begin), body, err
}

// first returns the path of the first session of the list.
func (s *site) first(ctx context.Context) (string, error) {
	_, list, err := s.get(ctx, "")
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(list), `data-key="`)
	if !ok {
		return "", errors.New("the list has no session")
	}
	key, _, _ := strings.Cut(rest, `"`)
	return s.base + "s/" + key, nil
}

// lists measures the list, and searches while typing, over all sessions.
func (w *web) lists(ctx context.Context) (r reading, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s, err := w.serve(ctx, w.many)
	if err != nil {
		return r, err
	}
	first, _, err := s.get(ctx, "")
	if err != nil {
		return r, err
	}
	var lists, searches []time.Duration
	for range 40 {
		d, body, err := s.get(ctx, "")
		if err != nil {
			return r, err
		}
		lists = append(lists, d)
		r.counts = map[string]int{"rows": strings.Count(string(body), `class="row"`)}
	}
	for range 4 {
		for _, q := range typed {
			d, _, err := s.get(ctx, "?q="+url.QueryEscape(q))
			if err != nil {
				return r, err
			}
			searches = append(searches, d)
		}
	}
	r.figures = []figure{
		took("start of the server, until it prints its address", s.ready).with(within(100 * time.Millisecond)), took("15,000 sessions: the first list, index warm", first), took("15,000 sessions: a list, p95", p95(lists)).with(within(50 * time.Millisecond)),
		took("15,000 sessions: a search as one types, p95", p95(searches)).with(within(150 * time.Millisecond)), resident("15,000 sessions: peak memory of the server", peakOf(s.pid)),
	}
	return r, nil
}

// watching records when the page shows the first text of a conversation.
const watching = `globalThis.watched = { text: 0 };
(function look() { if (watched.off) return; if (document.querySelector("#conversation .say, #messages .user-message, #messages .assistant-message")) watched.text = performance.now(); else requestAnimationFrame(look); })();`

// onPage opens a URL in a new browser, and then a session if path names one.
func onPage(ctx context.Context, address, path string, do func(p *browser.Page) error) error {
	var failed error
	err := browser.Run(ctx, func(h browser.Host) {
		p := browser.Start(h, 1280, 900)
		p.Before(watching)
		p.Go(address)
		if path != "" {
			p.Wait(`document.documentElement.dataset.ready === "1"`)
			p.Go(path)
		}
		failed = do(p)
	})
	if err != nil {
		return err
	}
	return failed
}

func textAfter(p *browser.Page) time.Duration {
	p.Wait(`watched.text > 0`)
	return time.Duration(browser.Eval[float64](p, `watched.text`) * float64(time.Millisecond))
}

// copyLarge copies the large session, to which lines are appended.
func (w *web) copyLarge(ctx context.Context) (string, error) {
	from, err := corpus.CachedLarge(ctx)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(w.work, "web-large")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	return filepath.Join(dir, "session.jsonl"), os.WriteFile(filepath.Join(dir, "session.jsonl"), data, 0o600)
}

// openLarge opens the session of 100 MB, appends to it and scrolls through it.
func (w *web) openLarge(ctx context.Context) (r reading, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s, err := w.serve(ctx, filepath.Dir(w.large))
	if err != nil {
		return r, err
	}
	first, err := s.first(ctx)
	if err != nil {
		return r, err
	}
	err = onPage(ctx, s.url, first, func(p *browser.Page) error {
		r.figures = append(r.figures, took("100 MB: first turns of a session of pith serve", textAfter(p)).with(within(300*time.Millisecond)))
		p.Wait(`document.documentElement.dataset.live === "1"`)
		r.figures = append(r.figures, millis("100 MB: tree and live", browser.Eval[float64](p, `performance.now()`)))
		appended, err := w.append(p)
		if err != nil {
			return err
		}
		r.figures = append(r.figures, took("100 MB: an appended line on the screen", appended).with(within(300*time.Millisecond)))
		p.Press("g")
		tasks := p.Tasks(func() {
			p.Do(`for (let n = 0; n < 150; n++) { scrollBy(0, 700); document.querySelector("#tree").scrollBy(0, 4000); await new Promise((r) => requestAnimationFrame(() => setTimeout(r, 20))); }`)
		})
		if len(tasks) == 0 {
			return errors.New("the trace has no tasks of the page")
		}
		r.figures = append(r.figures, took("100 MB: the longest task while scrolling, time of the processor", tasks[0].Took).with(within(50*time.Millisecond)))
		return nil
	})
	r.figures = append(r.figures, resident("100 MB: peak memory of the server", peakOf(s.pid)).with(atMost(memoryGoal)))
	return r, err
}

// append writes a line to the large session and waits until the page shows it.
func (w *web) append(p *browser.Page) (time.Duration, error) {
	f, err := os.OpenFile(w.large, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	said := strconv.FormatInt(time.Now().UnixNano(), 36)
	p.Press("G") // go to the leaf, which the URL shows
	p.Wait(`location.hash.startsWith("#e-")`)
	leaf := strings.TrimPrefix(browser.Eval[string](p, `location.hash`), "#e-")
	p.Do(`globalThis.came = 0; (function look() { if ([...document.querySelectorAll(".chunk:last-child .say")].some((e) => e.textContent.includes("` + said + `"))) came = Date.now(); else setTimeout(look, 4); })()`)
	begin := time.Now()
	line := fmt.Sprintf(`{"type":"message","id":"%s","parentId":"%s","timestamp":"2026-11-16T09:00:00.000Z","message":{"role":"user","content":"%s"}}`+"\n", said[len(said)-8:], leaf, said)
	if _, err := f.WriteString(line); err != nil {
		return 0, err
	}
	p.Wait(`came > 0`)
	return time.UnixMilli(int64(browser.Eval[float64](p, `came`))).Sub(begin), nil
}

// idle measures a server during an idle minute, with a page of a session open.
func (w *web) idle(ctx context.Context) (r reading, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s, err := w.serve(ctx, w.many)
	if err != nil {
		return r, err
	}
	first, err := s.first(ctx)
	if err != nil {
		return r, err
	}
	err = onPage(ctx, s.url, first, func(p *browser.Page) error {
		p.Wait(`document.documentElement.dataset.live === "1"`)
		before := cpuOf(s.pid)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Minute):
		}
		r.figures = append(r.figures, figure{
			what:   "15,000 sessions, a page open: share of a core over an idle minute",
			amount: 100 * (cpuOf(s.pid) - before).Seconds() / 60, unit: percent,
		}.with(atMost(0.1)))
		return nil
	})
	return r, err
}

// cpuOf returns the processor time of a process; 0 if the system does not
// report it.
func cpuOf(pid int) time.Duration {
	var total time.Duration
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return 0
	}
	for _, t := range threads {
		if text, err := os.ReadFile(t); err == nil {
			ns, _, _ := strings.Cut(string(text), " ")
			n, _ := strconv.ParseInt(ns, 10, 64)
			total += time.Duration(n)
		}
	}
	return total
}
