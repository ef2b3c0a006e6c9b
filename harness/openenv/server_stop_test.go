package openenv_test

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"candor/harness/openenv"
)

// A server that stops waits for what runs and for nothing that has not come:
// connections that say nothing, half a header, half a body, half a message.
func TestServerStopsWithoutWaitingForRequests(t *testing.T) {
	address, stop := start(t, probeSpec(nil), openenv.Options{Limits: openenv.Limits{Grace: 20 * time.Second}})
	for _, sent := range []string{
		"",
		"POST /reset HTTP/1.1\r\nHost: x",
		"POST /reset HTTP/1.1\r\nHost: " + address + "\r\nContent-Length: 100\r\n\r\n{",
		"POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
		"GET /health HTTP/1.1\r\nHost: " + address + "\r\n\r\nGET /hea",
	} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, sent)
	}
	socket := dialRaw(t, address)
	fmt.Fprintf(socket, "%s{", wireHeader(0x81, 100, true))
	go func() { socket.closing() }()
	time.Sleep(100 * time.Millisecond) // for all of it to arrive
	began := time.Now()
	if err := stop(); err != nil {
		t.Errorf("the server ended in %v", err)
	}
	// net/http waits 5 seconds for those that say nothing.
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("it took %v", took)
	}
}
