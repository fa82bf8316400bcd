package tui

import tea "charm.land/bubbletea/v2"

// SetSend sets the function with which other goroutines send messages to the
// app.
func (a *App) SetSend(send func(tea.Msg)) { a.send = send }

// QuitNow is the message that ends the app.
type QuitNow = quitNow

// Due is due, the rule for the batches of a list.
var Due = due
