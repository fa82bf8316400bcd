package webui

import (
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// A watch reports file changes without polling: an idle server must cost
// nothing. If the system cannot report changes, it reports none, so callers
// also poll now and then.
type watch struct {
	changing sync.Mutex // guards watcher, and is held while its files change
	watcher  *fsnotify.Watcher
	ended    sync.WaitGroup

	mu      sync.Mutex                        // guards waiting; the watcher blocks while it is held
	waiting map[string]map[chan struct{}]bool // by file
}

// file returns a channel that receives when a file changes, until stop is
// called.
func (w *watch) file(path string) (changed <-chan struct{}, stop func()) {
	path = filepath.Clean(path)
	c := make(chan struct{}, 1)
	w.changing.Lock()
	defer w.changing.Unlock()
	if w.watcher == nil {
		watcher, err := fsnotify.NewWatcher()
		if err != nil {
			return c, func() {}
		}
		w.watcher = watcher
		w.ended.Go(func() { w.run(watcher) })
	}
	if w.watcher.Add(path) != nil { // adding a file twice has no effect
		return c, func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting == nil {
		w.waiting = map[string]map[chan struct{}]bool{}
	}
	if w.waiting[path] == nil {
		w.waiting[path] = map[chan struct{}]bool{}
	}
	w.waiting[path][c] = true
	return c, func() { w.leave(path, c) }
}

func (w *watch) leave(path string, c chan struct{}) {
	w.changing.Lock()
	defer w.changing.Unlock()
	w.mu.Lock()
	delete(w.waiting[path], c)
	last := len(w.waiting[path]) == 0
	if last {
		delete(w.waiting, path)
	}
	w.mu.Unlock()
	if last {
		_ = w.watcher.Remove(path) // it may be gone
	}
}

// run forwards the events of the system.
func (w *watch) run(watcher *fsnotify.Watcher) {
	for {
		select {
		case event, ok := <-watcher.Events:
			if !ok {
				return
			}
			w.notify(filepath.Clean(event.Name))
		case _, ok := <-watcher.Errors: // too many at once: callers also poll
			if !ok {
				return
			}
		}
	}
}

func (w *watch) notify(path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.waiting[path] {
		select {
		case c <- struct{}{}:
		default: // notified already and not read yet
		}
	}
}

func (w *watch) close() {
	w.changing.Lock()
	watcher := w.watcher
	w.changing.Unlock()
	if watcher != nil {
		_ = watcher.Close() // nothing is lost
		w.ended.Wait()
	}
}
