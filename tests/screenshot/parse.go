package main

import (
	"fmt"
	"strconv"
	"strings"
)

// A piece is text in one style.
type piece struct {
	text string
	style
}

// A style is the style of text. A color of "" is the terminal's default.
type style struct {
	fore, back                        string
	bold, dim, italic, under, inverse bool
}

// parse splits a line into pieces. The style continues from the previous line,
// since tmux writes only changes.
func (now *style) parse(line string) ([]piece, error) {
	var out []piece
	for line != "" {
		i := strings.IndexByte(line, '\x1b')
		if i < 0 {
			return append(out, piece{line, *now}), nil
		}
		if i > 0 {
			out = append(out, piece{line[:i], *now})
		}
		body, rest, ok := strings.Cut(line[i:], "m")
		codes, colours := strings.CutPrefix(body, "\x1b[")
		if !ok || !colours || strings.Trim(codes, "0123456789;") != "" {
			return nil, fmt.Errorf("a sequence that sets no colour: %q", line[i:min(len(line), i+20)])
		}
		if err := now.apply(codes); err != nil {
			return nil, err
		}
		line = rest
	}
	return out, nil
}

// apply applies the codes to the style.
func (s *style) apply(codes string) error {
	list := strings.Split(codes, ";")
	for i := 0; i < len(list); i++ {
		n, err := strconv.Atoi(list[i])
		if err != nil {
			n = 0 // an empty number means 0
		}
		switch {
		case n == 38 || n == 48:
			colour, used, err := extended(list[i+1:])
			if err != nil {
				return err
			}
			if i += used; n == 38 {
				s.fore = colour
			} else {
				s.back = colour
			}
		case !s.simple(n):
			return fmt.Errorf("colour code %d is not known", n)
		}
	}
	return nil
}

// simple applies a code without parameters, and reports whether it is known.
func (s *style) simple(n int) bool {
	switch {
	case n == 0:
		*s = style{}
	case n == 1:
		s.bold = true
	case n == 2:
		s.dim = true
	case n == 3:
		s.italic = true
	case n == 4:
		s.under = true
	case n == 7:
		s.inverse = true
	case n == 22:
		s.bold, s.dim = false, false
	case n == 23:
		s.italic = false
	case n == 24:
		s.under = false
	case n == 27:
		s.inverse = false
	case n >= 30 && n <= 37:
		s.fore = palette(n - 30)
	case n == 39:
		s.fore = ""
	case n >= 40 && n <= 47:
		s.back = palette(n - 40)
	case n == 49:
		s.back = ""
	case n >= 90 && n <= 97:
		s.fore = palette(n - 90 + 8)
	case n >= 100 && n <= 107:
		s.back = palette(n - 100 + 8)
	default:
		return false
	}
	return true
}

// extended parses the color after 38 or 48: one of 256, or red, green and blue.
func extended(list []string) (colour string, used int, err error) {
	var n []int
	for _, text := range list[:min(len(list), 4)] {
		v, err := strconv.Atoi(text)
		if err != nil || v < 0 || v > 255 {
			break
		}
		n = append(n, v)
	}
	switch {
	case len(n) >= 2 && n[0] == 5:
		return palette(n[1]), 2, nil
	case len(n) >= 4 && n[0] == 2:
		return fmt.Sprintf("#%02x%02x%02x", n[1], n[2], n[3]), 4, nil
	}
	return "", 0, fmt.Errorf("a colour that is not understood: %q", strings.Join(list, ";"))
}

// basic are the sixteen colors that a terminal chooses itself.
var basic = [16]string{
	"#21252b", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0",
	"#7f848e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
}

// palette returns one of the 256 colors: the basic ones, a cube, and grays.
func palette(n int) string {
	switch {
	case n < 16:
		return basic[n]
	case n >= 232:
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
	level := func(v int) int {
		if v == 0 {
			return 0
		}
		return 55 + 40*v
	}
	n -= 16
	return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
}
