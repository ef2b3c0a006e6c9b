// Package meter counts what an OpenEnv server does, for Prometheus: sessions,
// calls of environments and how long they take, and errors by their codes. Its
// registry is its own, so that a program may have several servers and nothing
// is counted that nobody asked for.
package meter

import (
	"net/http"
	"time"

	"candor/harness/openenv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A Meter is told what a server does and answers a scraper. It is an
// openenv.Meter.
type Meter struct {
	registry *prometheus.Registry
	active   prometheus.Gauge
	sessions prometheus.Counter
	calls    *prometheus.HistogramVec
	errors   *prometheus.CounterVec
}

// New makes the meter of the server of an environment.
func New(environment string) *Meter {
	labels := prometheus.Labels{"environment": environment}
	m := &Meter{
		registry: prometheus.NewRegistry(),
		active: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "candor_openenv_sessions_active", Help: "Sessions there are.", ConstLabels: labels}),
		sessions: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "candor_openenv_sessions_total", Help: "Sessions that began.", ConstLabels: labels}),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "candor_openenv_call_seconds", Help: "Time that a reset, step or state took, its waiting included.", ConstLabels: labels,
			Buckets: prometheus.ExponentialBuckets(1e-5, 4, 11)}, []string{"method"}), // 10 µs to 10 s
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "candor_openenv_errors_total", Help: "Errors that were told, by their code.", ConstLabels: labels}, []string{"code"}),
	}
	m.registry.MustRegister(m.active, m.sessions, m.calls, m.errors)
	return m
}

// Sessions counts one that begins (+1) or ends (−1).
func (m *Meter) Sessions(change int) {
	m.active.Add(float64(change))
	if change > 0 {
		m.sessions.Add(float64(change))
	}
}

// Call counts a reset, step or state.
func (m *Meter) Call(method string, took time.Duration, code string) {
	m.calls.WithLabelValues(method).Observe(took.Seconds())
	if code != "" {
		m.Refused(code)
	}
}

// Refused counts an error.
func (m *Meter) Refused(code string) { m.errors.WithLabelValues(label(code)).Inc() }

// label keeps an environment that makes up codes from making a time series of
// each.
func label(code string) string {
	switch code {
	case openenv.CodeInvalidJSON, openenv.CodeUnknownType, openenv.CodeValidation, openenv.CodeExecution,
		openenv.CodeCapacityReached, openenv.CodeFactory, openenv.CodeSession, openenv.CodeTooLong:
		return code
	}
	return "OTHER"
}

// Handler answers GET /metrics.
func (m *Meter) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
