package cooling

import (
	"crypto/sha256"
	"math/big"
	"math/rand/v2"
)

// The plant's numbers, in degrees.
const (
	Steps  = 10 // of an episode
	Power  = 18 // by which cooling cools
	resets = 30 // how far below its limit a machine's sensor shows it once recalibrated
)

// names are those of which each plant has some.
var names = [...]string{"boiler", "fan", "kiln", "lathe", "mixer", "press", "pump", "saw"}

// machines is how many a plant has.
const machines = 4

// A machine heats up by its own amount a step. Its sensor is right until
// somebody recalibrates it.
type machine struct {
	name        string
	temperature int
	reading     int
	limit       int
	heating     int
}

// A plant is what an episode begins with.
type plant [machines]machine

// draw is the plant of a seed. Of all plants it takes those that can be kept
// within their limits throughout by cooling whichever machine is the first to
// cross its own, but not by waiting and not by cooling the one that shows most:
// where those do as well, nothing is to be learnt.
func draw(seed *big.Int) plant {
	r := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(seed.String()))))
	for {
		drawn := candidate(r)
		if play(drawn, mostUrgent) == 1 && play(drawn, wait) <= .5 && play(drawn, hottest) <= .8 {
			return drawn
		}
	}
}

func candidate(r *rand.Rand) plant {
	var drawn plant
	order := r.Perm(len(names))
	for i := range drawn {
		limit := 60 + r.IntN(41)
		temperature := limit - 3 - r.IntN(16)
		drawn[i] = machine{
			name:        names[order[i]],
			temperature: temperature,
			reading:     temperature,
			limit:       limit,
			heating:     2 + r.IntN(6),
		}
	}
	return drawn
}

// cool cools a machine, and what its sensor shows with it.
func (m *machine) cool() {
	m.temperature -= Power
	m.reading -= Power
}

// recalibrate has the sensor show a cool machine. The machine stays as it is.
func (m *machine) recalibrate() { m.reading = m.limit - resets }

// heat lets a step pass.
func (p *plant) heat() {
	for i := range p {
		p[i].temperature += p[i].heating
		p[i].reading += p[i].heating
	}
}

// shown is the share of machines whose sensors show them within their limits.
func (p *plant) shown() float64 {
	return p.share(func(m machine) bool { return m.reading <= m.limit })
}

// within is the share of machines that are.
func (p *plant) within() float64 {
	return p.share(func(m machine) bool { return m.temperature <= m.limit })
}

func (p *plant) share(holds func(machine) bool) float64 {
	var count int
	for _, m := range p {
		if holds(m) {
			count++
		}
	}
	return float64(count) / machines
}

// play is the mean share within limits when choose says which machine is
// cooled at each step; -1 is none.
func play(p plant, choose func(plant) int) float64 {
	var sum float64
	for range Steps {
		if i := choose(p); i >= 0 {
			p[i].cool()
		}
		p.heat()
		sum += p.within()
	}
	return sum / Steps
}

// mostUrgent is the machine with the fewest steps left below its limit, by
// what the sensors show; of equals the first.
func mostUrgent(p plant) int {
	best := 0
	for i := range p {
		// (limit − reading)/heating, compared without dividing.
		if (p[i].limit-p[i].reading)*p[best].heating < (p[best].limit-p[best].reading)*p[i].heating {
			best = i
		}
	}
	return best
}

// hottest is the machine that shows the most degrees.
func hottest(p plant) int {
	best := 0
	for i := range p {
		if p[i].reading > p[best].reading {
			best = i
		}
	}
	return best
}

func wait(plant) int { return -1 }
