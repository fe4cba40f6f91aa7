package ui

import (
	"context"
	"fmt"
	"strings"

	"askd/broker/ask"
	"askd/config"
)

// removeImageKey takes the last image of the open editor away. No keymap has it, but a keymap that binds the key wins.
const (
	removeImageKey   = "ctrl+alt+d"
	removeImageLabel = "Ctrl+Alt+D"
)

// The published notices of image editing (contract, "Clipboard images").
const (
	readingImage = "Reading image clipboard…"
	noClipboard  = "Image clipboard is unavailable. On Linux, install wl-clipboard or xclip; on WSL, enable Windows clipboard access."
)

// attaching is what happens to the images of a form's open editor. Its zero value reads nothing and says nothing. It begins
// anew with each editor, so that what is read for one can never reach another.
type attaching struct {
	read *imageRead // under way, nil for none: one at a time
	said string     // for the person, until the editor closes
}

// imageRead is one look into the clipboard. Its address is its name: an answer whose read is no longer the open editor's is
// dropped.
type imageRead struct{ cancel context.CancelFunc }

// end forgets the editor that images were for. A read that is under way is ended; what it still brings is dropped.
func (a *attaching) end() {
	if a.read != nil {
		a.read.cancel()
	}
	*a = attaching{}
}

func (a *attaching) role() role {
	if a.read != nil {
		return rolePlain
	}
	return roleWarning
}

// endReads ends all that is read from the clipboard, with the pane.
func (p *Pane) endReads() {
	for _, v := range p.views {
		v.images.end()
	}
}

// writing is the form whose open editor has the keys, nil for none. A prompt of ask_user_question takes no images.
func (p *Pane) writing() *view {
	v := p.onScreen()
	if v == nil || v.form == nil || v.area == nil || v.closed() || v.busy() || p.inInbox {
		return nil
	}
	return v
}

// pastesImage reports whether a key attaches an image where the keys go now.
func (p *Pane) pastesImage(key string) bool {
	return p.overlay == nil && p.writing() != nil && p.conf.Pi.Matches(config.PiPasteImage, key)
}

// imageKey handles the keys of images in an editor; false means that the key is none of them. A held key counts once.
func (p *Pane) imageKey(v *view, s stroke) bool {
	switch {
	case p.conf.Pi.Matches(config.PiPasteImage, s.name):
		if s.repeats == pressed {
			p.pasteImage(v)
		}
	case s.name == removeImageKey:
		if s.repeats == pressed {
			p.removeImage(v)
		}
	default:
		return false
	}
	return true
}

// pasteImage begins to read the clipboard for the open editor. Typing goes on meanwhile.
func (p *Pane) pasteImage(v *view) {
	switch {
	case v.images.read != nil:
		return
	case p.o.ReadClipboard == nil:
		v.images.said = noClipboard
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &imageRead{cancel}
	v.images = attaching{read: r, said: readingImage}
	p.o.Go("clipboard", func() {
		defer cancel()
		img, err := p.o.ReadClipboard(ctx)
		p.post(func() { p.attach(v, r, img, err) })
	})
}

// attach takes what a read has brought, if the editor that it was for is still open.
func (p *Pane) attach(v *view, r *imageRead, img ask.Image, err error) {
	if v.images.read != r {
		return
	}
	v.images = attaching{}
	if err == nil {
		err = roomFor(v.form.ImageSize(), len(img.Data))
	}
	if err != nil {
		v.images.said = err.Error()
		return
	}
	for _, e := range v.form.AddImage(img) {
		p.effect(v, e)
	}
}

// roomFor refuses an image that a message to the agent would have no room for. Sizes are of base64, as it is sent.
func roomFor(have, more int) error {
	switch {
	case more > config.MaxImage:
		return fmt.Errorf("The image takes %s, and %s is the most. Copy a smaller part of it and paste it anew.", mebibytes(more), mebibytes(config.MaxImage))
	case have+more > config.MaxFormImages:
		return fmt.Errorf("With it the images of this form would take %s, and %s is the most. Remove one with %s, or copy a smaller one.",
			mebibytes(have+more), mebibytes(config.MaxFormImages), removeImageLabel)
	}
	return nil
}

// mebibytes is a size for a person; it never rounds down to a limit that it is above.
func mebibytes(n int) string {
	tenths := (n*10 + 1<<20 - 1) >> 20
	return strings.TrimSuffix(fmt.Sprintf("%d.%d", tenths/10, tenths%10), ".0") + " MiB"
}

func (p *Pane) removeImage(v *view) {
	effects := v.form.RemoveImage()
	if len(effects) > 0 && v.images.read == nil {
		v.images.said = ""
	}
	for _, e := range effects {
		p.effect(v, e)
	}
}

// imageHints are the keys of images while an editor is open. They do not depend on the setting for the foot: without them
// nothing says that an image can be pasted at all.
func (p *Pane) imageHints(columns int) []line {
	v := p.writing()
	if v == nil || p.size[1] < ruledRows {
		return nil
	}
	chunks := []string{p.pasteImageLabel() + ": attach image"}
	if v.form.Editor().Images > 0 {
		chunks = append(chunks, removeImageLabel+": remove last image")
	}
	var out []line
	for _, s := range chunked(chunks, p.look.say(" · "), columns-1) {
		out = append(out, text(" "+s, roleMuted))
	}
	return out
}

// lowImageHint is the same for the foot of a pane that has no room above it.
func (p *Pane) lowImageHint() []hint {
	if p.size[1] >= ruledRows {
		return nil
	}
	return []hint{{p.pasteImageLabel() + ": attach image", 3}}
}

// pasteImageLabel names the keys of Pi's action, as published.
func (p *Pane) pasteImageLabel() string {
	keys := p.conf.Pi.Keys(config.PiPasteImage)
	if len(keys) == 0 {
		return "Paste image"
	}
	for i := range keys {
		keys[i] = p.look.say(config.KeyLabel(keys[i]))
	}
	return strings.Join(keys, "/")
}

// chunked joins chunks and breaks the line between them where they do not fit on one.
func chunked(chunks []string, joint string, columns int) []string {
	var out []string
	for _, c := range chunks {
		last := len(out) - 1
		if last >= 0 && width(out[last])+width(joint)+width(c) <= columns {
			out[last] += joint + c
			continue
		}
		out = append(out, c)
	}
	return out
}
