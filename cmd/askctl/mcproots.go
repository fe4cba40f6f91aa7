package main

import (
	"net/url"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Roots are leaving the protocol, but today they are how clients name the folder that their agent works in. A client
// without them is named after the folder that it starts the server in.
type (
	rootsQuestion = mcp.ListRootsParams //nolint:staticcheck // see above
	rootsAnswer   = mcp.ListRootsResult //nolint:staticcheck // see above
)

// rootsAsked is the name under which a call asks its client for the roots.
const rootsAsked = "roots"

// wantsRoots is what a call asks its client for before the session opens; nil when there is nothing to ask. roots are known
// once a client has answered, whatever it said.
func (b *bridge) wantsRoots(req *mcp.CallToolRequest) mcp.InputRequestMap {
	b.mu.Lock()
	defer b.mu.Unlock()
	if answer, ok := req.Params.InputResponses[rootsAsked].(*rootsAnswer); ok {
		b.rooted, b.info.Cwd = true, folderOf(answer)
	}
	if b.rooted || b.opened || len(req.Params.InputResponses) > 0 || !hasRoots(req.Session.InitializeParams()) {
		return nil
	}
	return mcp.InputRequestMap{rootsAsked: &rootsQuestion{}}
}

func hasRoots(p *mcp.InitializeParams) bool {
	return p != nil && p.Capabilities != nil && p.Capabilities.RootsV2 != nil //nolint:staticcheck // see above
}

// folderOf is the folder of the first root, empty when there is none.
func folderOf(r *rootsAnswer) string {
	if r == nil || len(r.Roots) == 0 || r.Roots[0] == nil {
		return ""
	}
	u, err := url.Parse(r.Roots[0].URI)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	return filepath.FromSlash(u.Path)
}
