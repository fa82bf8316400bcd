package corpus

// assistantRest is about the length of an assistant message after its content:
// api, model, usage, reason.
const assistantRest = 400

// openAssistant starts an assistant message up to the first content block and
// returns the target length of its line.
func (g *generator) openAssistant() (target int) {
	g.wait(900, 14000)
	g.begin("message")
	g.out.text(`,"message":{"role":"assistant","content":[`)
	return assistantSizes.draw(g.r)
}

// closeAssistant writes everything after the content blocks.
func (g *generator) closeAssistant(stopReason, errorMessage string) {
	out, m := g.out, g.model
	output := max(8, out.lineLength()/4)
	out.text(`],"api":"`)
	out.text(m.api)
	out.text(`","provider":"`)
	out.text(m.provider)
	out.text(`","model":"`)
	out.text(m.id)
	out.text(`","usage":`)
	g.usage(g.r.between(2, 12), output, g.tokens, g.r.between(80, 4000))
	out.text(`,"stopReason":"`)
	out.text(stopReason)
	out.text(`","timestamp":`)
	out.int(g.now - int64(g.r.between(400, 900)))
	if errorMessage != "" {
		out.text(`,"errorMessage":`)
		out.quoted(errorMessage)
	} else {
		out.text(`,"responseId":"msg_01`)
		g.digits(base62Digits, 22)
		out.text(`"`)
	}
	out.text(`}`)
	out.endLine()
	g.tokens = min(g.tokens+output, 185000)
}

// usage writes token counts and their cost.
func (g *generator) usage(input, output, cacheRead, cacheWrite int) {
	out, m := g.out, g.model
	price := func(tokens int, perMillion float64) float64 { return float64(tokens) * perMillion / 1e6 }
	costs := [...]float64{
		price(input, m.input), price(output, m.output), price(cacheRead, m.input/10), price(cacheWrite, m.input*1.25),
	}
	total := 0.0
	for i, tokens := range [...]int{input, output, cacheRead, cacheWrite} {
		out.text([...]string{`{"input":`, `,"output":`, `,"cacheRead":`, `,"cacheWrite":`}[i])
		out.int(int64(tokens))
	}
	out.text(`,"totalTokens":`)
	out.int(int64(input + output + cacheRead + cacheWrite))
	for i, cost := range costs {
		out.text([...]string{`,"cost":{"input":`, `,"output":`, `,"cacheRead":`, `,"cacheWrite":`}[i])
		out.cost(cost)
		total += cost
	}
	out.text(`,"total":`)
	out.cost(total)
	out.text(`}}`)
}

// assistantAnswering ends a turn with prose, longer pieces with code in them.
func (g *generator) assistantAnswering() {
	target := g.openAssistant()
	if g.r.chance(80) {
		g.thinking(g.r.between(120, 900))
		g.out.text(`,`)
	}
	g.out.text(`{"type":"text","text":"`)
	if target > 2500 {
		g.body(proseText, 600)
		g.out.text("\\n\\n```go\\n")
		g.fill(codeText, target, assistantRest+10)
		g.out.text("```")
	} else {
		g.fill(proseText, target, assistantRest)
	}
	g.out.text(`"}`)
	g.closeAssistant("stop", "")
}

// assistantStopped ends a turn before the model was done.
func (g *generator) assistantStopped(reason, message string) {
	g.openAssistant()
	if g.r.chance(500) {
		g.out.text(`{"type":"text","text":"`)
		g.body(proseText, 90)
		g.out.text(`"}`)
	}
	g.closeAssistant(reason, message)
}

// assistantCalling writes a message with n tool calls, which wait in g.calls.
func (g *generator) assistantCalling(n int) {
	target := g.openAssistant()
	left := target - g.out.lineLength() - assistantRest - 150*n
	if g.r.chance(100) {
		size := min(max(left, 60), g.r.between(120, 900))
		g.thinking(size)
		g.out.text(`,`)
		left -= 2*size + 80
	}
	if g.r.chance(500) {
		size := max(40, min(left, g.r.between(40, 240)))
		g.out.text(`{"type":"text","text":"`)
		g.body(proseText, size)
		g.out.text(`"},`)
		left -= size + 30
	}
	g.calls = g.calls[:0]
	for i := range n {
		if i > 0 {
			g.out.text(`,`)
		}
		g.toolCall(left / n)
	}
	g.closeAssistant("toolUse", "")
}

// thinking writes a thinking block with about size bytes of thought and a
// signature of about the same length.
func (g *generator) thinking(size int) {
	g.out.text(`{"type":"thinking","thinking":"`)
	g.body(proseText, size)
	g.out.text(`","thinkingSignature":"`)
	g.digits(base64Digits, size/4*4)
	g.out.text(`"}`)
}

// toolCall writes one call whose arguments have about size bytes. Only writes
// and edits have large ones.
func (g *generator) toolCall(size int) {
	out := g.out
	tool := "bash"
	switch p := g.r.below(100); {
	case size > 400 && p < 80 || p < 12:
		tool = "edit"
	case size > 400:
		tool = "write"
	case p < 45:
		tool = "read"
	}
	c := call{tool: tool, file: pick(g.r, slots["file"])}
	out.text(`{"type":"toolCall","id":"`)
	start := len(out.buf)
	out.text(g.model.callPrefix)
	g.digits(base62Digits, 22)
	c.id = string(out.buf[start:])
	g.calls = append(g.calls, c)
	out.text(`","name":"`)
	out.text(tool)
	out.text(`","arguments":`)
	switch tool {
	case "edit":
		g.openPath(c)
		out.text(`,"edits":[{"oldText":"`)
		g.body(codeText, max(20, size*2/5))
		out.text(`","newText":"`)
		g.body(codeText, max(30, size*3/5))
		out.text(`"}]}}`)
	case "write":
		g.openPath(c)
		out.text(`,"content":"`)
		g.body(codeText, size)
		out.text(`"}}`)
	case "read":
		g.openPath(c)
		if g.r.chance(700) {
			out.text(`,"offset":`)
			out.int(int64(g.r.between(1, 900)))
			out.text(`,"limit":`)
			out.int(int64(g.r.between(20, 300)))
		}
		out.text(`}}`)
	default:
		out.text(`{"command":`)
		out.quoted("cd " + g.o.Cwd + " && " + pick(g.r, slots["cmd"]))
		out.text(`}}`)
	}
}

// openPath writes the first argument of all tools that work on a file.
func (g *generator) openPath(c call) {
	out := g.out
	out.text(`{"path":"`)
	out.buf = appendEscaped(out.buf, g.o.Cwd)
	out.text(`/`)
	out.text(c.file)
	out.text(`"`)
}
