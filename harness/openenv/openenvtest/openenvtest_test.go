package openenvtest

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Every version serves its environments and says so.
func TestPeersServe(t *testing.T) {
	for _, peer := range Peers(t) {
		for _, environment := range []string{Echo, NumberSort, Trial} {
			if peer.Version == V01 && environment == NumberSort {
				continue
			}
			t.Run(peer.Version+"/"+environment, func(t *testing.T) {
				t.Parallel()
				url := peer.Serve(t, environment)
				response, err := http.Get(url + "/health")
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				body, _ := io.ReadAll(response.Body)
				if response.StatusCode != http.StatusOK || !strings.Contains(string(body), `"healthy"`) {
					t.Errorf("%s says %s %s", url, response.Status, body)
				}
			})
		}
	}
}
