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

// draw makes the picture. Every piece of text has a position and a length, so
// that columns are aligned in any font.
func draw(rows [][]piece, title string) string {
	var body strings.Builder
	cells := 0
	for y, row := range rows {
		x := 0
		for _, p := range row {
			for _, part := range p.split() {
				width := displaywidth.String(part.text)
				part.draw(&body, x, y, width)
				x += width
			}
		}
		cells = max(cells, x)
	}
	width := 2*margin + int(float64(cells)*cellWidth+0.5)
	height := 2*margin + len(rows)*lineHeight
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="%s" font-size="14">
<title>%s</title>
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
%s</svg>
`, width, height, width, height, font, html.EscapeString(title), paper, body.String())
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

func (p *piece) draw(b *strings.Builder, x, y, width int) {
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
		fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
			left, margin+y*lineHeight, float64(width)*cellWidth, lineHeight, back)
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
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" fill=\"%s\"%s textLength=\"%.1f\" xml:space=\"preserve\">%s</text>\n",
		left, margin+y*lineHeight+14, fore, p.attributes(), float64(displaywidth.String(text))*cellWidth, html.EscapeString(text))
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
