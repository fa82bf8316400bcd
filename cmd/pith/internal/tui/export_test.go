package tui

import tea "charm.land/bubbletea/v2"

// SetSend gives the app a way to be told something by other goroutines.
func (a *App) SetSend(send func(tea.Msg)) { a.send = send }

// QuitNow is the message that ends the app.
type QuitNow = quitNow
