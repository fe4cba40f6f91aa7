// Package wire speaks PROTOCOL.md on the socket: JSON-RPC 2.0, one message a line. A connection has one reader, whose
// messages take effect in the order they arrive, and one writer with a bounded queue; a client that does not read is cut
// off by it and disturbs nobody.
package wire
