package llm

import "encoding/json"

// A concealed is a text of a file that may be a key. Like a [Secret] it is held
// as a function, so that no way of printing a value that contains it shows it.
type concealed struct{ get func() string }

func conceal(text string) concealed { return concealed{func() string { return text }} }

// UnmarshalJSON reads a string.
func (c *concealed) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	*c = conceal(text)
	return nil
}

// plain is the text; "" for the zero concealed.
func (c concealed) plain() string {
	if c.get == nil {
		return ""
	}
	return c.get()
}
