package present_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/present"
)

type kind uint8

func (k kind) String() string { return "second" }

type inner struct {
	Name string `json:"name" empty:"null"`
	Same string `json:"inner"`
}

type apart struct {
	Hidden string `json:"hidden"`
}

func TestJSON(t *testing.T) {
	at := time.Date(2026, 5, 1, 10, 0, 0, 5e6, time.UTC)
	for _, tt := range []struct {
		name string
		of   any
		want string
	}{
		{"text", "a<b>\xed\xa0\x80\"", `"a<b>\ud800\""`},
		{"bytes", struct {
			Old [][]byte `json:"old"`
		}{[][]byte{[]byte("x")}}, `{"old":["x"]}`},
		{"empty", struct {
			Text  string          `json:"text"`
			Null  string          `json:"null" empty:"null"`
			Omit  string          `json:"omit,omitempty"`
			Zero  apart           `json:"zero" empty:"null"`
			List  []string        `json:"list"`
			Time  time.Time       `json:"time"`
			Raw   json.RawMessage `json:"raw,omitempty"`
			None  *inner          `json:"none"`
			Other string
		}{Other: "x"}, `{"text":"","null":null,"zero":null,"list":[],"time":null,"none":null}`},
		{"full", struct {
			Time time.Time       `json:"time"`
			Long time.Duration   `json:"ms"`
			Kind kind            `json:"kind"`
			Raw  json.RawMessage `json:"raw"`
			Cost float64         `json:"cost"`
			Any  []any           `json:"any"`
		}{at, time.Second, 2, json.RawMessage(`{"a": 1}`), 0.5, []any{1, "x", nil, true}},
			`{"time":"2026-05-01T10:00:00.005Z","ms":1000,"kind":"second","raw":{"a":1},"cost":0.5,"any":[1,"x",null,true]}`},
		{"embedded", struct {
			inner
			*apart
			Same string `json:"outer"`
		}{inner{"n", "i"}, nil, "o"}, `{"name":"n","outer":"o"}`},
		{"left out", struct {
			apart `json:"-"`
			Name  string `json:"name"`
		}{apart{"x"}, "n"}, `{"name":"n"}`},
	} {
		got, err := present.JSON(tt.of)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, %v; want %s", tt.name, got, err, tt.want)
		}
	}
}
