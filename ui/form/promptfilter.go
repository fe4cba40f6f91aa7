package form

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"askd/broker/ask"
)

// filterOptions are the indices of the options that match a query, the best match first; all of them in their own order when
// the query is blank. A query is words in any order; all must match the label and the description taken together.
func filterOptions(options []ask.Option, query string) []int {
	words := strings.FieldsFunc(ask.Trim(query), unicode.IsSpace)
	out := make([]int, 0, len(options))
	scores := make([]float64, len(options))
	for i := range options {
		var ok bool
		scores[i], ok = scoreWords(words, options[i].Label+" "+options[i].Description)
		if ok {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		switch {
		case scores[a] < scores[b]:
			return -1
		case scores[a] > scores[b]:
			return +1
		}
		return 0
	})
	return out
}

func scoreWords(words []string, text string) (score float64, ok bool) {
	units := lowerUnits(text)
	for _, w := range words {
		s, ok := scoreWord(strings.ToLower(w), units)
		if !ok {
			return 0, false
		}
		score += s
	}
	return score, true
}

// swapPenalty makes a word that matches only with its letters and digits swapped worse than one that matches as typed.
const swapPenalty = 5

func scoreWord(word string, text []uint16) (float64, bool) {
	if s, ok := score(lowerUnits(word), text); ok {
		return s, true
	}
	swapped := swapParts(word)
	if swapped == "" {
		return 0, false
	}
	s, ok := score(lowerUnits(swapped), text)
	return s + swapPenalty, ok
}

// lowerUnits counts as the published filter does, in UTF-16 units, so that scores and with them the order are its own.
func lowerUnits(text string) []uint16 { return utf16.Encode([]rune(strings.ToLower(text))) }

// score looks for the characters of a word in order, each at its leftmost place. Lower is better: characters side by side
// earn more the longer their run is, skipped ones cost, word beginnings earn, late places cost a little.
func score(word, text []uint16) (float64, bool) {
	total, run, last := 0.0, 0, -1
	for _, u := range word {
		at := slices.Index(text[last+1:], u)
		if at < 0 {
			return 0, false
		}
		i := last + 1 + at
		switch {
		case last == i-1:
			run++
			total -= float64(5 * run)
		default:
			run = 0
			if last >= 0 {
				total += float64(2 * (i - last - 1))
			}
		}
		if i == 0 || startsWord(text[i-1]) {
			total -= 10
		}
		total += float64(float64(i) * 0.1) // converted, so that no processor fuses the two steps
		last = i
	}
	return total, true
}

// startsWord reports whether a word begins after the character.
func startsWord(u uint16) bool {
	return strings.ContainsRune("-_./:", rune(u)) || ask.Blank(string(rune(u)))
}

// swapParts turns letters followed by digits into digits followed by letters and back; empty when a word is neither.
func swapParts(word string) string {
	letters, digits := strings.Trim(word, "0123456789"), strings.Trim(word, "abcdefghijklmnopqrstuvwxyz")
	switch {
	case letters == "" || digits == "":
		return ""
	case letters+digits == word:
		return digits + letters
	case digits+letters == word:
		return letters + digits
	}
	return ""
}

// withoutLast drops the last character as a person sees it: with its combining marks, and a joined or flag emoji whole.
func withoutLast(text string) string {
	for text != "" {
		r, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
		switch {
		case extends(r) || strings.HasSuffix(text, zeroWidthJoiner):
		case isRegional(r) && flagHalves(text)%2 == 1:
			_, size = utf8.DecodeLastRuneInString(text)
			return text[:len(text)-size]
		default:
			return text
		}
	}
	return text
}

const zeroWidthJoiner = "\u200d"

// extends reports whether a rune is part of the character before it.
func extends(r rune) bool {
	return unicode.Is(unicode.M, r) || string(r) == zeroWidthJoiner || r >= 0x1F3FB && r <= 0x1F3FF
}

func isRegional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// flagHalves is the number of regional indicators that a text ends with; two make a flag.
func flagHalves(text string) int {
	return utf8.RuneCountInString(text) - utf8.RuneCountInString(strings.TrimRightFunc(text, isRegional))
}
