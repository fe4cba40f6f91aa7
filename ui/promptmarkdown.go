package ui

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	mdtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// mostMarkdown is how much of a text is looked at as Markdown. What a details pane can show is far less, and hostile
// Markdown must not hold the pane up; the reader shows all of it.
const mostMarkdown = 8 << 10

// leastMarkdown is the width from which quotes and lists no longer indent.
const leastMarkdown = 12

// markdownCache remembers what texts look like: a frame is drawn for every key. The zero value is ready.
type markdownCache struct {
	lines map[wrapKey][]line
	look  *look
}

const mostMarkdowns = 256

// markdown lays out supplied Markdown in columns columns: headings, paragraphs, lists, quotes, code and rules; all else
// is plain text.
func (c *markdownCache) markdown(source string, columns int) []line {
	key := wrapKey{source, columns}
	if lines, ok := c.lines[key]; ok {
		return lines
	}
	if len(c.lines) >= mostMarkdowns || c.lines == nil {
		c.lines = map[wrapKey][]line{}
	}
	lines := c.look.markdown(source, columns)
	c.lines[key] = lines
	return lines
}

func (k *look) markdown(source string, columns int) []line {
	var cutOff []line
	if len(source) > mostMarkdown {
		source, cutOff = strings.ToValidUTF8(source[:mostMarkdown], ""), []line{text("…", roleMuted)}
	}
	src := []byte(shown(source))
	m := marker{src: src, look: k}
	doc := goldmark.DefaultParser().Parse(mdtext.NewReader(src))
	return append(m.blocks(doc, max(1, columns)), cutOff...)
}

// marker turns parsed Markdown into lines.
type marker struct {
	src  []byte
	look *look
}

// blockLines are the kinds of block that are more than plain text.
var blockLines map[ast.NodeKind]func(m marker, n ast.Node, columns int) []line

func init() { // the table and its functions need each other
	blockLines = map[ast.NodeKind]func(marker, ast.Node, int) []line{
		ast.KindHeading:         func(m marker, n ast.Node, columns int) []line { return m.prose(n, columns, roleTitle) },
		ast.KindParagraph:       func(m marker, n ast.Node, columns int) []line { return m.prose(n, columns, rolePlain) },
		ast.KindTextBlock:       func(m marker, n ast.Node, columns int) []line { return m.prose(n, columns, rolePlain) },
		ast.KindThematicBreak:   func(m marker, _ ast.Node, columns int) []line { return []line{m.look.ruleLine(columns)} },
		ast.KindBlockquote:      marker.quote,
		ast.KindList:            marker.list,
		ast.KindListItem:        func(m marker, n ast.Node, columns int) []line { return m.blocks(n, columns) },
		ast.KindCodeBlock:       func(m marker, n ast.Node, columns int) []line { return m.code(n, columns) },
		ast.KindFencedCodeBlock: func(m marker, n ast.Node, columns int) []line { return m.code(n, columns) },
	}
}

func (k *look) ruleLine(columns int) line {
	return text(k.say(strings.Repeat("─", max(0, columns))), roleMuted)
}

// blocks are the blocks inside n with a blank line between them; the parts of a tight list stand together.
func (m marker) blocks(n ast.Node, columns int) []line {
	var out []line
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := m.block(c, columns)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight(n) {
			out = append(out, nil)
		}
		out = append(out, lines...)
	}
	return out
}

func (m marker) block(n ast.Node, columns int) []line {
	if lay := blockLines[n.Kind()]; lay != nil {
		return lay(m, n, columns)
	}
	if n.Kind() == ast.KindLinkReferenceDefinition {
		return nil
	}
	return m.raw(n, columns, rolePlain)
}

func tight(n ast.Node) bool {
	if n.Kind() == ast.KindListItem {
		n = n.Parent()
	}
	l, ok := n.(*ast.List)
	return ok && l.IsTight
}

// raw are the lines of a block as they stand in the source.
func (m marker) raw(n ast.Node, columns int, r role) []line {
	var out []line
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		for _, part := range wrap(strings.TrimRight(string(segment.Value(m.src)), "\n"), columns) {
			out = append(out, text(part, r))
		}
	}
	return out
}

func (m marker) code(n ast.Node, columns int) []line {
	if columns < leastMarkdown {
		return m.raw(n, columns, roleCode)
	}
	return indented(m.raw(n, columns-2, roleCode), text("  ", rolePlain), text("  ", rolePlain))
}

