package config

import "strings"

// Charset is the character set that the locale of an environment names: "US-ASCII" for the locales C and POSIX, and
// empty when it names none, which counts as UTF-8. It does not block.
func Charset(getenv func(string) string) string {
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale = getenv(name); locale != "" {
			break
		}
	}
	if locale == "C" || locale == "POSIX" {
		return "US-ASCII"
	}
	locale, _, _ = strings.Cut(locale, "@")
	_, charset, _ := strings.Cut(locale, ".")
	return charset
}

// UTF8 reports whether a character set that Charset gives is UTF-8, in any of its spellings: locales are listed as
// "en_US.utf8" and set as "en_US.UTF-8".
func UTF8(charset string) bool {
	return charset == "" || strings.EqualFold(strings.ReplaceAll(charset, "-", ""), "utf8")
}
