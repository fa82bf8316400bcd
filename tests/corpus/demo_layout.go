package corpus

// screenshot is a tiny picture of a page whose red button hangs out of the
// dark header.
const screenshot = "iVBORw0KGgoAAAANSUhEUgAAACAAAAAUCAIAAABj86gYAAAAOklEQVR42mPQ0DGhKWIYtUDH5ISNDVZELwu+fv1AIcJlAUR22FhQgRcMsAX4ERWCaNSCUQtGLRhwCwDSqGlkPq8BLAAAAABJRU5ErkJggg=="

// layout: a button hangs out of the header. Shows pictures, thinking, failing
// and aborted attempts, and diffs.
func layout() *script {
	s := newScript(104, "/home/jonas/work/booking-site", day(5, 6, 16, 3), "")
	s.use(models[0])
	s.thinking("high")
	s.user("the \"Book now\" button hangs out of the header since yesterday, see screenshot. only below 600px", picture(screenshot))
	s.calling(
		thought("The screenshot shows a dark header about 5 units tall and a red button from 3 to 9, so it overflows by 4 at the bottom. "+
			"Only on narrow screens: probably a media query changed the header's height but not the button's. Look at the styles and what changed yesterday."),
		said("The button is taller than the header there. Let me see what changed yesterday."),
		s.bash("git log --since=2.days --oneline -- web/styles"),
		s.read("web/styles/header.css"),
		s.read("web/styles/buttons.scss"),
	)
	s.result("e81fa02 header: smaller on phones\n")
	s.result(".header {\n\theight: 64px;\n\tdisplay: flex;\n\talign-items: center;\n}\n\n@media (max-width: 600px) {\n\t.header {\n\t\theight: 40px;\n\t\talign-items: start;\n\t}\n}\n")
	s.failed("ENOENT: no such file or directory, open 'web/styles/buttons.scss'")
	s.calling(
		thought("The file is css, not scss. The commit also changed align-items to start, which pushes the button down with its margin."),
		s.bash("ls web/styles && grep -n -A4 'book-now' web/styles/*.css"),
	)
	s.result("base.css\nbuttons.css\nheader.css\nweb/styles/buttons.css:31:.book-now {\nweb/styles/buttons.css-32-\tmargin: 12px 0;\nweb/styles/buttons.css-33-\tpadding: 12px 20px;\n" +
		"web/styles/buttons.css-34-\tbackground: #c83c3c;\nweb/styles/buttons.css-35-}\n")
	s.calling(
		said("Found it: the header shrank to 40px, but `.book-now` is 48px with its padding, and `align-items: start` adds the 12px margin on top."),
		s.edit("web/styles/header.css", "\t\talign-items: start;\n", ""),
		s.edit("web/styles/buttons.css", "\tmargin: 12px 0;\n\tpadding: 12px 20px;\n", "\tpadding: 12px 20px;\n"),
	)
	s.edited("web/styles/header.css", 10, "   8 \t.header {\n   9 \t\theight: 40px;\n- 10 \t\talign-items: start;\n  10 \t}\n")
	s.failed("Could not find the exact text in web/styles/buttons.css. The old text must match exactly including all whitespace and newlines.")
	s.broken("aborted", "Request was aborted", said("The second edit did not match, the file uses"))
	s.user("wait. don't change the button for desktop, only on phones")
	s.calling(
		thought("Keep the rule, add a narrow-screen override in the same media query style."),
		s.bash("cat >> web/styles/buttons.css <<'CSS'\n\n@media (max-width: 600px) {\n\t.book-now {\n\t\tmargin: 0;\n\t\tpadding: 6px 14px;\n\t}\n}\nCSS\nnpx playwright test header --update-snapshots=none"),
	)
	s.result("Running 6 tests using 2 workers\n\n  ✓  1 header.spec.ts:12 button inside header at 360px (1.1s)\n  ✓  2 header.spec.ts:12 button inside header at 599px (1.0s)\n" +
		"  ✓  3 header.spec.ts:20 desktop unchanged (0.9s)\n\n  6 passed (4.8s)\n")
	s.answer(said("Fixed, phones only. At 360px the button is 32px tall inside the 40px header; the desktop snapshot is unchanged.\n\n```diff\n+@media (max-width: 600px) {\n" +
		"+\t.book-now {\n+\t\tmargin: 0;\n+\t\tpadding: 6px 14px;\n+\t}\n+}\n```"))
	s.user("and with the long German label?")
	s.broken("error", "529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}")
	s.calling(s.bash("npx playwright test header --grep 'long label'"))
	s.result("  ✓  1 header.spec.ts:31 long label “Jetzt verbindlich buchen” wraps (1.2s)\n\n  1 passed (2.0s)\n")
	s.answer(said("Works as well: “Jetzt verbindlich buchen” wraps to two lines and stays inside."))
	s.name("button hangs out of the header")
	return s
}
