package config

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest is the candidate that a word was probably meant to be, empty when none is near: a letter more, less, other or swapped
// for every three. Case does not count.
func Nearest(word string, candidates []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance counts the letters that are to be put in, taken out, changed or swapped with the next to make b of a.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}

// sections are the keys of the settings file by section; the top level is the empty one.
func sections() map[string][]string {
	out := map[string][]string{"": {"schemaVersion", "keymaps"}}
	for _, name := range Keys() {
		section, key, _ := strings.Cut(name, ".")
		if out[section] == nil {
			out[""] = append(out[""], section)
		}
		out[section] = append(out[section], key)
	}
	return out
}

// strays are the keys of a settings file that look like misspelt ones, in words. A key that resembles none is left to whoever
// put it there.
func strays(path string, doc members) []string {
	known := sections()
	out := misspelt(path, "", doc, known[""])
	for _, item := range doc {
		if keys := known[item.key]; keys != nil {
			inner, _ := orderedObject(doc.get(item.key))
			out = append(out, misspelt(path, item.key+".", inner, keys)...)
		}
	}
	return append(out, strayActions(path, doc)...)
}

// strayActions are the misspelt contexts and actions of the keymaps.
func strayActions(path string, doc members) []string {
	keymaps, _ := orderedObject(doc.get("keymaps"))
	var known, out []string
	for _, c := range Contexts() {
		known = append(known, string(c))
		actions, _ := orderedObject(keymaps.get(string(c)))
		out = append(out, misspelt(path, "keymaps."+string(c)+".", actions, Actions(c))...)
	}
	return append(misspelt(path, "keymaps.", keymaps, known), out...)
}

func misspelt(path, prefix string, doc members, known []string) []string {
	var out []string
	for _, item := range doc {
		near := Nearest(item.key, known)
		if near == "" || near == item.key {
			continue
		}
		out = append(out, fmt.Sprintf("%s: %q is no setting and changes nothing; is it meant to be %q?", path, prefix+item.key, prefix+near))
	}
	return out
}

// Strays says which keys of the settings file at path look misspelt, ready to be shown. It reads the disk; what cannot be
// read has none.
func Strays(path string) []string {
	data, err := readRegular(path)
	doc, ok := orderedObject(data)
	if err != nil || !ok {
		return nil
	}
	return strays(path, doc)
}

// StraysOfQuestion is Strays for the settings file of ask_user_question.
func StraysOfQuestion(path string) []string {
	data, err := readRegular(path)
	doc, ok := orderedObject(data)
	if err != nil || !ok {
		return nil
	}
	return misspelt(path, "", doc, QuestionKeys())
}

// keepStrays puts the keys of an old settings file that askd does not know into a new one, each into its section.
func keepStrays(next, old []byte) []byte {
	to, ok := orderedObject(next)
	from, alsoOK := orderedObject(old)
	if !ok || !alsoOK {
		return next
	}
	known := sections()
	changed := false
	for _, item := range from {
		keys, isSection := known[item.key]
		if !isSection {
			if !slices.Contains(known[""], item.key) {
				to, changed = to.with(item.key, from.get(item.key)), true
			}
			continue
		}
		inner, _ := orderedObject(from.get(item.key))
		section, _ := orderedObject(to.get(item.key))
		for _, stray := range inner {
			if !slices.Contains(keys, stray.key) {
				section, changed = section.with(stray.key, inner.get(stray.key)), true
			}
		}
		if len(section) > 0 {
			to = to.with(item.key, mustMarshal(section))
		}
	}
	if !changed {
		return next
	}
	data, err := encodeIndented(to)
	if err != nil {
		return next
	}
	return data
}
