package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// ChannelKind is a way to announce a waiting question.
type ChannelKind string

// The kinds of channel.
const (
	Bell    ChannelKind = "bell"
	OSC9    ChannelKind = "osc9"
	OSC777  ChannelKind = "osc777"
	Command ChannelKind = "command" // runs Channel.Command in a shell
)

// Channel is one notification channel. In JSON a terminal channel is its name and a command channel
// {"type": "command", "command": "…"}.
type Channel struct {
	Kind    ChannelKind
	Command string // only for kind Command
}

type commandChannel struct {
	Type    ChannelKind `json:"type"`
	Command *string     `json:"command"`
}

// MarshalJSON gives the form of the settings file.
func (c Channel) MarshalJSON() ([]byte, error) {
	if c.Kind != Command {
		return marshal(string(c.Kind))
	}
	return marshal(commandChannel{Type: c.Kind, Command: &c.Command})
}

// UnmarshalJSON reads the form of the settings file; an unknown kind is an error, a blank command is not.
func (c *Channel) UnmarshalJSON(data []byte) error {
	var name string
	if json.Unmarshal(data, &name) == nil {
		return c.fromName(ChannelKind(name))
	}
	var obj commandChannel
	if err := json.Unmarshal(data, &obj); err != nil || obj.Type != Command || obj.Command == nil {
		return fmt.Errorf(`channel %s: expected "bell", "osc9", "osc777" or {"type": "command", "command": "…"}`, data)
	}
	*c = Channel{Kind: Command, Command: *obj.Command}
	return nil
}

func (c *Channel) fromName(kind ChannelKind) error {
	switch kind {
	case Bell, OSC9, OSC777:
		*c = Channel{Kind: kind}
		return nil
	}
	return fmt.Errorf(`channel %q: expected "bell", "osc9", "osc777" or a command`, kind)
}

// usableChannels leaves out commands with nothing to run; a person who asked for notifications and is left with no
// channel gets the bell.
func usableChannels(all []Channel) []Channel {
	var kept []Channel
	for _, c := range all {
		if c.Kind != Command || strings.TrimSpace(c.Command) != "" {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return []Channel{{Kind: Bell}}
	}
	return kept
}

// marshal is json.Marshal without HTML escapes: the files are read by people.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
