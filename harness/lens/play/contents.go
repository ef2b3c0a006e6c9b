package play

// Episodes are those recorded, in the order in which they were begun.
func (r *Recording) Episodes() (out []Episode) {
	for _, key := range r.order {
		if e := r.lines[key].Episode; e != nil {
			out = append(out, *e)
		}
	}
	return out
}

// Answers are those that the agent gave outside of episodes, in their order.
func (r *Recording) Answers() (out []Answer) {
	for _, key := range r.order {
		if a := r.lines[key].Answer; a != nil {
			out = append(out, *a)
		}
	}
	return out
}

// Opinions are the judge's, in their order.
func (r *Recording) Opinions() (out []Opinion) {
	for _, key := range r.order {
		if o := r.lines[key].Opinion; o != nil {
			out = append(out, *o)
		}
	}
	return out
}
