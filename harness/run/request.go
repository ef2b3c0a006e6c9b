package run

import (
	"candor/infer"
	"candor/infer/preflight"
)

// request is one draw of a task as a server is asked it. pf is what the
// preflight found, nil where there was none.
func (p *Plan) request(j job, pf *preflight.Report) infer.Request {
	return infer.Request{
		Model: p.Config.Model, System: j.task.System, Prompt: j.task.User, Image: j.image.Data,
		Schema: p.schema(), Options: p.Options, Seed: p.seed(j.task, j.draw), MinPromptTokens: p.leastTokens(j, pf),
		TopLogprobs: p.alternatives(j.draw),
	}
}

// imageTokens is 0 where the model's image processor is not known.
func (p *Plan) imageTokens(j job) int {
	if p.ImageTokens == 0 {
		return 0
	}
	return j.image.Tokens
}

// leastTokens is what a prompt of the task must cost at an honest server: the
// image, and half of it beside the text where the preflight counted the text
// of the first task. Half, since servers may resize in ways of their own.
func (p *Plan) leastTokens(j job, pf *preflight.Report) int {
	n := p.imageTokens(j)
	if n == 0 || pf == nil {
		return n
	}
	f, _ := pf.Find(preflight.CheckImage)
	text := int(f.Measures[preflight.TextTokens])
	if f.Status != preflight.Yes || text == 0 {
		return n
	}
	return max(n, text-unshared(p.Tasks[0].Text, j.task.Text)+n/2)
}

// unshared is the number of bytes of a that it does not share with b at its
// beginning and end, and two more: the tokens that b's text may be short of
// a's are no more than that.
func unshared(a, b string) int {
	n := min(len(a), len(b))
	i, k := 0, 0
	for i < n && a[i] == b[i] {
		i++
	}
	for k < n-i && a[len(a)-1-k] == b[len(b)-1-k] {
		k++
	}
	return len(a) - i - k + 2
}
