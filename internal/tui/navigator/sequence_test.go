package navigator_test

import (
	"reflect"

	tea "charm.land/bubbletea/v2"
)

// sequence unpacks the message of [tea.Sequence], whose type has no name outside
// its package.
func sequence(msg tea.Msg) ([]tea.Cmd, bool) {
	v := reflect.ValueOf(msg)
	if v.Kind() != reflect.Slice || !v.Type().ConvertibleTo(reflect.TypeFor[[]tea.Cmd]()) {
		return nil, false
	}
	return v.Convert(reflect.TypeFor[[]tea.Cmd]()).Interface().([]tea.Cmd), true
}
