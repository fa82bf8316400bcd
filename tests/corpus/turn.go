package corpus

// A model is the model of assistant messages.
type model struct {
	api, provider, id string
	callPrefix        string  // of tool call ids
	input, output     float64 // dollars per million tokens
}

var models = []model{
	{"anthropic-messages", "anthropic", "claude-opus-4-5", "toolu_01", 5, 25},
	{"anthropic-messages", "anthropic", "claude-sonnet-4-5", "toolu_01", 3, 15},
	{"openai-responses", "openai", "gpt-5.1-codex", "call_", 1.25, 10},
}

// A call is a tool call that waits for its result.
type call struct {
	id   string
	tool string
	file string
}

// turn writes one turn: the user asks, the model calls tools until it is done,
// and responds.
func (g *generator) turn() {
	if g.room() < 2 {
		if g.room() == 1 {
			g.custom()
		}
		return
	}
	g.turns = append(g.turns, len(g.path))
	g.user()
	for range roundsPerTurn.draw(g.r) {
		calls := 1
		if g.r.chance(150) {
			calls = g.r.between(2, 4)
		}
		if calls = min(calls, g.room()-2); calls < 1 {
			break
		}
		g.assistantCalling(calls)
		for _, c := range g.calls {
			g.toolResult(c)
		}
	}
	switch {
	case g.r.chance(15):
		g.assistantStopped("aborted", "Request was aborted")
	case g.r.chance(15):
		g.assistantStopped("error", `529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
	default:
		g.assistantAnswering()
	}
}

func (g *generator) user() {
	g.wait(2000, 180000)
	target := userSizes.draw(g.r)
	g.begin("message")
	out := g.out
	out.text(`,"message":{"role":"user","content":[{"type":"text","text":"`)
	k := askText
	if target > 1500 { // A pasted log.
		k = outputText
	}
	g.fill(k, target, 40)
	out.text(`"}`)
	if g.o.Images && g.r.chance(120) {
		g.image()
	}
	out.text(`],"timestamp":`)
	out.int(g.now - 12)
	out.text(`}`)
	out.endLine()
	g.tokens += target / 4
}

// image writes an image block after another block.
func (g *generator) image() {
	g.out.text(`,{"type":"image","data":"iVBORw0KGgo`)
	g.digits(base64Digits, 4*g.r.between(2000, 30000)+1)
	g.out.text(`","mimeType":"image/png"}`)
	g.tokens += 1200
}

func (g *generator) toolResult(c call) {
	g.wait(3, 9000)
	target := resultSizes.draw(g.r)
	failed := c.tool == "bash" && g.r.chance(90)
	g.begin("message")
	g.path[len(g.path)-1].result = true
	out := g.out
	out.text(`,"message":{"role":"toolResult","toolCallId":"`)
	out.text(c.id)
	out.text(`","toolName":"`)
	out.text(c.tool)
	out.text(`","content":[{"type":"text","text":"`)
	switch c.tool {
	case "edit":
		out.text(`Successfully replaced 1 block(s) in `)
		out.text(c.file)
		out.text(`."}],"details":{"diff":"`)
		g.fill(codeText, target, 70)
		out.text(`","firstChangedLine":`)
		out.int(int64(g.r.between(1, 400)))
		out.text(`}`)
	case "write":
		out.text(`Successfully wrote `)
		out.int(int64(g.r.between(200, 20000)))
		out.text(` bytes to `)
		out.text(c.file)
		out.text(`"}]`)
	case "read":
		g.fill(codeText, target, 60)
		out.text(`"}]`)
	default:
		g.fill(outputText, target, 60)
		if failed {
			out.text(`\n\nCommand exited with code 1`)
		}
		out.text(`"}]`)
	}
	out.text(`,"isError":`)
	if failed {
		out.text(`true`)
	} else {
		out.text(`false`)
	}
	out.text(`,"timestamp":`)
	out.int(g.now)
	out.text(`}`)
	g.tokens += out.lineLength() / 4
	out.endLine()
}
