package recalibration

import (
	"math"
	"math/rand/v2"
	"testing"
)

// newton minimises the same loss by a hand-derived gradient and Hessian, with
// steps halved until the loss falls. Nothing is shared with the package.
func newton(samples []sample, start []float64, ridge float64) []float64 {
	theta := append([]float64(nil), start...)
	for range 500 {
		gradient, hessian := derivatives(samples, theta, ridge)
		step := solve(hessian, gradient)
		before, size := lossAt(samples, theta, ridge), 1.0
		next := moved(theta, step, size)
		for lossAt(samples, next, ridge) > before && size > 1e-12 {
			size /= 2
			next = moved(theta, step, size)
		}
		theta = next
		most := 0.0
		for _, d := range step {
			most = max(most, math.Abs(d)*size)
		}
		if most < 1e-13 {
			break
		}
	}
	return theta
}

func moved(theta, step []float64, size float64) []float64 {
	out := make([]float64, len(theta))
	for i := range theta {
		out[i] = theta[i] - size*step[i]
	}
	return out
}

func lossAt(samples []sample, theta []float64, ridge float64) float64 {
	loss, all := 0.0, 0.0
	for _, s := range samples {
		z := dot(theta, s.x)
		loss += s.weight * (max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - s.target*z)
		all += s.weight
	}
	return loss/all + ridge/2*dot(theta, theta)
}

func derivatives(samples []sample, theta []float64, ridge float64) ([]float64, [][]float64) {
	n := len(theta)
	g, h, all := make([]float64, n), make([][]float64, n), 0.0
	for _, s := range samples {
		all += s.weight
	}
	for i := range h {
		h[i] = make([]float64, n)
		h[i][i] = ridge
		g[i] = ridge * theta[i]
	}
	for _, s := range samples {
		p := 1 / (1 + math.Exp(-dot(theta, s.x)))
		for i := range n {
			g[i] += s.weight / all * (p - s.target) * s.x[i]
			for j := range n {
				h[i][j] += s.weight / all * p * (1 - p) * s.x[i] * s.x[j]
			}
		}
	}
	return g, h
}

// solve is Gaussian elimination with pivots.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	x := append([]float64(nil), b...)
	for i := range n {
		p := i
		for r := i + 1; r < n; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[p][i]) {
				p = r
			}
		}
		a[i], a[p], x[i], x[p] = a[p], a[i], x[p], x[i]
		for r := i + 1; r < n; r++ {
			f := a[r][i] / a[i][i]
			for k := i; k < n; k++ {
				a[r][k] -= f * a[i][k]
			}
			x[r] -= f * x[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// drawn is n answers that overstate: right with probability σ(slope·logit c).
func drawn(n int, grid float64, slope float64, seed uint64) (confidence []float64, correct []bool) {
	random := rand.New(rand.NewPCG(seed, 0))
	for range n {
		c := 0.02 + 0.96*math.Sqrt(random.Float64())
		if grid > 0 {
			c = math.Round(c/grid) * grid
		}
		confidence = append(confidence, c)
		correct = append(correct, random.Float64() < sigmoid(slope*logit(clip(c))))
	}
	return confidence, correct
}

// Gorgonia's gradient and BFGS end where hand-derived Newton steps end, with
// weights and without.
func TestNewtonAgrees(t *testing.T) {
	for seed := range uint64(24) {
		conf, correct := drawn(60+int(seed)*20, []float64{0, 0.05, 0.1}[seed%3], 0.7, seed)
		var weights []float64
		if seed%2 == 1 {
			random := rand.New(rand.NewPCG(seed, 1))
			for range conf {
				weights = append(weights, random.Float64()*3)
			}
		}
		points, err := gather(conf, correct, weights)
		if err != nil {
			t.Fatal(err)
		}
		all, right := total(points)
		var one, two, three []sample
		for _, p := range points {
			z, lc, lnc := logit(p.confidence), math.Log(p.confidence), -math.Log1p(-p.confidence)
			smooth := (p.right*(right+1)/(right+2) + (p.weight-p.right)/(all-right+2)) / p.weight
			one = append(one, sample{[]float64{z}, p.weight, p.rate()})
			two = append(two, sample{[]float64{z, 1}, p.weight, smooth})
			three = append(three, sample{[]float64{lc, lnc, 1}, p.weight, p.rate()})
		}
		temperature := fitted(t, "temperature", conf, correct, weights).(Temperature)
		platt := fitted(t, "platt", conf, correct, weights).(Platt)
		beta := fitted(t, "beta", conf, correct, weights).(Beta)
		close(t, "temperature", []float64{1 / temperature.T}, newton(one, []float64{1}, 0), 1e-6)
		close(t, "platt", []float64{platt.A, platt.B}, newton(two, []float64{0, 0}, Ridge), 1e-6)
		if want := newton(three, []float64{0, 0, 0}, Ridge); want[0] > 0 && want[1] > 0 {
			close(t, "beta", []float64{beta.A, beta.B, beta.C}, want, 1e-6)
		} else if beta.A != 0 && beta.B != 0 {
			t.Errorf("seed %d: without the constraint %v, with it %+v: no slope is 0", seed, want, beta)
		}
	}
}

// The gradient is right, the second time as the first: gradients must not add
// up from run to run.
func TestGradient(t *testing.T) {
	conf, correct := drawn(50, 0, 0.5, 3)
	points, err := gather(conf, correct, nil)
	if err != nil {
		t.Fatal(err)
	}
	var samples []sample
	for _, p := range points {
		samples = append(samples, sample{[]float64{logit(p.confidence), 1}, p.weight, p.rate()})
	}
	g, err := newGraph(samples, 2, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	for _, theta := range [][]float64{{1, 0}, {1, 0}, {-2, 3}, {40, -800}, {0, 0}} {
		got := make([]float64, 2)
		g.gradient(got, theta)
		want, _ := derivatives(samples, theta, 0.5)
		close(t, "gradient", got, want, 1e-12)
		close(t, "loss", []float64{g.value(theta)}, []float64{lossAt(samples, theta, 0.5)}, 1e-12)
	}
}

func fitted(t *testing.T, name string, conf []float64, correct []bool, weights []float64) Map {
	t.Helper()
	m, err := Fit(name, conf, correct, weights)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// close compares with a tolerance relative above 1.
func close(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*max(1, math.Abs(want[i]))) {
			t.Errorf("%s: %v, want %v (difference %g)", what, got, want, got[i]-want[i])
			return
		}
	}
}
