package hub

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// metadata is what the Hub says of one file before it is downloaded.
type metadata struct {
	etag   string // the hash that names its blob
	size   int64  // -1 if it is not told
	commit string // "" if it is not told
}

// fileURL is the address of a file at a commit.
func (c *Client) fileURL(repo, commit, name string) string {
	return fmt.Sprintf("%s/datasets/%s/resolve/%s/%s", c.set.Endpoint, repo, url.PathEscape(commit), escaped(name))
}

// escaped keeps the slashes of a path.
func escaped(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// metadata asks for a file's hash and size. A large file lies elsewhere, and
// the Hub's redirect to it has both, in X-Linked-Etag and X-Linked-Size; of a
// small one they are its own. What is told on the way counts before what the
// last host says.
func (c *Client) metadata(ctx context.Context, repo, commit, name string, attempts int) (metadata, error) {
	at := c.fileURL(repo, commit, name)
	m := metadata{size: -1}
	err := c.retried(ctx, attempts, func() (bool, error) {
		resp, err := c.do(ctx, request{method: http.MethodHead, url: at, enough: hasMetadata})
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		m.etag = etag(cmp.Or(resp.Header.Get("X-Linked-Etag"), resp.Header.Get("Etag")))
		m.commit = resp.Header.Get("X-Repo-Commit")
		size := resp.Header.Get("X-Linked-Size")
		if size == "" && resp.StatusCode < 300 && identity(resp) {
			size = resp.Header.Get("Content-Length")
		}
		if n, err := strconv.ParseInt(size, 10, 64); err == nil && n >= 0 {
			m.size = n
		}
		return false, nil
	})
	if err != nil {
		return metadata{}, err
	}
	if !isFileName(m.etag) {
		return metadata{}, fmt.Errorf("%s: the Hub names no hash for it (ETag %.80q): is HF_ENDPOINT right?", shown(at), m.etag)
	}
	return m, nil
}

// hasMetadata ends the following of redirects at the one to a storage host. One
// to the data set's new name tells nothing of the file.
func hasMetadata(resp *http.Response) bool {
	return resp.Header.Get("X-Linked-Etag") != "" || resp.Header.Get("X-Repo-Commit") != "" && resp.Header.Get("Etag") != ""
}

// etag is a hash as the header has it, without quotes and the mark of a weak one.
func etag(header string) string {
	return strings.Trim(strings.TrimPrefix(strings.TrimSpace(header), "W/"), `"`)
}

// identity tells a body that is the file itself, not compressed for the way.
func identity(resp *http.Response) bool {
	e := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding")))
	return e == "" || e == "identity"
}
