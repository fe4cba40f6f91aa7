package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// storedOutcome and storedDraft are an outcome and a draft as they are stored. Where Images is empty they are what they
// were given as. Else the data of each image is either a reference, "@" and a place in Images, or "=" and the text itself.
// Images comes first, so that who looks for it need not read on; each outcome has its own, also among earlier ones.
type storedOutcome struct {
	Images []digest `json:"images,omitempty"`
	ask.Outcome
}

type storedDraft struct {
	Images []digest `json:"images,omitempty"`
	ask.Draft
}

const (
	markReference = '@'
	markText      = '='
)

// album collects the pictures of one record, each once.
type album struct {
	digests  []digest
	pictures []picture
	places   map[string]int // by base64 text
}

// take looks for pictures; false is none.
func (a *album) take(lists iter.Seq[[]ask.Image]) bool {
	for list := range lists {
		for _, im := range list {
			a.add(im.Data)
		}
	}
	return len(a.pictures) > 0
}

func (a *album) add(text string) {
	if _, ok := a.places[text]; ok {
		return
	}
	p, ok := decodePicture(text)
	if !ok {
		return
	}
	if a.places == nil {
		a.places = map[string]int{}
	}
	a.places[text] = len(a.pictures)
	a.pictures, a.digests = append(a.pictures, p), append(a.digests, p.digest)
}

// refer puts references in the place of pictures. The lists must be the record's own.
func (a *album) refer(lists iter.Seq[[]ask.Image]) {
	for list := range lists {
		for i := range list {
			if place, ok := a.places[list[i].Data]; ok {
				list[i].Data = string(markReference) + strconv.Itoa(place)
			} else {
				list[i].Data = string(markText) + list[i].Data
			}
		}
	}
}

// encodeOutcome gives an outcome as it is stored and the pictures that must be stored with it. The buffer is the caller's,
// as with encodeRequest.
func encodeOutcome(o *ask.Outcome) (*bytes.Buffer, []picture, error) {
	var a album
	if !a.take(outcomeImages(o)) {
		value, err := encodeValue(o)
		return value, nil, err
	}
	stored := storedOutcome{Images: a.digests, Outcome: *o}
	result := *o.Result
	result.Answers = copyMap(result.Answers, copyAnswer)
	stored.Result = &result
	a.refer(outcomeImages(&stored.Outcome))
	value, err := encodeValue(&stored)
	return value, a.pictures, err
}

// encodeDraft is encodeOutcome for drafts.
func encodeDraft(d *ask.Draft) (*bytes.Buffer, []picture, error) {
	var a album
	if !a.take(draftImages(d)) {
		value, err := encodeValue(d)
		return value, nil, err
	}
	stored := storedDraft{Images: a.digests, Draft: *d}
	stored.Questions = slices.Clone(d.Questions)
	for i := range stored.Questions {
		stored.Questions[i] = copyQuestionDraft(stored.Questions[i])
	}
	a.refer(draftImages(&stored.Draft))
	value, err := encodeValue(&stored)
	return value, a.pictures, err
}

func copyMap[V any](m ask.Map[V], value func(V) V) (out ask.Map[V]) {
	for key, v := range m.All() {
		out.Set(key, value(v))
	}
	return out
}

// copyAnswer copies as far as the images.
func copyAnswer(a ask.Answer) ask.Answer {
	a.CustomImages, a.NoteImages = slices.Clone(a.CustomImages), slices.Clone(a.NoteImages)
	a.OptionNoteImages = copyMap(a.OptionNoteImages, slices.Clone[[]ask.Image])
	return a
}

func copyQuestionDraft(q ask.QuestionDraft) ask.QuestionDraft {
	q.CustomImages, q.NoteImages = slices.Clone(q.CustomImages), slices.Clone(q.NoteImages)
	if q.OptionNoteImages != nil {
		notes := make(map[string][]ask.Image, len(q.OptionNoteImages))
		for option, images := range q.OptionNoteImages {
			notes[option] = slices.Clone(images)
		}
		q.OptionNoteImages = notes
	}
	return q
}

// outcomeImages yields the lists of images in an outcome; their elements may be changed.
func outcomeImages(o *ask.Outcome) iter.Seq[[]ask.Image] {
	return func(yield func([]ask.Image) bool) {
		if o.Result == nil {
			return
		}
		for _, a := range o.Result.Answers.All() {
			if !yield(a.CustomImages) || !yield(a.NoteImages) {
				return
			}
			for _, images := range a.OptionNoteImages.All() {
				if !yield(images) {
					return
				}
			}
		}
	}
}

