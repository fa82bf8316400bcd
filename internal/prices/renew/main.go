// Command renew makes the list of prices again from a file of published ones:
// an object of providers, each an object of models with their prices, as pi-ai
// publishes them.
//
//	go run ./internal/prices/renew -date 2026-11-19 -source "pi-ai 1.5.2" FILE
//
// Models that the file no longer has keep their prices. A changed price is added
// with its first day, and the one before stays for older responses.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/prices"
)

// providers are those whose models agents name directly, and the large gateways.
var providers = []string{
	"amazon-bedrock", "anthropic", "azure", "cerebras", "deepseek", "github-copilot", "google", "google-vertex", "groq", "kimi-coding",
	"minimax", "mistral", "moonshotai", "openai", "openai-codex", "opencode", "openrouter", "vercel-ai-gateway", "xai", "zai",
}

func main() {
	date := flag.String("date", time.Now().UTC().Format(time.DateOnly), "the first `DAY` of the prices")
	source := flag.String("source", "", "where they were published")
	list := flag.String("list", filepath.Join("internal", "prices", "prices.json"), "the list to renew")
	flag.Parse()
	if err := renew(*list, flag.Arg(0), *date, *source); err != nil {
		fmt.Fprintln(os.Stderr, "renew:", err)
		os.Exit(1)
	}
}

func renew(list, file, date, source string) error {
	if _, err := time.Parse(time.DateOnly, date); err != nil || source == "" {
		return errors.New("give -date as YYYY-MM-DD and -source")
	}
	old := &prices.List{Models: map[string]map[string][]prices.Price{}}
	if text, err := os.ReadFile(list); err == nil {
		if old, err = prices.Parse(text); err != nil {
			return fmt.Errorf("%s: %w", list, err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var published map[string]map[string]prices.Price
	if err := json.Unmarshal(text, &published); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, provider := range providers {
		models := old.Models[provider]
		if models == nil {
			models = map[string][]prices.Price{}
			old.Models[provider] = models
		}
		for id, p := range published[provider] {
			if p.Input+p.Output == 0 || strings.HasSuffix(id, ":free") || strings.HasSuffix(id, ":batch") {
				continue
			}
			add(models, id, p, date)
		}
	}
	old.Date, old.Source = date, source
	return os.WriteFile(list, encode(old), 0o644)
}

// add adds a price, unless the last one of the model is the same.
func add(models map[string][]prices.Price, id string, p prices.Price, date string) {
	if strings.Contains(id, "claude") {
		byHour(&p)
		for i := range p.Tiers {
			byHour(&p.Tiers[i].Price)
		}
	}
	if known := models[id]; len(known) > 0 {
		p.From = known[len(known)-1].From
		if equal(known[len(known)-1], p) {
			return
		}
		p.From = date
	}
	models[id] = append(models[id], p)
}

// byHour adds Anthropic's price of writes to the cache for an hour, which is
// twice that of input.
func byHour(p *prices.Price) { p.CacheWrite1h = 2 * p.Input }

func equal(a, b prices.Price) bool {
	one, _ := json.Marshal(a) // only numbers
	two, _ := json.Marshal(b)
	return bytes.Equal(one, two)
}

// encode writes one model per line, so that a renewed list can be compared.
func encode(l *prices.List) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"date\": %q,\n\"source\": %q,\n\"prices\": {\n", l.Date, l.Source)
	names := slices.Sorted(maps.Keys(l.Models))
	for i, provider := range names {
		fmt.Fprintf(&b, "%q: {\n", provider)
		ids := slices.Sorted(maps.Keys(l.Models[provider]))
		for j, id := range ids {
			line, _ := json.Marshal(l.Models[provider][id]) // only numbers
			fmt.Fprintf(&b, "%q: %s%s\n", id, line, comma(j, len(ids)))
		}
		fmt.Fprintf(&b, "}%s\n", comma(i, len(names)))
	}
	b.WriteString("}\n}\n")
	return b.Bytes()
}

func comma(i, n int) string {
	if i < n-1 {
		return ","
	}
	return ""
}
