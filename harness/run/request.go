package run

import "candor/infer"

// request is one draw of a task as a server is asked it. text is what the text
// of the first task costs there by itself, in tokens, 0 where that is not known.
func (p *Plan) request(j job, text int) infer.Request {
	return infer.Request{
		Model: p.Config.Model, System: j.task.System, Prompt: j.task.User, Image: j.image.Data,
		Schema: p.schema(), Options: p.Options, Seed: p.seed(j.task, j.draw), MinPromptTokens: p.leastTokens(j, text),
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
// image, and half of it beside the text where the text of the first task was
// counted. Half, since servers may resize in ways of their own.
func (p *Plan) leastTokens(j job, text int) int {
	n := p.imageTokens(j)
	if n == 0 || text <= 0 {
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