// draftImages is outcomeImages for drafts.
func draftImages(d *ask.Draft) iter.Seq[[]ask.Image] {
	return func(yield func([]ask.Image) bool) {
		for i := range d.Questions {
			q := &d.Questions[i]
			if !yield(q.CustomImages) || !yield(q.NoteImages) {
				return
			}
			for _, images := range q.OptionNoteImages {
				if !yield(images) {
					return
				}
			}
		}
	}
}

// recordImages yields the lists of images in a record.
func recordImages(rec *ask.Record) iter.Seq[[]ask.Image] {
	return func(yield func([]ask.Image) bool) {
		lists := []iter.Seq[[]ask.Image]{}
		for _, o := range rec.Earlier {
			lists = append(lists, outcomeImages(o))
		}
		if rec.Outcome != nil {
			lists = append(lists, outcomeImages(rec.Outcome))
		}
		if rec.Draft != nil {
			lists = append(lists, draftImages(rec.Draft))
		}
		for _, list := range lists {
			for images := range list {
				if !yield(images) {
					return
				}
			}
		}
	}
}

// restore undoes refer. texts are those of the record's pictures.
func restore(texts []string, lists iter.Seq[[]ask.Image]) error {
	for list := range lists {
		for i := range list {
			text, err := restored(texts, list[i].Data)
			if err != nil {
				return err
			}
			list[i].Data = text
		}
	}
	return nil
}

func restored(texts []string, data string) (string, error) {
	if data != "" && data[0] == markText {
		return data[1:], nil
	}
	if data != "" && data[0] == markReference {
		if place, err := strconv.ParseUint(data[1:], 10, 31); err == nil && int(place) < len(texts) {
			return texts[place], nil
		}
	}
	return "", fmt.Errorf("%w: an image refers to nothing", ErrDamaged)
}

// imagesFirst is how the JSON of a value that refers to images begins.
const imagesFirst = `{"images":[`

// referred gives the digests that a stored outcome or draft refers to, without reading on.
func referred(value []byte) (digests []digest, err error) {
	if len(value) == 0 || !bytes.HasPrefix(value[1:], []byte(imagesFirst)) {
		return nil, nil
	}
	list := value[len(imagesFirst):] // from the bracket on
	end := bytes.IndexByte(list, ']')
	if end < 0 {
		return nil, fmt.Errorf("%w: list of images", ErrDamaged)
	}
	if err := json.Unmarshal(list[:end+1], &digests); err != nil {
		return nil, fmt.Errorf("%w: list of images: %w", ErrDamaged, err)
	}
	return digests, nil
}

// referredEarlier is referred for the outcomes that stand together in one value.
func referredEarlier(value []byte) (digests []digest, err error) {
	var all []struct {
		Images []digest `json:"images"`
	}
	err = decodeValue(value, &all)
	for _, o := range all {
		digests = append(digests, o.Images...)
	}
	return digests, err
}

// fillIn puts the texts of a record's images back. Without a bucket they are left as they are stored.
func fillIn(images *bbolt.Bucket, digests []digest, lists iter.Seq[[]ask.Image]) error {
	if images == nil || len(digests) == 0 {
		return nil
	}
	texts := make([]string, len(digests))
	for i, d := range digests {
		text, err := imageText(nil, images, d)
		if err != nil {
			return err
		}
		texts[i] = string(text)
	}
	return restore(texts, lists)
}

// decodeOutcome and decodeDraft read what encodeOutcome and encodeDraft wrote, nil for a value that is not there.
func decodeOutcome(value []byte, images *bbolt.Bucket) (*ask.Outcome, error) {
	s, err := decodeNew[storedOutcome](value)
	if s == nil || err != nil {
		return nil, err
	}
	return &s.Outcome, fillIn(images, s.Images, outcomeImages(&s.Outcome))
}

func decodeDraft(value []byte, images *bbolt.Bucket) (*ask.Draft, error) {
	s, err := decodeNew[storedDraft](value)
	if s == nil || err != nil {
		return nil, err
	}
	return &s.Draft, fillIn(images, s.Images, draftImages(&s.Draft))
}

func decodeEarlier(value []byte, images *bbolt.Bucket) (outcomes []*ask.Outcome, err error) {
	all, err := decodeNew[[]storedOutcome](value)
	if all == nil || err != nil {
		return nil, err
	}
	for i := range *all {
		s := &(*all)[i]
		if err := fillIn(images, s.Images, outcomeImages(&s.Outcome)); err != nil {
			return nil, err
		}
		outcomes = append(outcomes, &s.Outcome)
	}
	return outcomes, nil
}
