package webui_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/browser"
)

// Turns are marked with a key or a button, and only those are exported (X8).
func TestMarkedTurns(t *testing.T) {
	v, c, _ := readDemo(t, 0)
	v.see("s/" + bugHunt)
	v.Press("g")
	v.Press("}")
	v.Press("V")
	v.Wait(`document.querySelector(".marks")?.innerText.startsWith("1 turn marked")`)
	v.Press("}")
	v.Do(`[...document.querySelectorAll("[data-mark]")].at(-1).click()`)
	v.Wait(`document.querySelector(".marks").innerText.startsWith("2 turns marked")`)
	is(v, `document.querySelectorAll(".turn.marked").length`, 2)
	v.fits("the bar of marked turns")
	v.Click(".marks a")
	v.Wait(`document.querySelector("h1")?.innerText === "Export"`)
	if page := v.text("main"); !strings.Contains(page, "Only turns 1,3,") || strings.Contains(page, "JSONL") || strings.Contains(page, "duplicate delivery mails") {
		t.Errorf("the review reads %q", page)
	}
	const outside, inside, first = "forget the mutex", "keep the test", "customers complain"
	for _, format := range []string{"html", "md", "comment"} {
		v.Do(`document.querySelector('main a[href*="format=` + format + `"]')?.click()`)
		v.Wait(`document.querySelector('[data-download*="format=` + format + `"]')`)
		path := strings.TrimPrefix(browser.Eval[string](v.Page, `document.querySelector("[data-download]").dataset.download`), "/")
		code, file := c.get(path)
		if code != 200 || strings.Contains(file, outside) || !strings.Contains(file, inside) || !strings.Contains(file, first) {
			t.Errorf("GET /%s = %d with turn 2: %t, turn 3: %t, turn 1: %t", path, code, strings.Contains(file, outside), strings.Contains(file, inside), strings.Contains(file, first))
		}
	}
	is(v, `!!document.querySelector("[data-copy-file]")`, true)
	for _, bad := range []string{"turns=9", "turns=x", "turns=1&format=jsonl", "turns=1&leaf=none", "turns=3&leaf=" + "2b8e0c11"} {
		if code, _ := c.get("s/" + bugHunt + "/export/file?" + bad); code != 404 {
			t.Errorf("an export with %s: %d, want 404", bad, code)
		}
	}
	v.see("s/" + bugHunt)
	v.Press("g")
	v.Press("}")
	v.Press("V")
	v.Wait(`!document.querySelector(".marks").hidden`)
	v.Press(escape)
	v.Wait(`document.querySelector(".marks").hidden`)
	is(v, `document.querySelectorAll(".turn.marked").length`, 0)
	if faults := v.Faults(); len(faults) > 0 {
		t.Errorf("the browser reports %q", faults)
	}
}
