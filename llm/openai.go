package llm

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/pith-sessions/pith/format"
)

// APIOpenAI is the name of the Chat Completions protocol in sessions.
const APIOpenAI = "openai-completions"

// An OpenAI asks a model by OpenAI's Chat Completions protocol, which most other
// providers and local servers speak too. It is safe for concurrent use.
type OpenAI struct {
	model  Model
	opts   Options
	compat compat
	levels levels
}

// NewOpenAI returns a client for a model. An empty API is filled in, and so is
// an empty BaseURL, with OpenAI's own address.
func NewOpenAI(m Model, o Options) *OpenAI {
	if m.API == "" {
		m.API = APIOpenAI
	}
	if m.BaseURL == "" {
		m.BaseURL = "https://api.openai.com/v1"
	}
	return &OpenAI{m, o, compatOf(m, o.Compat), decodeLevels(o.Levels)}
}

// Model implements [Client].
func (c *OpenAI) Model() Model { return c.model }

// Stream implements [Client].
func (c *OpenAI) Stream(ctx context.Context, r Request, observe func(Event)) (*format.Assistant, error) {
	a := newAnswer(c.model, c.opts, observe)
	way, err := c.opts.open(ctx)
	if err != nil {
		return a.fail(ctx, ctx, err, scrubber{})
	}
	defer way.close()
	if way.key != "" {
		way.gate.header.Set("Authorization", "Bearer "+way.key)
	}
	way.set(c.compat.affinity(r.SessionID))
	way.custom()

	client := openai.Client{Options: []option.RequestOption{
		option.WithBaseURL(c.model.BaseURL), option.WithHTTPClient(way.gate), option.WithMaxRetries(0),
	}}
	var res *http.Response
	err = client.Post(way.ctx, "chat/completions", c.params(r), &res, option.WithJSONSet("stream", true))
	if err == nil {
		defer res.Body.Close()
		in := &openAIReader{answer: a, model: c.model, tiers: c.opts.Tiers, finishes: c.compat.FinishReason,
			byIndex: map[int64]*part{}, byID: map[string]*part{}}
		err = in.read(ssestream.NewDecoder(res))
	}
	if err != nil {
		return a.fail(ctx, way.ctx, err, way.hide)
	}
	return a.finish(), nil
}
