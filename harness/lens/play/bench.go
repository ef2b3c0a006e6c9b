package play

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// Setup is what a bench is made of.
type Setup struct {
	World World
	Agent Agent
	// Judge answers a prompt; nil where there is none.
	Judge   func(ctx context.Context, prompt string) (string, error)
	Header  Header
	Journal string // file; "" for none

	MaxSteps    int           // of an episode; 0 is 50
	StepTimeout time.Duration // of a reset or a step; 0 is 30 s
	// AgentTimeout is of one answer of the agent's; 0 is 10 minutes.
	AgentTimeout time.Duration
	// Strict has a bench do as the published packages do: nothing is tried
	// twice, no declaration is heeded, and observations are shown with the
	// metadata that servers from 0.4 on put into them. Else that is kept from
	// agents and policies, and is in [Step.Metadata].
	Strict bool

	// Played is told of everything that was played or found recorded; nil tells
	// nobody.
	Played func(Event)
	// Now and Sleep are time; nil is the system's.
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

// Event is one thing done.
type Event struct {
	Key      string // as in the journal
	Recorded bool   // found there, not done now
	Opinion  bool   // of a judge's; else it is an episode, or an answer
	Episode  *Episode
	Fault    *Fault
}

// Bench plays, once and on record. It is not safe for concurrent use, as
// sessions are not.
type Bench struct {
	setup   Setup
	session *session
	journal *journal
	record  *Recording
	replay  bool
	broken  map[string]bool // tried in this process
	inRow   int             // faults of the environment one after another
}

// ErrNotRecorded marks what a replay asks for and the journal does not hold.
var ErrNotRecorded = errors.New("the journal does not hold it")

// ErrGone marks that the environment failed too often in a row to be played any
// more.
var ErrGone = errors.New("the environment has failed several times in a row and is not tried any more")

// goneAfter faults of the environment in a row nothing more is played.
const goneAfter = 3

// New makes a bench, beginning or continuing its journal.
func New(s Setup) (*Bench, error) {
	if s.MaxSteps == 0 {
		s.MaxSteps = 50
	}
	if s.StepTimeout == 0 {
		s.StepTimeout = 30 * time.Second
	}
	if s.AgentTimeout == 0 {
		s.AgentTimeout = 10 * time.Minute
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Sleep == nil {
		s.Sleep = sleep
	}
	j, r, err := openJournal(s.Journal, s.Header)
	if err != nil {
		return nil, fmt.Errorf("the journal: %w", err)
	}
	return &Bench{setup: s, journal: j, record: r, broken: map[string]bool{},
		session: &session{world: s.World, timeout: s.StepTimeout, sleep: s.Sleep, published: s.Strict}}, nil
}

// Replay makes a bench that plays nothing and knows what was recorded.
func Replay(r *Recording, played func(Event)) *Bench {
	return &Bench{setup: Setup{Header: r.Header, Played: played}, record: r, replay: true}
}

// Header is that of the journal, as it was begun.
func (b *Bench) Header() Header { return b.record.Header }

// Replaying tells that nothing can be played.
func (b *Bench) Replaying() bool { return b.replay }

// HasJudge tells whether there are opinions to be had.
func (b *Bench) HasJudge() bool {
	return b.setup.Judge != nil || b.replay && b.record.Header.Judge != ""
}

// Close ends the session and closes the journal.
func (b *Bench) Close() error {
	if b.replay {
		return nil
	}
	b.session.drop()
	return b.journal.close()
}

// Episode has the agent play an episode of the seed, called key.
func (b *Bench) Episode(ctx context.Context, key string, seed int64) (Episode, error) {
	return b.play(ctx, Episode{Key: key, Actor: AgentName, Seed: seed}, b.agent, b.setup.MaxSteps)
}

// LongEpisode is Episode with a limit of its own on the number of steps.
func (b *Bench) LongEpisode(ctx context.Context, key string, seed int64, maxSteps int) (Episode, error) {
	return b.play(ctx, Episode{Key: key, Actor: AgentName, Seed: seed}, b.agent, maxSteps)
}

// Policy has a policy play. Its randomness depends on key and nothing else.
func (b *Bench) Policy(ctx context.Context, key string, seed int64, p Policy) (Episode, error) {
	h := fnv.New64a()
	h.Write([]byte(key))
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	act := func(_ context.Context, step int, observation string) (move, error) {
		return move{action: p.Act(random, step, observation)}, nil
	}
	return b.play(ctx, Episode{Key: key, Actor: p.Name, Seed: seed}, act, b.setup.MaxSteps)
}

// agent asks the agent and takes the time.
func (b *Bench) agent(ctx context.Context, _ int, observation string) (m move, err error) {
	start := b.setup.Now()
	m, err = within(ctx, b.setup.AgentTimeout, "the agent", func(ctx context.Context) (m move, err error) {
		m.action, m.reasoning, err = b.setup.Agent(ctx, observation)
		return m, err
	})
	m.seconds = b.setup.Now().Sub(start).Seconds()
	return m, err
}

// play plays an episode unless it is recorded. One that the environment broke
// is tried once more, in a new session. Its error is that nothing can be played
// any more; what became of the episode is in the episode.
func (b *Bench) play(ctx context.Context, e Episode, act actor, maxSteps int) (Episode, error) {
	if l, ok := b.find("episode " + e.Key); ok {
		b.tell(Event{Key: e.Key, Recorded: true, Episode: l.Episode, Fault: l.Episode.Fault})
		return *l.Episode, nil
	}
	if err := b.may(ctx, e.Key); err != nil {
		return e, err
	}
	if b.inRow >= goneAfter {
		return e, ErrGone
	}
	start := b.setup.Now()
	for {
		e.Steps, e.Done, e.Fault = nil, false, nil
		if err := b.session.episode(ctx, &e, act, maxSteps, !b.setup.Strict && e.Actor == AgentName); err != nil {
			return e, err
		}
		if e.Fault == nil || e.Fault.Of != Environment || b.setup.Strict || len(e.Faults) > 0 {
			break
		}
		e.Faults = append(e.Faults, *e.Fault)
	}
	e.Seconds = b.setup.Now().Sub(start).Seconds()
	if e.Fault != nil && e.Fault.Of == Environment {
		b.inRow++
	} else {
		b.inRow = 0
	}
	return e, b.keep(line{Episode: &e}, Event{Key: e.Key, Episode: &e, Fault: e.Fault})
}

// Ask shows the agent an observation outside of any episode.
func (b *Bench) Ask(ctx context.Context, key, observation string) (Answer, error) {
	if l, ok := b.find("answer " + key); ok {
		b.tell(Event{Key: key, Recorded: true, Fault: l.Answer.Fault})
		return *l.Answer, nil
	}
	a := Answer{Key: key, Observation: observation}
	if err := b.may(ctx, key); err != nil {
		return a, err
	}
	m, err := b.agent(ctx, 0, observation)
	a.Action, a.Reasoning, a.Seconds = m.action, m.reasoning, m.seconds
	if err != nil {
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
		a.Fault = &Fault{TheAgent, err.Error()}
	}
	return a, b.keep(line{Answer: &a}, Event{Key: key, Fault: a.Fault})
}

// Judge puts a prompt to the judge.
func (b *Bench) Judge(ctx context.Context, key, prompt string) (Opinion, error) {
	if l, ok := b.find("opinion " + key); ok {
		b.tell(Event{Key: key, Recorded: true, Opinion: true, Fault: l.Opinion.Fault})
		return *l.Opinion, nil
	}
	o := Opinion{Key: key, Prompt: prompt}
	if err := b.may(ctx, key); err != nil {
		return o, err
	}
	start := b.setup.Now()
	var err error
	o.Reply, err = b.setup.Judge(ctx, prompt)
	o.Seconds = b.setup.Now().Sub(start).Seconds()
	if err != nil {
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		o.Fault = &Fault{TheJudge, err.Error()}
	}
	return o, b.keep(line{Opinion: &o}, Event{Key: key, Opinion: true, Fault: o.Fault})
}

// find looks a line up. One that failed in an earlier process is not found, so
// that it is tried again; a replay takes it as it is.
func (b *Bench) find(key string) (line, bool) {
	l, ok := b.record.lines[key]
	return l, ok && (b.replay || !l.broken() || b.broken[key])
}

// may says whether something not recorded can be done now.
func (b *Bench) may(ctx context.Context, key string) error {
	if b.replay {
		return fmt.Errorf("%s: %w", key, ErrNotRecorded)
	}
	return ctx.Err()
}

// keep records a line.
func (b *Bench) keep(l line, e Event) error {
	b.broken[l.key()] = l.broken()
	b.record.lines[l.key()] = l
	if err := b.journal.write(l); err != nil {
		return fmt.Errorf("the journal: %w", err)
	}
	b.tell(e)
	return nil
}

func (b *Bench) tell(e Event) {
	if b.setup.Played != nil {
		b.setup.Played(e)
	}
}

// sleep waits, unless ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
