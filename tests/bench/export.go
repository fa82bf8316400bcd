package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/pith-sessions/pith/tests/browser"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures exports to HTML: whole processes of both commands, and the
// two pages in a browser. pi's page of a large session shows nothing, so it has
// no figure.

// exportSizes are the sizes of the exported sessions.
var exportSizes = []int64{1_000_000, 10_000_000, corpus.LargeBytes}

func (b *bench) exportTrials(ctx context.Context) ([]trial, error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	var trials []trial
	for _, size := range exportSizes {
		file := filepath.Join(b.work, fmt.Sprintf("export-%d.jsonl", size))
		if err := corpus.WriteFile(file, corpus.Options{Seed: 1, Bytes: size, Branches: 6, CompactEvery: 1500}); err != nil {
			return nil, err
		}
		say := func(what string) string { return fmt.Sprintf("%d MB: %s", size/1_000_000, what) }
		t := trial{{"pith", b.runs, func(ctx context.Context) (reading, error) {
			return b.exported(ctx, say, func(home, page string) *exec.Cmd {
				cmd := exec.CommandContext(ctx, pith, "export", file, "-o", page, "--yes", "--format", "html")
				cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
				return cmd
			}, func(r *reading, page string) error {
				if size > searchable {
					return nil
				}
				spent, err := searching(ctx, page)
				r.figures = append(r.figures, took(say("a search in the page, time of the processor"), spent))
				return err
			})
		}}}
		for _, in := range b.pis[:min(len(b.pis), 1)] {
			t = append(t, contender{"pi " + string(in.Version), b.piRuns, func(ctx context.Context) (reading, error) {
				return b.exported(ctx, say, func(home, page string) *exec.Cmd { return piExport(ctx, in, home, file, page) })
			}})
		}
		trials = append(trials, t)
	}
	return trials, nil
}

func piExport(ctx context.Context, in pi.Installation, home, file, page string) *exec.Cmd {
	return in.Program(ctx, home, "--export", file, page)
}

// exported runs a command that writes a page, and opens the page.
func (b *bench) exported(ctx context.Context, say func(string) string, command func(home, page string) *exec.Cmd, more ...func(*reading, string) error) (r reading, err error) {
	home, err := os.MkdirTemp(b.work, "export-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(home)
	file := filepath.Join(home, "page.html")
	cmd := command(home, file)
	cmd.Dir = home
	start := time.Now()
	peak, err := watched(cmd)
	if err != nil {
		return r, err
	}
	r.figures = append(r.figures, took(say("writing it, review and check included"), time.Since(start)),
		took(say("time of processors"), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()), resident(say("peak memory"), peak))
	info, err := os.Stat(file)
	if err != nil {
		return r, err
	}
	r.figures = append(r.figures, resident(say("size of the page"), info.Size()))
	if info.Size() < showable {
		first, err := firstText(ctx, file)
		if err != nil {
			return r, err
		}
		r.figures = append(r.figures, took(say("first text in Chromium"), first))
	}
	for _, look := range more {
		if err := look(&r, file); err != nil {
			return r, err
		}
	}
	return r, nil
}

// showable is the size of a page that a browser shows. pi's page of 134 MB
// shows nothing within a minute.
const showable = 100_000_000

// searchable is the size up to which searching a page is measured.
const searchable = 10_000_000

// searching returns the average processor time of a search in a page.
func searching(ctx context.Context, file string) (spent time.Duration, err error) {
	words := []string{"parser", "parser ca", "zzyzx", "retry"}
	err = browser.Run(ctx, func(h browser.Host) {
		p := browser.Open(h, "file://"+file, 1280, 900)
		p.Wait(`document.documentElement.dataset.warm === "1"`)
		for _, q := range words {
			for _, task := range p.Tasks(func() {
				p.Do(`delete document.documentElement.dataset.found; const box = document.querySelector("#search"); box.value = "` + q + `"; box.dispatchEvent(new Event("input"))`)
				p.Wait(`document.documentElement.dataset.found !== undefined`)
			}) {
				spent += task.Took / time.Duration(len(words))
			}
		}
	})
	return spent, err
}

// watched runs a command and returns its peak resident memory; zero if the
// system does not report it.
func watched(cmd *exec.Cmd) (peak int64, err error) {
	ended := make(chan error, 1)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-tick.C:
			var kB int64
			if _, err := fmt.Sscan(fieldOf(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid), "VmHWM"), &kB); err == nil {
				peak = max(peak, kB<<10)
			}
		}
	}
}

// patience is how long a page may take to show something. A page that shows
// nothing by then has no figure.
const patience = time.Minute

// watchText records when the page shows enough text to be part of the
// conversation.
const watchText = `(() => {
	const look = () => {
		const box = document.querySelector("#conversation, #messages");
		if (box && box.innerText.trim().length > 100) { window.firstText = performance.now(); return; }
		setTimeout(look, 20);
	};
	look();
})()`

// firstText returns the time from the request of a page until it shows text of
// the conversation; zero for a page that does not.
func firstText(ctx context.Context, file string) (time.Duration, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return 0, nil // no figure
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(filepath.Join(filepath.Dir(file), "browser")), chromedp.WSURLReadTimeout(patience))
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	ctx, stop = chromedp.NewContext(ctx)
	defer stop()
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		return 0, err
	}
	ctx, stop = context.WithTimeout(ctx, patience)
	defer stop()
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watchText}); err != nil {
		return 0, err
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+file)); err != nil {
		return 0, patienceOver(ctx, err)
	}
	for ctx.Err() == nil {
		ms, err := chromedp.Run(ctx, chromedp.Evaluate[float64](`window.firstText || 0`))
		if err != nil {
			return 0, patienceOver(ctx, err)
		}
		if ms > 0 {
			return time.Duration(ms * float64(time.Millisecond)), nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return 0, nil
}

func patienceOver(ctx context.Context, err error) error {
	if ctx.Err() == context.DeadlineExceeded {
		return nil
	}
	return err
}
