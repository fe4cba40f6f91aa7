package config

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	stamped := func(v string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: v}} }
	for _, tt := range []struct {
		told string
		info *debug.BuildInfo
		want string
	}{
		{unreleased, nil, unreleased},
		{unreleased, stamped(""), unreleased},
		{unreleased, stamped("(devel)"), unreleased},
		{unreleased, stamped("v1.2.3"), "1.2.3"},
		{unreleased, stamped("v0.0.0-20260101120000-0123456789ab+dirty"), "0.0.0-20260101120000-0123456789ab+dirty"},
		{"v1.2.3-4-gabcdef0", stamped("v0.9.0"), "1.2.3-4-gabcdef0"},
		{"abcdef0", stamped("v0.9.0"), "abcdef0"},
		{"vabc", nil, "vabc"},
	} {
		if got := version(tt.told, tt.info); got != tt.want {
			t.Errorf("version(%q, %v) = %q, want %q", tt.told, tt.info, got, tt.want)
		}
	}
}
