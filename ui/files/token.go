package files

import "strings"

// Token finds the @ reference that ends at the cursor, given the text before it: at is the byte where its @ stands, query
// what has been typed of the path. A reference starts the text or follows white space or an opening bracket or quote; in
// @"…" the path may hold spaces until the closing quote.
func Token(before string) (at int, query string, ok bool) {
	at = strings.LastIndexByte(before, '@')
	if at < 0 || at > 0 && !strings.ContainsRune(" \t\n(['\"", rune(before[at-1])) {
		return 0, "", false
	}
	query = before[at+1:]
	if rest, quoted := strings.CutPrefix(query, `"`); quoted {
		return at, rest, !strings.ContainsAny(rest, "\"\n")
	}
	return at, query, !strings.ContainsAny(query, " \t\n")
}

// Reference is how a path stands in an answer: with its @, and quoted when it has white space. A file is followed by a
// space, a folder is not, because its files come next.
func Reference(p string) string {
	ref := "@" + p
	if strings.ContainsAny(p, " \t") {
		ref = `@"` + p + `"`
		if strings.HasSuffix(p, "/") {
			ref = ref[:len(ref)-1]
		}
	}
	if strings.HasSuffix(p, "/") {
		return ref
	}
	return ref + " "
}
