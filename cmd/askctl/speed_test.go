package main

import (
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/wire"
)

// TestSpeedFindings: a slow disk and clients that did not read are told with what to do, else all is well.
func TestSpeedFindings(t *testing.T) {
	quick, slow := broker.Latency{Count: 3, Median: 1, P95: slowAt - 1, Max: 9000}, broker.Latency{Count: 3, Median: 1, P95: slowAt, Max: slowAt}
	for _, tt := range []struct {
		name  string
		s     status
		look  func(*doctor) []finding
		state gravity
		text  string
		next  string
	}{
		{"quick", status{Report: broker.Report{Latency: broker.Latencies{Accepted: quick}}}, (*doctor).speed, fine, "249 ms for 95 of 100", ""},
		{"slow", status{DataFile: "/d.db", Report: broker.Report{Latency: broker.Latencies{Accepted: slow}}}, (*doctor).speed, note, "250 ms for 95 of 100", "/d.db"},
		{"clients that read", status{Clients: wire.Clients{Connected: 2}}, (*doctor).clients, fine, "2 connected", ""},
		{"one that did not", status{Clients: wire.Clients{CutOff: 1}}, (*doctor).clients, note, "1 cut off", "connects again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.look(&doctor{status: &tt.s})
			if len(got) != 1 || got[0].State != tt.state || !strings.Contains(got[0].Text, tt.text) || !strings.Contains(got[0].Next, tt.next) || (got[0].Next == "") != (tt.next == "") {
				t.Errorf("got %+v", got)
			}
		})
	}
	if got := append((&doctor{}).speed(), (&doctor{}).clients()...); len(got) != 0 {
		t.Errorf("without askd: %+v", got)
	}
}
