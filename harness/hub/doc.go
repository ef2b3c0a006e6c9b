// Package hub fetches data sets from the Hugging Face Hub into the cache that
// Python's huggingface_hub uses, so that either finds what the other has
// downloaded.
//
// A Client resolves a Name (organisation/name, with a revision, configuration
// and split if one is meant) to a commit, finds by the data set's card which
// files belong to it, downloads those that the cache lacks and returns their
// paths. A cut download goes on where it stopped; content is checked against
// the hash that the Hub names, and refused when it differs. Offline, or where
// the Hub cannot be reached, the cache alone is read.
//
// The token goes to the configured endpoint and nowhere else: redirects to
// another origin are followed without it, and no message holds it.
//
// URLs, headers, variables and the cache layout are those of huggingface_hub
// 2.4 (its documentation and sources); nothing outside this package knows them.
package hub
