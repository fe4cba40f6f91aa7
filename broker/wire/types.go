package wire

import "time"

// InitializeParams open a connection.
type InitializeParams struct {
	Protocol int        `json:"protocol"`
	Client   ClientInfo `json:"client"`
}

// ClientInfo names the connecting program.
type ClientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// ServerInfo names the daemon.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	PID     int    `json:"pid"`
	Host    string `json:"host,omitempty"` // the machine it runs on; empty when that is not known
}

// Limits are the limits that a client has to keep or to expect, in bytes but for the number of connections.
type Limits struct {
	MaxIncoming int `json:"maxIncomingLine"`
	MaxOutgoing int `json:"maxOutgoingLine"`
	MaxImage    int `json:"maxImage"`
	MaxImages   int `json:"maxImagesPerForm"`
	Connections int `json:"maxConnections"` // at once
	Buffered    int `json:"maxBuffered"`    // unfinished lines and unread replies of all connections together
}

// Initialized is the result of initialize.
type Initialized struct {
	Protocol int        `json:"protocol"`
	Server   ServerInfo `json:"server"`
	Pane     struct {
		Attached bool `json:"attached"`
	} `json:"pane"`
	Limits Limits `json:"limits"`
	// Remote: the connection comes from another machine through a relay, or from another user's process.
	Remote bool `json:"remote,omitempty"`
}

// Status is the result of daemon.status; the broker's Report stands beside these fields.
type Status struct {
	Version   string    `json:"version"`
	PID       int       `json:"pid"`
	Host      string    `json:"host,omitempty"`
	StartedAt time.Time `json:"startedAt"`
	Socket    string    `json:"socket"`
	DataFile  string    `json:"dataFile"`
	DataBytes int64     `json:"dataBytes"` // what the data file takes on the disk
}
