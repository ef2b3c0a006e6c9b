package hub

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	repoForm     = regexp.MustCompile(`^\w([\w.-]*\w)?/\w([\w.-]*\w)?$`)
	revisionForm = regexp.MustCompile(`^[\w./+-]+$`)
	commitForm   = regexp.MustCompile(`^[0-9a-f]{40}$`)
	fileNameForm = regexp.MustCompile(`^[\w-][\w.-]*$`)
)

// MainRevision is what is meant where no revision is named.
const MainRevision = "main"

// Name is a data set on the Hub as a user calls it:
//
//	ORGANISATION/NAME[@REVISION][:CONFIGURATION[/SPLIT]]
type Name struct {
	Repo     string // organisation/name
	Revision string // branch, tag, commit hash or refs/…; "main" where none was named
	Config   string // "": the default one
	Split    string // "": all of the configuration
}

// String is the name as a user calls it.
func (n Name) String() string {
	s := n.Repo
	if n.Revision != MainRevision {
		s += "@" + n.Revision
	}
	if n.Config != "" || n.Split != "" {
		s += ":" + n.Config
	}
	if n.Split != "" {
		s += "/" + n.Split
	}
	return s
}

// ParseName reads a name, also one that is written as an address: with
// hf://datasets/ or the Hub's own address before it.
func ParseName(s string) (Name, error) {
	rest := s
	for _, prefix := range []string{"hf://datasets/", DefaultEndpoint + "/datasets/", "datasets/"} {
		if after, ok := strings.CutPrefix(rest, prefix); ok {
			rest = strings.TrimRight(after, "/")
			break
		}
	}
	n := Name{Revision: MainRevision}
	rest, inner, hasInner := strings.Cut(rest, ":")
	repo, revision, hasRevision := strings.Cut(rest, "@")
	n.Repo = repo
	if hasRevision {
		n.Revision = revision
	}
	if hasInner {
		n.Config, n.Split, _ = strings.Cut(inner, "/")
	}
	if !isRepo(n.Repo) {
		return Name{}, fmt.Errorf("%q is no name of a data set on the Hub: organisation/name is needed", s)
	}
	if !isRevision(n.Revision) {
		return Name{}, fmt.Errorf("%q: %q is no branch, tag or commit", s, n.Revision)
	}
	if hasInner && !isPlain(n.Config) || n.Split != "" && !isPlain(n.Split) {
		return Name{}, fmt.Errorf("%q: after the colon a configuration is needed, or CONFIGURATION/SPLIT", s)
	}
	return n, nil
}

// isRepo follows huggingface_hub: words of letters, digits, "-", "_" and ".",
// which neither begin nor end with "-" or ".", without "--" and "..".
func isRepo(s string) bool {
	if strings.Contains(s, "--") || strings.Contains(s, "..") || strings.HasSuffix(s, ".git") || len(s) > 2*96 {
		return false
	}
	return repoForm.MatchString(s)
}

// isRevision keeps a revision from leaving the folder of references.
func isRevision(s string) bool {
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return revisionForm.MatchString(s)
}

func isPlain(s string) bool { return s != "" && !strings.ContainsAny(s, "/:\\") }

// IsCommit tells a full commit hash, whose content never changes.
func IsCommit(revision string) bool {
	return commitForm.MatchString(revision)
}

// isFileName tells what may name a file of the cache: a hash that a server sent.
func isFileName(s string) bool {
	return fileNameForm.MatchString(s) && len(s) <= 128
}
