package infer

import (
	"slices"
	"time"
)

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
		r.finish()
		r.changed.Broadcast()
	}
}

// ended tells feeders to go home.
func (r *round[J]) ended() bool { return r.stopping.Err() != nil || r.dry && r.open == 0 }

// take waits for something that the endpoint can do: what came back from
// others first, and what others have yet to start last. It is empty-handed when
// the endpoint is no longer fit, and at the end.
func (r *round[J]) take(e *endpoint) *batch[J] {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.ended() && e.fit() {
		b := r.returned(e)
		if b == nil && r.ahead != nil && !r.doubted(e) {
			b, r.ahead = r.ahead, nil
			r.changed.Broadcast()
		}
		if b == nil && r.dry {
			b = r.relieve(e)
		}
		if b != nil {
			r.held[e] = b
			return b
		}
		r.changed.Wait()
	}
	return &batch[J]{}
}

// holds tells whether a batch has jobs that were not started.
func (r *round[J]) holds(b *batch[J]) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(b.items) > 0
}

// relief is how many times longer than an answer here the rest of a group must
// take elsewhere to be taken over: endpoints that are about as fast leave each
// other the images that they hold.
const relief = 10

// relieve takes over, at the end, when there are no more groups, a part of what
// a slow endpoint has yet to start, so that both are done at about the same
// time.
func (r *round[J]) relieve(e *endpoint) *batch[J] {
	own := r.pace(e)
	var from *batch[J]
	var share int
	most := time.Duration(0)
	for _, f := range r.endpoints {
		b := r.held[f]
		if b == nil || f == e {
			continue
		}
		n, pace := len(b.items), r.pace(f)
		left := time.Duration(n) * pace
		if left <= most || own == 0 || relief*own*time.Duration(e.Limit) >= left {
			continue
		}
		from, most = b, left
		share = min(n, 1+int(float64(n)*float64(pace)/float64(pace+own)))
	}
	if from == nil || slices.ContainsFunc(from.items, func(it *item[J]) bool { return !r.may(e, it) }) {
		return nil
	}
	at := len(from.items) - share
	b := &batch[J]{from.number, slices.Clone(from.items[at:])}
	from.items = from.items[:at]
	return b
}

// pace is the time from one answer of an endpoint to its next, by its last one
// or by what is still in flight there, whichever took longer; 0 is not known.
func (r *round[J]) pace(e *endpoint) time.Duration {
	took := e.took
	for f := range r.flying {
		if f.at == e {
			took = max(took, time.Since(f.since))
		}
	}
	return took / time.Duration(e.Limit)
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
// long as another endpoint might answer it, and while it is doubted only those
// that others refused, lest two that refuse wait for each other.
func (r *round[J]) may(e *endpoint, it *item[J]) bool {
	if it.refused[e] == nil {
		return it.refused != nil || !r.doubted(e)
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
