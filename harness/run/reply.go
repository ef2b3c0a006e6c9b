package run

import (
	"context"
	"fmt"

	"candor/infer"
)

// Ask puts a task to an endpoint once, records the answer and reports it.
func (a *asking) Ask(ctx context.Context, j job, turn infer.Turn) ([]infer.Attempt, error) {
	if a.ended() {
		return nil, nil // between the last look of the scheduler and now: as if never started
	}
	endpoint := turn.Model.Endpoint()
	resp, failed, err := a.put(ctx, j, turn)
	if err == nil {
		if err = a.believe(ctx, j, turn, resp); err != nil {
			failed = append(failed, infer.Attempt{Class: infer.ClassOf(err), Message: err.Error()})
		}
	}
	if err != nil {
		return failed, err
	}
	if resp.OtherModel != "" {
		a.blame(endpoint, faultOtherModel, "answers as %s where %s was asked: does a proxy stand before the server?", resp.OtherModel, a.plan.Config.Model)
	}
	d := a.plan.newDraw(j, resp)
	d.Endpoint, d.Attempts, d.Durations.Wait = endpoint, len(turn.Failed)+len(failed)+1, turn.Wait.Seconds()
	a.run.health.answered(endpoint)
	if !resp.Unended {
		a.unended.end(endpoint, a.enter)
		a.enter(withheld{j, d})
		return failed, nil
	}
	if err := a.unended.hold(endpoint, withheld{j, d}); err != nil {
		a.blame(endpoint, faultUnended, "%v", err)
		return append(failed, infer.Attempt{Class: infer.ClassOf(err), Message: err.Error()}), err
	}
	return failed, nil
}

// put asks the endpoint.
func (a *asking) put(ctx context.Context, j job, turn infer.Turn) (infer.Response, []infer.Attempt, error) {
	endpoint := turn.Model.Endpoint()
	a.deps.InFlight(endpoint, a.limits[endpoint], 1)
	defer a.deps.InFlight(endpoint, a.limits[endpoint], -1)
	return infer.Once(ctx, turn.Model, a.plan.request(j, a.run.textTokens(endpoint)), turn.Failed, turn.Others)
}

// believe refuses an answer that is not one to the task: not of this model, or
// of one that was not shown the image, or without what was asked for.
func (a *asking) believe(ctx context.Context, j job, turn infer.Turn, resp infer.Response) error {
	err := suspicious(resp, a.plan.Config.Model)
	switch {
	case err != nil && turn.Others:
		return err
	case err != nil || resp.Unended: // others had the same
		turn.Agree()
	}
	if err := a.plan.silent(j, resp); err != nil {
		return err
	}
	return a.sees(ctx, turn.Model, j, resp)
}

// suspicious refuses an answer that another endpoint should be asked for: one
// of another model, or without a character. Servers of one model and one seed
// agree, so that an answer which is truly empty is so everywhere and is then
// taken.
func suspicious(resp infer.Response, model string) error {
	err := error(nil)
	switch {
	case resp.OtherModel != "":
		err = fmt.Errorf("it answers as %s where %s was asked", resp.OtherModel, model)
	case resp.Text == "" && resp.Thinking == "" && resp.Stop == infer.StopDone:
		err = infer.ErrNothingSaid
	default:
		return nil
	}
	return &infer.Failure{Class: infer.ClassTask, Err: err}
}

// enter records a draw, and the task's trace if it was the last one missing.
func (a *asking) enter(w withheld) {
	if err := a.run.recordDraw(w.draw); err != nil {
		a.stop(fmt.Errorf("recording %s: %w", w.draw.name(), err))
		return
	}
	a.mu.Lock()
	a.answered, a.unheard, a.good = true, 0, &w.job
	a.mu.Unlock()
	if w.job.draws.add(w.draw) {
		a.settle(w.job)
	}
}
