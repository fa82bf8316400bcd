package main

import (
	"fmt"
	"html"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// The sizes of the picture, in its own units, and its colors.
const (
	cellWidth  = 8.43
	lineHeight = 19
	margin     = 16
	paper      = "#21252b"
	ink        = "#d7dae0"
	font       = "ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace"
)

// A frame is a screen, and how long it is shown in seconds.
type frame struct {
	rows [][]piece
	hold float64
}

// draw makes the picture of a frame, or of several one after the other. Every piece of
// text has a position and a length, so that columns are aligned in any font. A row that
// several frames show is written once.
func draw(frames []frame, title string) string {
	var shared, body strings.Builder
	cells, height, total := 0, 0, 0.0
	for _, f := range frames {
		height, total = max(height, len(f.rows)), total+f.hold
	}
	known := map[string]int{}
	for i, f := range frames {
		if len(frames) > 1 {
			fmt.Fprintf(&body, "<g class=\"f\" id=\"f%d\">\n", i)
		}
		for y, row := range f.rows {
			text, width := drawRow(row)
			cells = max(cells, width)
			switch n, ok := known[text]; {
			case text == "":
			case len(frames) == 1:
				fmt.Fprintf(&body, "<g transform=\"translate(0,%d)\">\n%s</g>\n", margin+y*lineHeight, text)
			default:
				if !ok {
					n = len(known)
					known[text] = n
					fmt.Fprintf(&shared, "<g id=\"r%d\">\n%s</g>\n", n, text)
				}
				fmt.Fprintf(&body, "<use href=\"#r%d\" y=\"%d\"/>\n", n, margin+y*lineHeight)
			}
		}
		if len(frames) > 1 {
			body.WriteString("</g>\n")
		}
	}
	defs := ""
	if len(frames) > 1 {
		defs = "<style>\n" + timing(frames, total) + "</style>\n<defs>\n" + shared.String() + "</defs>\n"
	}
	w, h := 2*margin+int(float64(cells)*cellWidth+0.5), 2*margin+height*lineHeight
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="%s" font-size="14">
<title>%s</title>
%s<rect width="100%%" height="100%%" rx="8" fill="%s"/>
%s</svg>
`, w, h, w, h, font, html.EscapeString(title), defs, paper, body.String())
}

// timing returns the style rules that show the frames in turn, again and again.
// Programs without animations, and people who do not want them, see one frame of the
// second half.
func timing(frames []frame, total float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".f{animation-duration:%.1fs;animation-iteration-count:infinite;animation-timing-function:step-end;visibility:hidden}\n#f%d{visibility:visible}\n", total, len(frames)*2/3)
	at := 0.0
	for i, f := range frames {
		from, to := 100*at/total, 100*(at+f.hold)/total
		at += f.hold
		fmt.Fprintf(&b, "#f%d{animation-name:f%[1]d}@keyframes f%[1]d{0%%{visibility:%s}", i, map[bool]string{true: "visible", false: "hidden"}[i == 0])
		if i > 0 {
			fmt.Fprintf(&b, "%.2f%%{visibility:visible}", from)
		}
		if i < len(frames)-1 {
			fmt.Fprintf(&b, "%.2f%%{visibility:hidden}", to)
		}
		b.WriteString("}\n")
	}
	return b.String() + "@media (prefers-reduced-motion:reduce){.f{animation:none!important}}\n"
}

// drawRow draws a row at the top, and returns its width in cells.
func drawRow(row []piece) (text string, cells int) {
	var b strings.Builder
	for _, p := range row {
		for _, part := range p.split() {
			width := displaywidth.String(part.text)
			part.draw(&b, cells, width)
			cells += width
		}
	}
	return b.String(), cells
}

// split separates wide characters from others: their glyphs may have any width,
// and the following text must keep its position.
func (p *piece) split() []piece {
	var out []piece
	last := 0
	for _, r := range p.text {
		wide := displaywidth.String(string(r))
		if len(out) == 0 || wide > 0 && wide != last {
			out = append(out, piece{style: p.style})
			last = wide
		}
		out[len(out)-1].text += string(r)
	}
	return out
}

func (p *piece) draw(b *strings.Builder, x, width int) {
	fore, back := p.fore, p.back
	if p.inverse {
		if fore, back = back, fore; fore == "" {
			fore = paper
		}
		if back == "" {
			back = ink
		}
	}
	left := margin + float64(x)*cellWidth
	if back != "" {
		fmt.Fprintf(b, "<rect x=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
			left, float64(width)*cellWidth, lineHeight, back)
	}
	text := strings.TrimRight(p.text, " ")
	if text == "" {
		return
	}
	if fore == "" {
		fore = ink
	}
	lead := len(text) - len(strings.TrimLeft(text, " "))
	left += float64(lead) * cellWidth
	text = text[lead:]
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"14\" fill=\"%s\"%s textLength=\"%.1f\" xml:space=\"preserve\">%s</text>\n",
		left, fore, p.attributes(), float64(displaywidth.String(text))*cellWidth, html.EscapeString(text))
}

func (p *piece) attributes() string {
	out := ""
	for _, a := range []struct {
		on   bool
		text string
	}{
		{p.bold, ` font-weight="bold"`}, {p.dim, ` opacity="0.7"`}, {p.italic, ` font-style="italic"`}, {p.under, ` text-decoration="underline"`},
	} {
		if a.on {
			out += a.text
		}
	}
	return out
}
