package hub

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// DefaultEndpoint is the Hub itself.
const DefaultEndpoint = "https://huggingface.co"

// defaultTimeout is huggingface_hub's, for an answer to begin and for a
// download to go on.
const defaultTimeout = 10 * time.Second

// Settings say which Hub, as whom, and where files are kept.
type Settings struct {
	Endpoint string // without a slash at the end
	Cache    string // folder of the cache: $HF_HOME/hub
	Token    Token  // "" for none
	Offline  bool   // read the cache alone
	NoLinks  bool   // copy where the cache would have symbolic links
	Quiet    bool   // no progress bars
	// MetadataTimeout bounds the wait for an answer, DownloadTimeout that for
	// the next bytes of a file.
	MetadataTimeout, DownloadTimeout time.Duration
}

// FromEnv reads the variables of huggingface_hub: HF_ENDPOINT, HF_TOKEN (else
// the file HF_TOKEN_PATH, by default $HF_HOME/token), HF_HOME, HF_HUB_CACHE,
// HF_HUB_OFFLINE, HF_HUB_DISABLE_IMPLICIT_TOKEN, HF_HUB_DISABLE_SYMLINKS, HF_HUB_DISABLE_PROGRESS_BARS,
// HF_HUB_ETAG_TIMEOUT and HF_HUB_DOWNLOAD_TIMEOUT (seconds), and the older
// names that it still honours. An empty variable is one that is not set.
//
// getenv is os.Getenv or stands in for it.
func FromEnv(getenv func(string) string) (Settings, error) {
	e := env(getenv)
	home := e.path("HF_HOME")
	if home == "" {
		base := e.path("XDG_CACHE_HOME")
		if base == "" {
			base = e.expand("~/.cache")
		}
		home = filepath.Join(base, "huggingface")
	}
	s := Settings{
		Endpoint: strings.TrimRight(e.first("HF_ENDPOINT"), "/"),
		Cache:    e.path("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"),
		Offline:  isTrue(e.first("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")) || isTrue(e.first("HF_DATASETS_OFFLINE")),
		NoLinks:  isTrue(e.first("HF_HUB_DISABLE_SYMLINKS")),
		Quiet:    isTrue(e.first("HF_HUB_DISABLE_PROGRESS_BARS")),
	}
	if s.Endpoint == "" {
		s.Endpoint = DefaultEndpoint
	}
	if s.Cache == "" {
		s.Cache = filepath.Join(home, "hub")
	}
	var err error
	if s.MetadataTimeout, err = e.seconds("HF_HUB_ETAG_TIMEOUT"); err != nil {
		return Settings{}, err
	}
	if s.DownloadTimeout, err = e.seconds("HF_HUB_DOWNLOAD_TIMEOUT"); err != nil {
		return Settings{}, err
	}
	if err := checkEndpoint(s.Endpoint); err != nil {
		return Settings{}, err
	}
	s.Token, err = e.token(home)
	return s, err
}

func checkEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("HF_ENDPOINT is %q; it must be an address such as %s", endpoint, DefaultEndpoint)
	case u.User != nil:
		return errors.New("HF_ENDPOINT holds a user name: give a token in HF_TOKEN instead")
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("HF_ENDPOINT is %q; an address without ? and # is needed", endpoint)
	}
	return nil
}

// Token is a secret: printed in any way, it is not shown.
type Token string

// String hides the token.
func (t Token) String() string {
	if t == "" {
		return ""
	}
	return "(hidden)"
}

// GoString hides the token.
func (t Token) GoString() string { return strconv.Quote(t.String()) }

// MarshalText hides the token.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

type env func(string) string

// first is the first of the variables that is set.
func (e env) first(names ...string) string {
	for _, name := range names {
		if v := strings.TrimSpace(e(name)); v != "" {
			return v
		}
	}
	return ""
}

// isTrue is huggingface_hub's reading of a switch.
func isTrue(value string) bool {
	switch strings.ToUpper(value) {
	case "1", "ON", "YES", "TRUE":
		return true
	}
	return false
}

func (e env) path(names ...string) string { return e.expand(e.first(names...)) }

// expand puts in the home folder and variables, as a shell does.
func (e env) expand(path string) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		home := e.first("HOME")
		if home == "" {
			home, _ = os.UserHomeDir()
		}
		path = home + path[1:]
	}
	return os.Expand(path, func(name string) string {
		if v := e(name); v != "" {
			return v
		}
		return "$" + name
	})
}

func (e env) seconds(name string) (time.Duration, error) {
	v := e.first(name)
	if v == "" {
		return defaultTimeout, nil
	}
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n > 0 && n < 1e6) {
		return 0, fmt.Errorf("%s is %q; it must be a number of seconds above 0", name, v)
	}
	return time.Duration(n * float64(time.Second)), nil
}

// token is the one in the environment, else that of the file, else none.
func (e env) token(home string) (Token, error) {
	if isTrue(e.first("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
		return "", nil
	}
	where, token := "HF_TOKEN", e.first("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
	if token == "" {
		where = e.path("HF_TOKEN_PATH")
		if where == "" {
			where = filepath.Join(home, "token")
		}
		b, err := os.ReadFile(where)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return "", nil
		case err != nil:
			return "", fmt.Errorf("token file: %w", err)
		}
		token = strings.TrimSpace(string(b))
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s holds more than a token: one word of printable ASCII is needed", where)
	}
	return Token(token), nil
}
