package journal

import (
	"bytes"
	"slices"
	"strings"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// term is what a search looks for. A record's text, as ask.HistoryRecord.Matches sees it, is made from the record, which is
// dear; but every string in it stands in the stored bytes as well, written alike. So a piece of the term that can lie
// nowhere but in such a string must be in the stored bytes, or the record need not be looked at any closer.
type term struct {
	text string
	runs [][]byte // pieces that must be in the stored bytes, in lower case
	bits []uint16 // of their signatures, each once

	buffer  []byte // of possible
	scratch bytes.Buffer
}

func newTerm(query string) term {
	t := term{text: ask.SearchTerm(query)}
	seen := map[uint16]bool{}
	for _, run := range strings.FieldsFunc(t.text, structural) {
		if inFrame(run) {
			continue
		}
		t.runs = append(t.runs, []byte(run))
		for i := 0; i+3 <= len(run); i++ {
			if bit := bitOf(run[i], run[i+1], run[i+2]); !seen[bit] {
				seen[bit] = true
				t.bits = append(t.bits, bit)
			}
		}
	}
	return t
}

// structural reports characters that may stand between the strings of a record's JSON, and those that are stored as
// escapes and searched as themselves. Pieces of a term end at them.
func structural(r rune) bool {
	return strings.ContainsRune("\"{}[]:,\u2028\u2029\ufffd", r)
}

// frame are the words of a record's JSON that need not be in the stored bytes: its keys, fixed values and sentences.
var frame = func() []string {
	words := strings.Fields("requestid questionid title createdat background question status answer error " +
		"id label prompt context type requestedtype presentedtype options value description recommended " +
		"values labels indices customtext note optionnotes customimages noteimages optionnoteimages mimetype data " +
		"waiting answered skipped cancelled single multi true false null")
	for _, k := range []ask.OutcomeKind{ask.Interrupted, ask.TimedOut, ask.Failed} {
		words = append(words, strings.ToLower((&ask.Outcome{Kind: k}).Failure()))
	}
	return words
}()

var frameWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range frame {
		words[w] = true
	}
	return words
}()

// inFrame reports whether a piece may match what frames the strings. Numbers are stored as they are searched, and the time
// is looked at by itself.
func inFrame(run string) bool {
	for _, word := range frame {
		if strings.Contains(word, run) {
			return true
		}
	}
	return false
}

// possible reports whether a record with these stored values and this time may match. Images that the outcome refers to
// count as the text that stands in their place.
func (t *term) possible(request, outcome []byte, created string, images *bbolt.Bucket) bool {
	if len(t.runs) == 0 {
		return true
	}
	text := append(appendBody(t.buffer[:0], request, &t.scratch), '"')
	text = append(appendLower(text, outcome), '"')
	text = append(text, strings.ToLower(created)...)
	t.buffer = text
	missing := missingRuns(nil, t.runs, text)
	return len(missing) == 0 || pictured(missing, outcome, images)
}

func missingRuns(missing, runs [][]byte, text []byte) [][]byte {
	for _, run := range runs {
		if !bytes.Contains(text, run) {
			missing = append(missing, run)
		}
	}
	return missing
}

// pictured reports whether runs that are not in the stored values may be in the images of the outcome. What stops it from
// finding out is found again, and told, by whoever reads the record.
func pictured(runs [][]byte, outcome []byte, images *bbolt.Bucket) bool {
	digests, err := referred(outcome)
	if err != nil || len(digests) == 0 || slices.ContainsFunc(runs, notBase64) {
		return err != nil
	}
	for _, d := range digests {
		text, err := loweredImage(images, d)
		if err != nil {
			return true
		}
		if runs = missingRuns(nil, runs, text); len(runs) == 0 {
			return true
		}
	}
	return false
}

// notBase64 reports whether a run has a character that is in no base64 text in lower case; it spares reading the images.
func notBase64(run []byte) bool {
	return slices.ContainsFunc(run, func(c byte) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '+' && c != '/' && c != '='
	})
}

// loweredImage is the base64 text of an image in lower case.
func loweredImage(images *bbolt.Bucket, d digest) ([]byte, error) {
	text, err := imageText(nil, images, d)
	if err != nil {
		return nil, err
	}
	return appendLower(text[:0], text), nil
}
