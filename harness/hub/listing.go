package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// maxListing is the most bytes of a listing of files that are read.
const maxListing = 256 << 20

// listing is what the Hub says of a data set at a revision.
type listing struct {
	repo   string // its name now; another than was asked for once it was renamed
	commit string
	files  []string
	sizes  map[string]int64 // of those files whose size was told
}

// list asks for the files of a data set.
func (c *Client) list(ctx context.Context, n Name, attempts int) (*listing, error) {
	at := fmt.Sprintf("%s/api/datasets/%s/revision/%s?blobs=true", c.set.Endpoint, n.Repo, url.PathEscape(n.Revision))
	var answer struct {
		ID       string `json:"id"`
		SHA      string `json:"sha"`
		Siblings []struct {
			Name string `json:"rfilename"`
			Size *int64 `json:"size"`
		} `json:"siblings"`
	}
	if err := c.json(ctx, at, attempts, &answer); err != nil {
		return nil, err
	}
	l := &listing{repo: n.Repo, commit: answer.SHA, sizes: make(map[string]int64)}
	if isRepo(answer.ID) {
		l.repo = answer.ID
	}
	if !isFileName(l.commit) {
		return nil, fmt.Errorf("%s names no commit: is HF_ENDPOINT a Hub?", shown(at))
	}
	for _, s := range answer.Siblings {
		if err := checkPath(s.Name); err != nil {
			return nil, err
		}
		l.files = append(l.files, s.Name)
		if s.Size != nil {
			l.sizes[s.Name] = *s.Size
		}
	}
	return l, nil
}

// checkPath refuses the name of a file that would leave its folder.
func checkPath(name string) error {
	if path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00") {
		return fmt.Errorf("the data set lists a file %.100q, which is no name of a file in it", name)
	}
	return nil
}

// json asks for a document.
func (c *Client) json(ctx context.Context, at string, attempts int, into any) error {
	return c.retried(ctx, attempts, func() (bool, error) {
		watching, w := c.watch(ctx)
		defer w.stop()
		resp, err := c.do(watching, request{method: http.MethodGet, url: at, header: http.Header{"Accept": {"application/json"}}})
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(io.LimitReader(w.over(resp.Body), maxListing+1))
		switch {
		case err != nil:
			return false, fmt.Errorf("%s: %w: %w", shown(at), errCut, err)
		case len(b) > maxListing:
			return false, fmt.Errorf("%s: more than %d MiB", shown(at), maxListing>>20)
		}
		if err := json.Unmarshal(b, into); err != nil {
			return false, fmt.Errorf("%s does not answer as a Hub does (is HF_ENDPOINT right?): %w", shown(at), err)
		}
		return false, nil
	})
}
