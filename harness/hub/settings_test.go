package hub_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"candor/harness/hub"
)

func TestFromEnv(t *testing.T) {
	home := t.TempDir()
	for name, c := range map[string]struct {
		env  map[string]string
		want hub.Settings
	}{
		"nothing set": {nil, hub.Settings{Cache: home + "/.cache/huggingface/hub"}},
		"HF_HOME":     {map[string]string{"HF_HOME": "/data/hf"}, hub.Settings{Cache: "/data/hf/hub"}},
		// A home folder and variables are put in as a shell does.
		"HF_HOME with ~":       {map[string]string{"HF_HOME": "~/hf"}, hub.Settings{Cache: home + "/hf/hub"}},
		"HF_HOME with $":       {map[string]string{"HF_HOME": "$DISK/${SUB}/hf", "DISK": "/d", "SUB": "s"}, hub.Settings{Cache: "/d/s/hf/hub"}},
		"HF_HUB_CACHE":         {map[string]string{"HF_HUB_CACHE": "/c", "HF_HOME": "/h", "HUGGINGFACE_HUB_CACHE": "/old"}, hub.Settings{Cache: "/c"}},
		"its older name":       {map[string]string{"HUGGINGFACE_HUB_CACHE": "/old"}, hub.Settings{Cache: "/old"}},
		"XDG_CACHE_HOME":       {map[string]string{"XDG_CACHE_HOME": "/x"}, hub.Settings{Cache: "/x/huggingface/hub"}},
		"HF_ENDPOINT":          {map[string]string{"HF_ENDPOINT": "http://mirror:8080/hf/"}, hub.Settings{Endpoint: "http://mirror:8080/hf"}},
		"HF_TOKEN":             {map[string]string{"HF_TOKEN": " hf_a\n"}, hub.Settings{Token: "hf_a"}},
		"its older name, too":  {map[string]string{"HUGGING_FACE_HUB_TOKEN": "hf_b"}, hub.Settings{Token: "hf_b"}},
		"the token's file":     {map[string]string{"HF_HOME": home + "/with"}, hub.Settings{Token: "hf_file", Cache: home + "/with/hub"}},
		"HF_TOKEN_PATH":        {map[string]string{"HF_TOKEN_PATH": home + "/elsewhere"}, hub.Settings{Token: "hf_path"}},
		"HF_TOKEN comes first": {map[string]string{"HF_TOKEN": "hf_a", "HF_TOKEN_PATH": home + "/elsewhere"}, hub.Settings{Token: "hf_a"}},
		"no implicit token":    {map[string]string{"HF_TOKEN": "hf_a", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}, hub.Settings{}},
		"offline":              {map[string]string{"HF_HUB_OFFLINE": "yes"}, hub.Settings{Offline: true}},
		"not offline":          {map[string]string{"HF_HUB_OFFLINE": "0", "TRANSFORMERS_OFFLINE": "1"}, hub.Settings{}},
		"offline for another":  {map[string]string{"TRANSFORMERS_OFFLINE": "TRUE"}, hub.Settings{Offline: true}},
		"switches":             {map[string]string{"HF_HUB_DISABLE_SYMLINKS": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "on"}, hub.Settings{NoLinks: true, Quiet: true}},
		"times":                {map[string]string{"HF_HUB_ETAG_TIMEOUT": "3", "HF_HUB_DOWNLOAD_TIMEOUT": "0.5"}, hub.Settings{MetadataTimeout: 3 * time.Second, DownloadTimeout: time.Second / 2}},
		"empty is not set":     {map[string]string{"HF_ENDPOINT": "", "HF_HOME": " ", "HF_TOKEN": ""}, hub.Settings{}},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, home+"/with/token", "hf_file\n")
			write(t, home+"/elsewhere", "hf_path")
			env := map[string]string{"HOME": home}
			for k, v := range c.env {
				env[k] = v
			}
			got, err := hub.FromEnv(func(k string) string { return env[k] })
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if want.Endpoint == "" {
				want.Endpoint = hub.DefaultEndpoint
			}
			if want.Cache == "" {
				want.Cache = home + "/.cache/huggingface/hub"
			}
			if want.MetadataTimeout == 0 {
				want.MetadataTimeout, want.DownloadTimeout = 10*time.Second, 10*time.Second
			}
			if got != want || string(got.Token) != string(want.Token) {
				t.Errorf("%+v; want %+v (token %q, want %q)", got, want, string(got.Token), string(want.Token))
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFromEnvRefuses(t *testing.T) {
	home := t.TempDir()
	write(t, home+"/two", "hf_a hf_b\n")
	for name, env := range map[string]map[string]string{
		"HF_ENDPOINT is":           {"HF_ENDPOINT": "mirror"},
		"HF_ENDPOINT is \"ftp":     {"HF_ENDPOINT": "ftp://mirror"},
		"HF_ENDPOINT holds a user": {"HF_ENDPOINT": "https://me:hf_secret@mirror"},
		"HF_ENDPOINT is \"https":   {"HF_ENDPOINT": "https://mirror?a=b"},
		"HF_HUB_ETAG_TIMEOUT":      {"HF_HUB_ETAG_TIMEOUT": "soon"},
		"HF_HUB_DOWNLOAD_TIMEOUT":  {"HF_HUB_DOWNLOAD_TIMEOUT": "-1"},
		"HF_TOKEN holds more":      {"HF_TOKEN": "hf_secret\nX: y"},
		"two holds more":           {"HF_TOKEN_PATH": home + "/two"},
		"token file":               {"HF_TOKEN_PATH": home},
	} {
		_, err := hub.FromEnv(func(k string) string { return env[k] })
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hf_") {
			t.Errorf("%v: error %v; want %q in it and no token", env, err, name)
		}
	}
}

func TestTokenIsHidden(t *testing.T) {
	s := hub.Settings{Token: "hf_secret"}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{string(b), fmt.Sprint(s), fmt.Sprintf("%+v %#v %q", s, s, s.Token)} {
		if strings.Contains(shown, "secret") {
			t.Errorf("a token is shown: %s", shown)
		}
	}
}

func TestParseName(t *testing.T) {
	for in, want := range map[string]hub.Name{
		"lmms-lab-encoder/POPE":    {Repo: "lmms-lab-encoder/POPE", Revision: "main"},
		"a/b@v1.0":                 {Repo: "a/b", Revision: "v1.0"},
		"a/b@refs/convert/parquet": {Repo: "a/b", Revision: "refs/convert/parquet"},
		"a/b:Full":                 {Repo: "a/b", Revision: "main", Config: "Full"},
		"a/b@main:Full/random":     {Repo: "a/b", Revision: "main", Config: "Full", Split: "random"},
		"hf://datasets/a/b":        {Repo: "a/b", Revision: "main"},
		"https://huggingface.co/datasets/lmms-lab/POPE/":      {Repo: "lmms-lab/POPE", Revision: "main"},
		"my_org/set-1.2_b@4db1276663dfa5eb8ad16a52d24c31a09e": {Repo: "my_org/set-1.2_b", Revision: "4db1276663dfa5eb8ad16a52d24c31a09e"},
	} {
		got, err := hub.ParseName(in)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", in, got, err, want)
		}
		if again, err := hub.ParseName(got.String()); err != nil || again != got {
			t.Errorf("%s is written %s, which is %+v, %v", in, got, again, err)
		}
	}
	for _, in := range []string{
		"", "a", "a/", "/b", "a/b/c", "../b", "a/..", "a b/c", "a/b@", "a/b@../x", "a/b@x//y", "a/b:", "a/b:/x", "a/b:x/y/z",
		"a--b/c", "a/b.git", "-a/b", "a/b-", `a\b`, "a/b\n", "a/b:c:d", "https://elsewhere/datasets/a/b",
	} {
		if got, err := hub.ParseName(in); err == nil {
			t.Errorf("%q is taken for %+v", in, got)
		}
	}
}
