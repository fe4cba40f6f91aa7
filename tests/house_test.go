package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The bounds of the house style: functions and files stay short enough to be read at one sitting.
const (
	maxFuncLines   = 80
	maxFileLines   = 400
	maxMedianFunc  = 10
	repositoryRoot = ".."
)

// source is one parsed Go file of the repository.
type source struct {
	path  string // slash-separated, from the repository's root
	file  *ast.File
	fset  *token.FileSet
	lines int
	test  bool
}

func (s source) line(p token.Pos) int { return s.fset.Position(p).Line }

// span is the number of lines from the first to the last line of a node.
func (s source) span(n ast.Node) int { return s.line(n.End()) - s.line(n.Pos()) + 1 }

func (s source) errorf(t *testing.T, n ast.Node, format string, args ...any) {
	t.Helper()
	t.Errorf("%s:%d: "+format, append([]any{s.path, s.line(n.Pos())}, args...)...)
}

// sources parses every Go file of the repository but generated ones and what other programs installed.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(repositoryRoot, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != repositoryRoot && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		s, err := parse(path)
		if err == nil && !ast.IsGenerated(s.file) {
			all = append(all, s)
		}
		return err
	})
	if err != nil {
		t.Fatalf("read the repository's sources: %v", err)
	}
	return all
}

func parse(path string) (source, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return source{}, err
	}
	rel, err := filepath.Rel(repositoryRoot, path)
	lines := fset.File(file.FileStart).LineCount()
	return source{filepath.ToSlash(rel), file, fset, lines, strings.HasSuffix(path, "_test.go")}, err
}

func TestLengths(t *testing.T) {
	var spans []int
	for _, s := range sources(t) {
		if !s.test && s.lines > maxFileLines {
			t.Errorf("%s has %d lines, at most %d: split it by concern", s.path, s.lines, maxFileLines)
		}
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.span(fn); n > maxFuncLines {
				s.errorf(t, fn, "%s has %d lines, at most %d", fn.Name.Name, n, maxFuncLines)
			}
			if !s.test {
				spans = append(spans, s.span(fn))
			}
		}
	}
	slices.Sort(spans)
	if median := spans[len(spans)/2]; median > maxMedianFunc {
		t.Errorf("the median function has %d lines, at most %d", median, maxMedianFunc)
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			for _, name := range undocumented(d) {
				s.errorf(t, name, "%s has no doc comment", name.Name)
			}
		}
	}
}

// undocumented gives the exported names that a declaration introduces without a comment. In a group the group's comment,
// the line's own and one at the line's end all count.
func undocumented(d ast.Decl) []*ast.Ident {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && receiverIsExported(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		if d.Doc == nil {
			return undocumentedSpecs(d.Specs)
		}
	}
	return nil
}

func undocumentedSpecs(specs []ast.Spec) []*ast.Ident {
	var names []*ast.Ident
	for _, spec := range specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Doc == nil && spec.Comment == nil {
				names = append(names, spec.Name)
			}
		case *ast.ValueSpec:
			if spec.Doc == nil && spec.Comment == nil {
				names = append(names, spec.Names...)
			}
		}
	}
	return slices.DeleteFunc(names, func(n *ast.Ident) bool { return !n.IsExported() })
}

func receiverIsExported(fn *ast.FuncDecl) bool {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return true
	}
	name := ""
	ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return ast.IsExported(name)
}

// TestPackagesAreDocumented asks every package for one comment that says what it is for.
func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		if !s.test {
			dir := filepath.Dir(s.path)
			documented[dir] = documented[dir] || s.file.Doc != nil
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package in %s has no package comment", dir)
		}
	}
}

// TestGoroutinesAreGuarded allows a go statement only inside a function of the injected shape func(name string, f
// func()): the daemon's own restores the terminal when f panics, and the plain one stands in for it.
func TestGoroutinesAreGuarded(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || strings.HasPrefix(s.path, "tests/") {
			continue
		}
		for _, stmt := range bareGo(s.file) {
			s.errorf(t, stmt, "go statement outside a func(name string, f func()): start it through the injected Go")
		}
	}
}

