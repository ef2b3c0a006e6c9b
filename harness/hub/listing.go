package hub

import (
	"context"
	"encoding/json"
	"errors"
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

// list asks for the files of a data set. The Hub answers at once with all; a
// mirror that does not know this question is asked for its tree of files.
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
	_, err := c.json(ctx, at, attempts, &answer)
	var s *StatusError
	if errors.As(err, &s) && s.Status == http.StatusNotFound && s.Code == "" {
		if l, treeErr := c.tree(ctx, n, attempts); treeErr == nil {
			return l, nil
		}
	}
	if err != nil {
		return nil, err
	}
	l := &listing{repo: n.Repo, commit: answer.SHA, sizes: make(map[string]int64)}
	if isRepo(answer.ID) {
		l.repo = answer.ID
	}
	for _, f := range answer.Siblings {
		if err := l.add(f.Name, f.Size); err != nil {
			return nil, err
		}
	}
	return l, l.check(at)
}

// tree asks for the tree of all files, page by page.
func (c *Client) tree(ctx context.Context, n Name, attempts int) (*listing, error) {
	at := fmt.Sprintf("%s/api/datasets/%s/tree/%s?recursive=true", c.set.Endpoint, n.Repo, url.PathEscape(n.Revision))
	l := &listing{repo: n.Repo, sizes: make(map[string]int64)}
	for next := at; next != ""; {
		var entries []struct {
			Type, Path string
			Size       *int64
		}
		header, err := c.json(ctx, next, attempts, &entries)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Type != "file" {
				continue
			}
			if err := l.add(e.Path, e.Size); err != nil {
				return nil, err
			}
		}
		if l.commit == "" {
			l.commit = header.Get("X-Repo-Commit")
		}
		if next = nextPage(header.Get("Link")); next != "" && !sameOrigin(c.set.Endpoint, next) {
			return nil, fmt.Errorf("%s goes on elsewhere", shown(at))
		}
	}
	if l.commit == "" && len(l.files) > 0 {
		m, err := c.metadata(ctx, n.Repo, n.Revision, l.files[0], attempts)
		if err != nil {
			return nil, err
		}
		l.commit = m.commit
	}
	return l, l.check(at)
}

// nextPage is the address of the next page of a list, "" for none.
func nextPage(link string) string {
	target, rest, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(link), "<"), ">")
	if !ok || !strings.Contains(rest, `rel="next"`) {
		return ""
	}
	return target
}

func (l *listing) add(name string, size *int64) error {
	if err := checkPath(name); err != nil {
		return err
	}
	l.files = append(l.files, name)
	if size != nil {
		l.sizes[name] = *size
	}
	return nil
}

func (l *listing) check(at string) error {
	if !isFileName(l.commit) {
		return fmt.Errorf("%s names no commit: is HF_ENDPOINT a Hub?", shown(at))
	}
	return nil
}

// checkPath refuses the name of a file that would leave its folder.
func checkPath(name string) error {
	if path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsAny(name, "\\\x00") {
		return fmt.Errorf("the data set lists a file %.100q, which is no name of a file in it", name)
	}
	return nil
}

// json asks for a document.
func (c *Client) json(ctx context.Context, at string, attempts int, into any) (header http.Header, err error) {
	err = c.retried(ctx, attempts, func() (bool, error) {
		watching, w := c.watch(ctx)
		defer w.stop()
		resp, err := c.do(watching, request{method: http.MethodGet, url: at, header: http.Header{"Accept": {"application/json"}}})
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		header = resp.Header
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
	return header, err
}
