package longline_test

import (
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/longline"
)

// imageStart is how many digits of an image remain.
const imageStart = 3 << 10

// image returns an image of about n base64 digits.
func image(n int) string {
	data := make([]byte, n*3/4)
	for i := range data {
		data[i] = byte(rand.N(256))
	}
	return base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x1a\n"), data...))
}

func message(blocks string) string {
	return `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":[` + blocks + `]}}`
}

func block(data string) string {
	return `{"type":"image","data":"` + data + `","mimeType":"image/png"}`
}

// A line without its images is short, everything else in it is there, and the
// parts are the rest of the images.
func TestImages(t *testing.T) {
	one, two := image(1<<20), image(700_001)
	text := `{"type":"text","text":"look at \"data\":\"` + image(600_000) + `"}`
	call := `{"type":"toolCall","id":"c","name":"n","arguments":{"data":"` + one + `"}}`
	for name, tt := range map[string]struct {
		blocks string
		ok     bool
		sizes  []int
	}{
		"one":         {text + "," + block(one), true, []int{len(one)}},
		"two":         {block(one) + "," + text + "," + block(two), true, []int{len(one), len(two)}},
		"small":       {block("iVBORw0KGgo="), true, []int{12}},
		"no image":    {text, true, nil},
		"an argument": {call, false, nil},
		"both":        {block(one) + "," + call, false, nil},
		"not base64":  {block(one[:1<<19] + "-" + one[1<<19:]), false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			line := message(tt.blocks)
			cut := 0
			got, ok, err := longline.Images(strings.NewReader(line), 0, func(part []byte) { cut += len(part) })
			if err != nil || ok != tt.ok {
				t.Fatalf("Images of %d bytes = %d bytes, %t, %v; want %t", len(line), len(got), ok, err, tt.ok)
			}
			if !ok {
				return
			}
			e, err := format.DecodeEntry(got)
			if err != nil {
				t.Fatal(err)
			}
			var sizes []int
			all := string(got)
			for _, b := range e.(*format.MessageEntry).Message.(*format.User).Content.Blocks {
				if b, ok := b.(*format.ImageBlock); ok {
					start, size := longline.ImageSize(b.Data)
					sizes = append(sizes, size)
					for _, image := range []string{one, two} {
						if len(image) == size && strings.HasPrefix(image, start) {
							all = strings.Replace(all, b.Data, image, 1)
						}
					}
				}
			}
			if all != line {
				t.Errorf("the line of %d bytes has %d bytes with its images", len(line), len(all))
			}
			want := 0
			for _, size := range tt.sizes {
				want += max(0, size-imageStart)
			}
			if !slices.Equal(sizes, tt.sizes) || cut < want || len(line)-len(got) < want-1000 {
				t.Errorf("Images of %d bytes = %d bytes with images of %d digits, %d of them in parts; want %d", len(line), len(got), sizes, cut, tt.sizes)
			}
		})
	}
}

// A secret on the border of two parts is in one of them.
func TestParts(t *testing.T) {
	const secret = "c2VjcmV0IHZhbHVl"
	for _, size := range []int{300_000, 511_990, 524_280, 524_290, 2_000_000, 2_097_140} {
		data := image(3 << 20)
		data = data[:size] + secret + data[size+len(secret):]
		found := false
		_, ok, err := longline.Images(strings.NewReader(message(block(data))), 0, func(part []byte) { found = found || strings.Contains(string(part), secret) })
		if err != nil || !ok || !found {
			t.Errorf("an image with a secret at %d: %t, %v; found %t", size, ok, err, found)
		}
	}
}

// Lines of a file are the same with their images cut as without them.
func TestLines(t *testing.T) {
	cutter := longline.NewImageCutter(strings.NewReader("a\n"+message(block(image(1<<20)))+"\nb"), nil)
	for _, want := range []string{"a\n", "", "b"} {
		line, cuts, err := cutter.Line()
		if want == "" {
			if cuts != 1 || err != nil || len(line) > 10_000 || !strings.HasSuffix(string(line), "]}}\n") {
				t.Errorf("Line() = %d bytes, %d, %v", len(line), cuts, err)
			}
			continue
		}
		if string(line) != want || cuts != 0 || (want == "b") != errors.Is(err, io.EOF) {
			t.Errorf("Line() = %q, %d, %v; want %q", line, cuts, err, want)
		}
	}
}