// bareGo gives the go statements of a file that are not directly inside a starter.
func bareGo(file *ast.File) []*ast.GoStmt {
	var bare []*ast.GoStmt
	var stack []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if stmt, ok := n.(*ast.GoStmt); ok && !isStarter(enclosing(stack)) {
			bare = append(bare, stmt)
		}
		stack = append(stack, n)
		return true
	})
	return bare
}

// enclosing gives the type of the innermost function of a path of nodes.
func enclosing(stack []ast.Node) *ast.FuncType {
	for _, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Type
		case *ast.FuncLit:
			return n.Type
		}
	}
	return nil
}

// isStarter reports whether a function takes a name and a func(), however it calls them.
func isStarter(fn *ast.FuncType) bool {
	if fn == nil {
		return false
	}
	var types []ast.Expr
	for _, field := range fn.Params.List {
		for range max(1, len(field.Names)) {
			types = append(types, field.Type)
		}
	}
	if len(types) < 2 {
		return false
	}
	name, isIdent := types[len(types)-2].(*ast.Ident)
	run, isFunc := types[len(types)-1].(*ast.FuncType)
	return isIdent && name.Name == "string" && isFunc && run.Params.NumFields() == 0 && run.Results.NumFields() == 0
}

// forbidden is a package-qualified name that the house does not use in some places.
type forbidden struct {
	pkg, name string
	in        func(s source) bool
	why       string
}

func below(dirs ...string) func(source) bool {
	return func(s source) bool {
		return !s.test && slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(s.path, dir+"/") })
	}
}

func anyTest(s source) bool { return s.test }

var forbiddenNames = []forbidden{
	{"sync", "Mutex", below("broker", "ui"), "one goroutine owns each piece of state; others send it messages"},
	{"sync", "RWMutex", below("broker", "ui"), "one goroutine owns each piece of state; others send it messages"},
	{"time", "Sleep", anyTest, "wait for a condition with a cap"},
	{"t", "Skip", anyTest, "a test that cannot run fails"},
	{"t", "Skipf", anyTest, "a test that cannot run fails"},
	{"t", "SkipNow", anyTest, "a test that cannot run fails"},
	{"context", "TODO", func(s source) bool { return !s.test }, "take the caller's context"},
}

func TestForbiddenNames(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			for _, f := range forbiddenNames {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == f.pkg && sel.Sel.Name == f.name && f.in(s) {
					s.errorf(t, sel, "%s.%s: %s", f.pkg, f.name, f.why)
				}
			}
			return true
		})
	}
}

// TestTables allows no switch of more than ten cases: dispatch is a table of small functions.
func TestTables(t *testing.T) {
	const most = 10
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			var body *ast.BlockStmt
			switch n := n.(type) {
			case *ast.SwitchStmt:
				body = n.Body
			case *ast.TypeSwitchStmt:
				body = n.Body
			}
			if body != nil && len(body.List) > most {
				s.errorf(t, n, "a switch of %d cases, at most %d: make it a table", len(body.List), most)
			}
			return true
		})
	}
}

// TestHouseRulesBite runs the checks on a made-up file that breaks them.
func TestHouseRulesBite(t *testing.T) {
	const text = `package p
type Bare struct{}
func (Bare) Method() {}
func (hidden) Method() {}
const ( A = 1; B = 2 // said
)
// Said is documented.
func Said() { go func() {}() }
func start(name string, f func()) { go f() }
var lit = func(name string, f func()) { go func() { f() }() }
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		for _, n := range undocumented(d) {
			names = append(names, n.Name)
		}
	}
	if want := []string{"Bare", "Method", "A"}; !slices.Equal(names, want) {
		t.Errorf("undocumented names are %v, want %v", names, want)
	}
	if bare := bareGo(file); len(bare) != 1 || fset.Position(bare[0].Pos()).Line != 8 {
		t.Errorf("bare go statements: %v", bare)
	}
}
