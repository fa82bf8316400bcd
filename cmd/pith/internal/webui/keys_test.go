package webui_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pith-sessions/pith/tests/browser"
)

// copied keeps what a page copies, because a browser without a window may refuse to.
const copied = `Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { globalThis.copied = text; } } })`

// selected is the text of the selected row of the tree, and current its place on the page.
const (
	selected = `document.querySelector(".trow[aria-current]")?.textContent`
	current  = `document.querySelector(".at")`
)

// Ten tasks of a person who has no mouse: each begins where the one before ended.
func TestTenTasksByKeyboard(t *testing.T) {
	v, _, _ := readDemo(t, 0)
	v.Before(copied)
	v.see("")

	// 1. Find a session by a word in it, and open it at the match.
	v.slash()
	v.Press("VisibilityTimeout")
	v.Wait(`document.documentElement.dataset.asked === "VisibilityTimeout" && document.querySelector(".row .hit")`)
	v.Press(kb.Enter)
	v.Wait(`document.documentElement.dataset.opened === "1" && ` + current + `?.innerText.includes("VisibilityTimeout")`)

	// 2. Go on to the next match and back.
	first := v.says(selected)
	v.Press("n")
	v.Wait(selected + ` !== ` + fmt.Sprintf("%q", first))
	v.Press("N")
	v.Wait(selected + ` === ` + fmt.Sprintf("%q", first))

	// 3. Search for something else in all branches of the session.
	v.slash()
	v.Do(`document.querySelector("#search").value = ""`)
	v.Press("mutex around" + kb.Enter)
	v.Wait(`document.querySelector("#count").textContent.startsWith("match 1 of ")`)
	v.Press(escape)
	v.Wait(`document.querySelector("#search").value === ""`)

	// 4. Walk through the prompts.
	v.Press("g")
	v.Wait(current + `?.innerText.includes("your parcel is on its way")`)
	v.Press("]")
	v.Wait(current + `?.matches(".you") && !` + current + `.innerText.includes("your parcel is on its way")`)
	v.Press("[")
	v.Wait(current + `?.innerText.includes("your parcel is on its way")`)

	// 5. Read a branch that was left: at the branch point, in the tree, unfolded.
	v.see("s/" + bugHunt)
	v.Wait(`document.documentElement.dataset.opened === "1"`)
	v.Press("b")
	v.Wait(selected + `?.includes("2 branches")`)
	v.Press("t")
	is(v, `document.activeElement.id`, "tree")
	v.Press(kb.ArrowDown)
	v.Wait(selected + `?.includes("looks like a race then")`)
	rows := `document.querySelector("#rows").textContent`
	all := v.says(rows)
	v.Press(kb.ArrowLeft) // folds it
	v.Wait(rows + ` !== ` + fmt.Sprintf("%q", all) + ` && document.querySelector(".trow[aria-current]").getAttribute("aria-expanded") === "false"`)
	v.Press(kb.ArrowRight)
	v.Wait(rows + ` === ` + fmt.Sprintf("%q", all) + ` && document.querySelector(".trow[aria-current]").getAttribute("aria-expanded") === "true"`)
	v.Press(kb.ArrowRight) // into it
	v.Wait(selected + `?.includes("Adding a mutex around")`)
	v.Press(kb.ArrowLeft) // folds it again, from within
	v.Wait(selected + `?.includes("looks like a race then")`)
	v.Press(kb.ArrowLeft) // a folded one: to where it begins
	v.Wait(selected + `?.includes("2 branches")`)
	v.Press(kb.ArrowDown)
	v.Press(kb.Enter)
	v.Wait(`document.querySelector("#conversation").innerText.includes("Adding a mutex around")`)

	// 6. Expand all calls, and fold them.
	v.Press("e")
	v.Wait(`!document.querySelector("#conversation details.call:not([open])") && document.querySelector("#fold").getAttribute("aria-pressed") === "true"`)
	v.Press("e")
	v.Wait(`!document.querySelector("#conversation details.call[open]")`)

	// 7. See what the model saw here.
	v.Press("x")
	v.Wait(`document.querySelector("#context .ctx li")`)
	v.Press(escape)
	v.Wait(`document.querySelector("#context").hidden`)

	// 8. Copy a command; the page says so.
	v.see("s/" + bugHunt)
	v.Wait(`document.documentElement.dataset.opened === "1"`)
	v.Press("c")
	v.Wait(`document.activeElement.matches("#commands button")`)
	v.Press(kb.Enter)
	v.Wait(`globalThis.copied?.startsWith("pi --session ") && document.querySelector(".toast[role=status]")?.textContent.startsWith("Copied: pi --session ")`)

	// 9. Compare the branches: the link is reached by Tab.
	v.see("s/" + bugHunt)
	v.Wait(`document.documentElement.dataset.opened === "1"`)
	v.tabTo(`.acts a[href$="compare"]`)
	v.Press(kb.Enter)
	v.Wait(`document.querySelector(".sidehead")`)
	v.Press(escape)
	v.Wait(`location.pathname === "/s/` + bugHunt + `"`)

	// 10. Look up a bar of the costs, and the sessions behind it, in the dark.
	v.Wait(ready)
	v.Press("u")
	v.Wait(`document.querySelector(".usehead")`)
	v.see("usage?range=all")
	v.tabTo(`.plot a:focus-visible`)
	v.Wait(`!document.querySelector(".tip").hidden && document.activeElement.getAttribute("aria-label").includes(": ")`)
	theme := v.says(`document.documentElement.dataset.theme ?? ""`)
	v.Press("d")
	v.Wait(`document.documentElement.dataset.theme !== ` + fmt.Sprintf("%q", theme))
	v.Press(kb.Enter)
	v.Wait(`location.pathname === "/" && location.search.includes("since") && ` + ready)
	if faults := v.Faults(); len(faults) > 0 {
		t.Errorf("the browser complains: %q", faults)
	}
}

