// Package broker is the desk between askers and the person. One goroutine owns sessions, queue, waits and deliveries;
// everything else sends it events and reads the snapshots it publishes. It never waits for a client, for the disk or for
// the screen.
package broker
