package audit

import (
	"slices"
	"strings"

	"candor/harness/claim"
	"candor/harness/hub"
)

// File is a file of the set, and which published one it is.
type File struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Release string `json:"release"` // "" for none that is known
}

// release is a published file: where it is, by the commits of its repository
// that have it, oldest first.
type release struct {
	repository string
	path       string
	commits    []string
}

func (r release) String() string {
	return r.repository + " " + r.path + " at " + strings.Join(r.commits, ", ")
}

const pope, repope, dash = "RUCAIBox/POPE", "YanNeu/RePOPE", "YanNeu/DASH-B"

// releases are the files of POPE and its kin by their hash, as the histories of
// their repositories have them; of commits with the same files one is named.
func releases() map[string]release {
	coco := func(split string, commits ...string) release {
		return release{pope, "output/coco/coco_pope_" + split + ".json", commits}
	}
	seem := func(over, split string) release {
		return release{pope, "output/seem/" + over + "/" + over + "_pope_seem_" + split + ".json", []string{"3df3ba1"}}
	}
	annotations := func(name, split string) release {
		return release{repope, "annotations/coco_" + name + "_" + split + ".json", []string{"bcf22e5"}}
	}
	return map[string]release{
		"ac25245170b975a5bdf9080b23fd431dfe6be458bc038259c1f4f09a6bef7994": coco("random", "edebdda", "3df3ba1"),
		"72c1a8ad45d0c13514f5f22598261df41d3b533854d29682e924db50ed8aa753": coco("popular", "edebdda", "3df3ba1"),
		"420b3407db1fa9f1187a805dca41cb7b97fd91504e6c2179706188c107fb8ef8": coco("adversarial", "3df3ba1"),
		"207273ac3b7fdd04df206c6809b77a4e7f60360a730ade6b7e32804e8dd5602f": coco("adversarial", "edebdda"),
		"c16b65d2df6d70bb0814c8a4375833d39cdb09928fd936d3fc546491efa37f35": coco("random", "28f884a", "e3e3926"),
		"5b16653023bf4f64d57eb0d168259de6627f5cde7538b85ebed3cc33034aa6cc": coco("popular", "28f884a", "e3e3926"),
		"1d8f0906a9b50c05640f6f23abfac97523be2a1bed28f7eadc63b811699b2d26": coco("adversarial", "28f884a", "e3e3926"),
		"cb8dec967727fbee4b9cfadf9ba1ea9968515b12063efd313d0cf8b2b4230c86": coco("random", "7ef3026"),
		"eafca6ceff32c7bbb5b2845a00c6828ec8cbaf5e04f890d6902dc46b92f96076": coco("popular", "7ef3026"),
		"412efc6fe25eb2604f2386d536bcf713dc88327cb20c36489b1f689f89617d04": coco("adversarial", "7ef3026"),
		"f06eecde6d6ef4a00b95a7bbb510490708a09a6a67d952b59b8bdd33ac2c7200": seem("aokvqa", "random"),
		"2ae5bedee3450cda52f9b033942c7b04a3917a86a110e859a66c1e41934c6ffd": seem("aokvqa", "popular"),
		"2ddd3bdfa0df7a77a2cb1765ed06ac5ed190b5a093aa405b96986e862e8cdac1": seem("aokvqa", "adversarial"),
		"6ce488eade3770185034939fabfe742fa32ed369011c8d9c3ac77bc0c85abd94": seem("gqa", "random"),
		"dd03f06a458dd216e83233160fbf6628af9c63c84b11e99599f4fc0304b3361d": seem("gqa", "popular"),
		"74e01b41d8308e2392e3b8d961167496ff3901c01100265d931a7a392f138a7a": seem("gqa", "adversarial"),
		"f464fcaf60b24ce2f280cf33f122e000dbdd35c8e88f77c4141c9c2cba864611": annotations("repope", "random"),
		"57832b055bae5fd6176278a4f104c98ddd84811f7d26dfcb93d481f6c9da09a5": annotations("repope", "popular"),
		"8c346dbb060bf422ff92e769fa68e5ab3e8a777cb28a26e973387441e05c9ccf": annotations("repope", "adversarial"),
		"196144ab005fcd23af78c7b11d7c110dbbc4ed17e361e05e11a927c8856cfde2": annotations("pope", "random"),
		"f31727768b228d0409a3ffe86b808958c05c26b5db4d593b137b14a2ec45ac98": annotations("pope", "popular"),
		"85436f0517a167e8034013458d47507ea75b89da7853d380f13530399f7d4018": annotations("pope", "adversarial"),
		"29d9afa611083f3becdc64e4c30a1783a6c8be9bf6d335a12b124c50ad2876ed": {dash, "images/dash_benchmark_neg.json", []string{"1538d01"}},
		"fe261c2b9463e27034aea34368330ae4645cfd3bc0feca907240eb5160517829": {dash, "images/dash_benchmark_pos.json", []string{"1538d01"}},
	}
}

// latest is the newest of POPE's commits above.
const latest = "3df3ba1"

// files tells which published files a set is made of.
func (r *Report) files(files []claim.File) {
	known, found := releases(), []release{}
	for _, f := range files {
		out := File{Path: f.Path, SHA256: f.SHA256}
		if of, ok := known[f.SHA256]; ok {
			out.Release = of.String()
			found = append(found, of)
			if of.repository == pope && !slices.Contains(of.commits, latest) {
				r.warn("old_release", "%s is an older release (%s): its figures do not compare with those of the newest", f.Path, of)
			}
		}
		r.Files = append(r.Files, out)
	}
	r.copies(files)
	if len(found) > 0 && len(found) < len(files) {
		r.warn("unknown_file", "some files are published ones, but %d of %d are not, or were changed", len(files)-len(found), len(files))
	}
	if len(found) > 1 && !together(found) {
		r.warn("mixed_releases", "the files are of different releases, which no commit has together")
	}
}

// copies finds files that the Hub's cache holds otherwise than it named them.
func (r *Report) copies(files []claim.File) {
	for _, f := range files {
		if err := hub.CheckBlob(f.Path, f.SHA256); err != nil {
			r.warn("damaged_copy", "%v", err)
		}
	}
}

// together tells files that one commit of one repository has.
func together(of []release) bool {
	common := slices.Clone(of[0].commits)
	for _, r := range of[1:] {
		if r.repository != of[0].repository {
			return false
		}
		common = slices.DeleteFunc(common, func(c string) bool { return !slices.Contains(r.commits, c) })
	}
	return len(common) > 0
}