// A row that is chosen before the page has gone to an earlier one stays chosen.
func TestKeysRightAfterAJump(t *testing.T) {
	v, _, _ := readDemo(t, 0)
	v.see("s/" + bugHunt)
	v.Wait(`document.documentElement.dataset.opened === "1"`)
	v.Do(`for (const key of ["b", "t", "ArrowDown"]) document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
		setTimeout(() => document.documentElement.dataset.waited = "1", 600)`)
	v.Wait(`document.documentElement.dataset.waited === "1"`)
	is(v, selected+`?.includes("looks like a race then")`, true)
}

// tabTo presses Tab until an element has the focus.
func (v *visitor) tabTo(selector string) {
	v.t.Helper()
	for range 60 {
		v.Press(tab)
		if v.says(fmt.Sprintf(`String(document.activeElement.matches(%q))`, selector)) == "true" {
			return
		}
	}
	v.t.Fatalf("Tab does not lead to %s", selector)
}

// The tree follows the conversation while a person scrolls, also right after a jump.
func TestTreeFollowsScrolling(t *testing.T) {
	v, _, _ := readDemo(t, 0)
	v.see("s/" + bugHunt)
	v.Wait(`document.documentElement.dataset.opened === "1" && [...document.querySelectorAll(".chunk")].every((c) => c.children.length)`)
	// The row of the last text or call that begins above a third of the window.
	const follows = `(() => {
		const rows = [...document.querySelectorAll(".chunk [data-r]")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().top <= innerHeight * 0.3);
		const last = rows.at(-1), id = last && "t" + last.closest(".chunk").dataset.s + "-" + last.dataset.r;
		return scrollY > %d && id && document.querySelector(".trow[aria-current]")?.id === id && document.querySelector(".trow[aria-current]").checkVisibility();
	})()`
	rows := map[string]bool{}
	for n := range 4 {
		v.Wheel(900, 500, 300)
		v.Wait(fmt.Sprintf(follows, 150*(n+1)))
		rows[v.says(selected)] = true
	}
	if len(rows) < 3 {
		t.Errorf("while the page is scrolled by 1200 pixels, only %v are selected", rows)
	}
	v.Press("G") // and back from the end
	v.Wait(`[...document.querySelectorAll("[data-r]")].at(-1).matches(".at")`)
	v.Wheel(900, 500, -5000)
	v.Wait(`scrollY === 0 && ` + selected + `?.includes("customers complain")`)
}

func (v *visitor) says(expression string) string {
	v.t.Helper()
	return browser.Eval[string](v.Page, expression)
}
