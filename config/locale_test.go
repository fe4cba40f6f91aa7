package config_test

import (
	"testing"

	"askd/config"
)

func TestCharset(t *testing.T) {
	for _, c := range []struct {
		name    string
		env     map[string]string
		charset string
		utf8    bool
	}{
		{"nothing set", nil, "", true},
		{"C", map[string]string{"LC_ALL": "C", "LANG": "C.UTF-8"}, "US-ASCII", false},
		{"POSIX", map[string]string{"LANG": "POSIX"}, "US-ASCII", false},
		{"as it is set", map[string]string{"LC_CTYPE": "de_DE.UTF-8", "LANG": "C"}, "UTF-8", true},
		{"as it is listed", map[string]string{"LANG": "en_US.utf8"}, "utf8", true},
		{"with a variant", map[string]string{"LANG": "de_DE.utf8@euro"}, "utf8", true},
		{"without a character set", map[string]string{"LANG": "en_US"}, "", true},
		{"variant alone", map[string]string{"LANG": "de_DE@euro"}, "", true},
		{"another one", map[string]string{"LC_ALL": "de_DE.ISO-8859-1"}, "ISO-8859-1", false},
	} {
		charset := config.Charset(func(name string) string { return c.env[name] })
		if charset != c.charset || config.UTF8(charset) != c.utf8 {
			t.Errorf("%s: %q, UTF-8 %v", c.name, charset, config.UTF8(charset))
		}
	}
}
