package meter_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"candor/harness/openenv"
	"candor/harness/openenv/meter"
)

// What happened is what a scraper reads; codes that are none of the protocol's
// make one series together.
func TestScrape(t *testing.T) {
	m := meter.New("probe")
	var _ openenv.Meter = m
	m.Sessions(1)
	m.Sessions(1)
	m.Sessions(-1)
	m.Call("step", 2*time.Millisecond, "")
	m.Call("step", 2*time.Second, openenv.CodeExecution)
	m.Refused(openenv.CodeInvalidJSON)
	m.Refused("MADE_UP")
	m.Refused("MADE_UP_TOO")
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`candor_openenv_sessions_active{environment="probe"} 1`,
		`candor_openenv_sessions_total{environment="probe"} 2`,
		`candor_openenv_call_seconds_count{environment="probe",method="step"} 2`,
		`candor_openenv_call_seconds_bucket{environment="probe",method="step",le="0.01024"} 1`,
		`candor_openenv_errors_total{code="EXECUTION_ERROR",environment="probe"} 1`,
		`candor_openenv_errors_total{code="INVALID_JSON",environment="probe"} 1`,
		`candor_openenv_errors_total{code="OTHER",environment="probe"} 2`,
	} {
		if !strings.Contains(answer.Body.String(), want) {
			t.Errorf("%s is not in\n%s", want, answer.Body)
		}
	}
}