func (m marker) quote(n ast.Node, columns int) []line {
	if columns < leastMarkdown {
		return m.blocks(n, columns)
	}
	bar := text(m.look.say("│ "), roleMuted)
	return indented(m.blocks(n, columns-2), bar, bar)
}

func (m marker) list(n ast.Node, columns int) []line {
	l := n.(*ast.List)
	number := l.Start
	var out []line
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		if len(out) > 0 && !l.IsTight {
			out = append(out, nil)
		}
		out = append(out, m.item(item, mark, columns)...)
	}
	return out
}

func (m marker) item(n ast.Node, mark string, columns int) []line {
	if columns < leastMarkdown || columns-width(mark) < 2 { // a wide character has to have room behind it
		mark = ""
	}
	lines := m.blocks(n, columns-width(mark))
	if len(lines) == 0 {
		lines = []line{nil}
	}
	return indented(lines, text(mark, roleMuted), text(strings.Repeat(" ", width(mark)), rolePlain))
}

// indented puts first before the first line and rest before the others.
func indented(lines []line, first, rest line) []line {
	out := make([]line, len(lines))
	for i, l := range lines {
		head := rest
		if i == 0 {
			head = first
		}
		out[i] = append(append(line(nil), head...), l...)
	}
	return out
}

// prose is running text.
func (m marker) prose(n ast.Node, columns int, r role) []line {
	var spans line
	m.inline(n, r, &spans)
	return wrapSpans(spans, columns)
}

// inline gathers the text inside n. What is emphasised in a heading stays as the heading is.
func (m marker) inline(n ast.Node, r role, out *line) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		m.piece(c, r, out)
	}
}

func (m marker) piece(n ast.Node, r role, out *line) {
	add := func(s string, r role) { *out = append(*out, span{text: s, role: r}) }
	switch n := n.(type) {
	case *ast.Text:
		add(m.words(n), r)
	case *ast.String:
		add(shown(string(n.Value)), r)
	case *ast.CodeSpan:
		m.inline(n, roleCode, out)
	case *ast.Emphasis:
		m.inline(n, emphasised(r, n.Level), out)
	case *ast.Link:
		m.link(n, n.Destination, r, out)
	case *ast.Image:
		m.link(n, n.Destination, r, out)
	case *ast.AutoLink:
		add(shownLine(string(n.Label(m.src))), r)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			segment := n.Segments.At(i)
			add(string(segment.Value(m.src)), r)
		}
	}
}

// words are a text with its escapes and entities resolved, which can bring new control characters, hence cleaned again.
func (m marker) words(n *ast.Text) string {
	raw := n.Segment.Value(m.src)
	if !n.IsRaw() && n.Parent().Kind() != ast.KindCodeSpan {
		raw = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw)))
	}
	s := shown(string(raw))
	if n.SoftLineBreak() || n.HardLineBreak() {
		s = strings.TrimRight(s, " ") + "\n"
	}
	return s
}

// link is a link's text and, where that does not say it, where it leads.
func (m marker) link(n ast.Node, to []byte, r role, out *line) {
	before := len(*out)
	m.inline(n, r, out)
	if where := shownLine(string(to)); where != "" && (*out)[before:].String() != where {
		*out = append(*out, span{text: " (" + where + ")", role: roleMuted})
	}
}

func emphasised(r role, level int) role {
	switch {
	case r != rolePlain && r != roleEmphasis:
		return r
	case level >= 2:
		return roleStrong
	}
	return roleEmphasis
}

// wrapSpans breaks a line of several roles as wrap breaks text.
func wrapSpans(spans line, columns int) []line {
	rest := append(line(nil), spans...)
	whole := rest.String()
	var out []line
	for _, part := range wrap(whole, columns) {
		skip := strings.Index(whole, part) // blanks and line ends between two lines
		_, rest = takeBytes(rest, max(0, skip))
		whole = whole[max(0, skip):]
		var l line
		l, rest = takeBytes(rest, len(part))
		whole = whole[len(part):]
		out = append(out, l)
	}
	return out
}

// takeBytes cuts a line after n bytes of its text; the tail shares l.
func takeBytes(l line, n int) (head, tail line) {
	for i, s := range l {
		if n == 0 {
			return head, l[i:]
		}
		if n < len(s.text) {
			head = append(head, span{text: s.text[:n], role: s.role, target: s.target})
			l[i].text = s.text[n:]
			return head, l[i:]
		}
		n -= len(s.text)
		head = append(head, s)
	}
	return head, nil
}
