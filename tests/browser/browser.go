// Package browser opens pages in a real Chromium, for tests. It acts like a
// person and records what a person would not see, such as requests and errors.
//
// Debian's chromium package provides the browser. Without it, a test is skipped.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/pith-sessions/pith/tests/interop/releases"
	"github.com/pith-sessions/pith/tests/tools"
)

// patience is how long a test waits on a busy machine.
const patience = 2 * time.Minute

// A Page is one tab.
type Page struct {
	t   Host
	ctx context.Context

	mu       sync.Mutex // guards what follows
	requests []string
	faults   []string
}

// Open starts a new browser and opens a URL in a window of that size.
func Open(t Host, address string, width, height int) *Page {
	t.Helper()
	p := Start(t, width, height)
	p.Go(address)
	return p
}

// Start starts a browser with an empty page.
func Start(t Host, width, height int) *Page {
	t.Helper()
	path := tools.Require(t, "chromium")
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WindowSize(width, height), chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(patience),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	p := &Page{t: t, ctx: ctx}
	p.watch()
	p.do(chromedp.EmulateViewport(int64(width), int64(height)))
	return p
}

// watch records requests and errors from now on.
func (p *Page) watch() {
	requests := chromedp.Events(p.ctx, network.RequestWillBeSent)
	entries := chromedp.Events(p.ctx, log.EntryAdded)
	thrown := chromedp.Events(p.ctx, runtime.ExceptionThrown)
	note := func(to *[]string, text string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		*to = append(*to, text)
	}
	go func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			note(&p.requests, e.Request.URL)
		}
	}()
	go func() {
		for e, err := range entries {
			if err != nil {
				return
			}
			if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
				note(&p.faults, e.Entry.Text)
			}
		}
	}()
	go func() {
		for e, err := range thrown {
			if err != nil {
				return
			}
			note(&p.faults, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
		}
	}()
}

func (p *Page) do(a chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, a); err != nil {
		p.t.Fatal(err)
	}
}

// Go opens a URL and waits until it is loaded.
func (p *Page) Go(address string) { p.t.Helper(); p.do(chromedp.Navigate(address)) }

// Requests returns the requested URLs, except data and blob URLs.
func (p *Page) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, r := range p.requests {
		if !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:") {
			out = append(out, r)
		}
	}
	return out
}

// Faults returns the errors of the browser: from scripts, policies and missing
// resources.
func (p *Page) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.faults...)
}

// Eval returns the value of an expression in the page. It waits for a promise.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// Do runs statements in the page and waits until they are done. They may leave
// the page: the browser then drops their answer if the next page is faster.
func (p *Page) Do(statements string) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("(async () => {"+statements+"\n})().then(() => true)", chromedp.EvalAwaitPromise))
	if err != nil && !left(err) {
		p.t.Fatalf("%s: %v", statements, err)
	}
}

// left reports whether the browser did not answer because the page was left.
func left(err error) bool {
	refused, ok := errors.AsType[*cdproto.Error](err)
	return ok && (strings.HasPrefix(refused.Message, "Inspected target navigated") || strings.HasPrefix(refused.Message, "Execution context was destroyed"))
}

// Wait waits until an expression is true in a completely loaded page, so that
// later steps do not depend on the speed of the browser. The page may be
// reloaded in the meantime.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.readyState !== "loading" && !!(`+expression+")"))
		if yes {
			return
		}
		select {
		case <-ctx.Done():
			p.t.Fatalf("waiting for %s: %v; the page complains: %q", expression, err, p.Faults())
		case <-tick.C:
		}
	}
}

// Click clicks on the first element of a selector.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Type types into the first element of a selector.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	p.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Press presses keys, as package chromedp/kb names them.
func (p *Page) Press(keys string) { p.t.Helper(); p.do(chromedp.KeyEvent(keys)) }

// Resize changes the size of the window.
func (p *Page) Resize(width, height int) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(int64(width), int64(height)))
}

// Media emulates a medium, screen or print, and a color scheme, light or dark.
func (p *Page) Media(kind, scheme string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: kind,
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	}))
}

// Screenshot returns the visible page as PNG.
func (p *Page) Screenshot() []byte {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.ctx, patience)
	defer stop()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	return png
}

// Accessible fails the test if axe-core finds violations of accessibility.
func (p *Page) Accessible() {
	p.t.Helper()
	dir := releases.RequirePackage(p.t, "axe-core")
	axe, err := os.ReadFile(filepath.Join(dir, "axe.min.js"))
	if err != nil {
		p.t.Fatal(err)
	}
	Eval[bool](p, string(axe)+";true") // as DevTools does, which the page's policy does not forbid
	for _, v := range Eval[[]string](p, `axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(" | ")))`) {
		p.t.Errorf("not accessible: %s", v)
	}
}

// Before runs a script in every page opened from now on, before the page's own.
func (p *Page) Before(script string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	}))
}

// ClickMiddle clicks with the middle button on the first element of a selector.
func (p *Page) ClickMiddle(selector string) {
	p.t.Helper()
	at := Eval[[]float64](p, fmt.Sprintf(`(() => { const el = document.querySelector(%q); el.scrollIntoView({ block: "center" }); const r = el.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector))
	p.do(chromedp.MouseClickXY(at[0], at[1], chromedp.ButtonMiddle))
}

// Wheel turns the wheel of the mouse over a point of the page.
func (p *Page) Wheel(x, y, by float64) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: x, Y: y, DeltaX: 1e-9, DeltaY: by}) // none at all would be left out, which is an error
		return err
	}))
}

// NoScript lets pages opened from now on run without their scripts.
func (p *Page) NoScript() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
}
