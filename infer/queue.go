package infer

import "slices"

// pull keeps one group ready.
func (r *round[J]) pull() {
	for r.wanted() {
		group, ok := r.jobs.Next()
		if r.offer(group, ok); !ok {
			return
		}
	}
}

func (r *round[J]) wanted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.ahead != nil && r.stopping.Err() == nil {
		r.changed.Wait()
	}
	return r.stopping.Err() == nil
}

func (r *round[J]) offer(group []J, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.changed.Broadcast()
	if !ok {
		r.dry = true
		r.look()
		return
	}
	b := &batch[J]{number: r.pulled}
	for i, job := range group {
		b.items = append(b.items, &item[J]{job: job, of: r.pulled, nth: i})
	}
	r.pulled++
	r.open += len(group)
	r.ahead = b
}

// settled counts a job that needs no more.
func (r *round[J]) settled() {
	r.open--
	r.changed.Broadcast()
	r.look()
}

func (r *round[J]) look() {
	if r.dry && r.open == 0 {
		close(r.finished)
		r.changed.Broadcast()
	}
}

// ended tells feeders to go home.
func (r *round[J]) ended() bool { return r.stopping.Err() != nil || r.dry && r.open == 0 }

// take waits for something that the endpoint can do: what came back from
// others first. It is empty-handed when the endpoint is no longer fit, and at
// the end.
func (r *round[J]) take(e *endpoint) *batch[J] {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.ended() && e.fit() {
		if b := r.returned(e); b != nil {
			return b
		}
		if b := r.ahead; b != nil && !r.doubted(e) {
			r.ahead = nil
			r.changed.Broadcast()
			return b
		}
		r.changed.Wait()
	}
	return &batch[J]{}
}

// returned is the first group that came back and that the endpoint may take.
func (r *round[J]) returned(e *endpoint) *batch[J] {
	for i, b := range r.back {
		if !slices.ContainsFunc(b.items, func(it *item[J]) bool { return !r.may(e, it) }) {
			r.back = slices.Delete(r.back, i, i+1)
			return b
		}
	}
	return nil
}

// may tells whether the endpoint is to take a job: not one that it refused, as
// long as another endpoint might answer it, and no other while it is doubted.
func (r *round[J]) may(e *endpoint, it *item[J]) bool {
	if it.refused[e] == nil {
		return !r.doubted(e)
	}
	return !slices.ContainsFunc(r.endpoints, func(f *endpoint) bool {
		return it.refused[f] == nil && f.awaited(r.Retry.Attempts)
	})
}

// giveBack leaves jobs to other endpoints, those of one group together. A job
// that was refused somewhere goes alone, so as not to hold up the others.
func (r *round[J]) giveBack(items ...*item[J]) {
	for _, it := range items {
		i := slices.IndexFunc(r.back, func(b *batch[J]) bool { return b.number == it.of && b.items[0].refused == nil })
		if i < 0 || it.refused != nil {
			r.back = append(r.back, &batch[J]{number: it.of, items: []*item[J]{it}})
			continue
		}
		b := r.back[i]
		at, _ := slices.BinarySearchFunc(b.items, it.nth, func(o *item[J], n int) int { return o.nth - n })
		b.items = slices.Insert(b.items, at, it)
	}
	r.changed.Broadcast()
}
