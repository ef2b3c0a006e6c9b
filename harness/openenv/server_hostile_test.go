package openenv_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/harness/openenv"

	"github.com/coder/websocket"
)

// A rawClient speaks WebSocket by hand, and so may speak it badly.
type rawClient struct {
	net.Conn
	r *bufio.Reader
}

func dialRaw(t testing.TB, address string) *rawClient {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(30 * time.Second))
	fmt.Fprintf(c, "GET /ws HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", address)
	one := &rawClient{c, bufio.NewReader(c)}
	response, err := http.ReadResponse(one.r, nil)
	if err != nil || response.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("no WebSocket: %v, %v", response, err)
	}
	return one
}

// wireHeader is a frame's beginning: its first byte, and a length that need not be
// that of what follows.
func wireHeader(first byte, length uint64, masked bool) []byte {
	second := byte(127)
	if masked {
		second |= 0x80
	}
	out := binary.BigEndian.AppendUint64([]byte{first, second}, length)
	if masked {
		out = append(out, 0, 0, 0, 0) // a mask that changes nothing
	}
	return out
}

func wireFrame(first byte, payload string) []byte {
	return append(wireHeader(first, uint64(len(payload)), true), payload...)
}

// wireShort is a control frame, whose length has one byte.
func wireShort(first byte, payload string) []byte {
	return append([]byte{first, 0x80 | byte(len(payload)), 0, 0, 0, 0}, payload...)
}

// closing reads until the server closes and returns its code; 0 is a close
// without a frame.
func (c *rawClient) closing() int {
	for {
		var head [2]byte
		if _, err := io.ReadFull(c.r, head[:]); err != nil {
			return 0
		}
		length := int64(head[1] & 0x7f)
		switch length {
		case 126:
			var n uint16
			binary.Read(c.r, binary.BigEndian, &n)
			length = int64(n)
		case 127:
			binary.Read(c.r, binary.BigEndian, &length)
		}
		payload := make([]byte, length)
		if _, err := io.ReadFull(c.r, payload); err != nil {
			return 0
		}
		if head[0] == 0x88 && length >= 2 {
			c.Write(wireShort(0x88, string(payload)))
			return int(binary.BigEndian.Uint16(payload))
		}
	}
}

// Frames that break the protocol end the session with the code for it, and
// nothing else.
func TestServerClosesBrokenFrames(t *testing.T) {
	address := serve(t, probeSpec(nil), openenv.Options{Limits: openenv.Limits{Message: 1 << 16, Upload: 2 * time.Second}})
	good := `{"type":"state"}`
	for _, row := range []struct {
		name string
		send []byte
		code int // 0: any end will do
	}{
		{"a length beyond the limit", wireHeader(0x81, 1<<62, true), 0},
		{"a message beyond the limit", wireFrame(0x81, strings.Repeat(" ", 1<<16+1)), 1009},
		{"fragments beyond the limit", slices.Concat(wireFrame(0x01, strings.Repeat(" ", 1<<15)), wireFrame(0x00, strings.Repeat(" ", 1<<15)), wireFrame(0x80, "xx")), 1009},
		{"no UTF-8", wireFrame(0x81, "{\"type\":\"\xff\"}"), 1007},
		{"half a character", wireFrame(0x81, "\xc3"), 1007},
		{"a reserved opcode", wireFrame(0x83, good), 1002},
		{"reserved bits", wireFrame(0xf1, good), 1002},
		{"compressed though it was not agreed", wireFrame(0xc1, good), 1002},
		{"not masked", append(wireHeader(0x81, uint64(len(good)), false), good...), 1002},
		{"a continuation of nothing", wireFrame(0x80, good), 1002},
		{"a fragmented ping", wireShort(0x09, "x"), 1002},
		{"a long ping", append(wireHeader(0x89, 200, true), make([]byte, 200)...), 1002},
		{"a close with half a code", wireShort(0x88, "x"), 1002},
		{"a close with a code that is none", wireShort(0x88, "\x03\xee"), 1002}, // 1006
		{"a message that stops on its way", append(wireHeader(0x81, 100, true), `{"type"`...), 0},
		{"a header that stops on its way", []byte{0x81}, 0},
		{"binary", wireFrame(0x82, good), 1000},
		{"a close", wireShort(0x88, "\x03\xe8"), 1000},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := dialRaw(t, address)
			c.SetDeadline(time.Now().Add(20 * time.Second))
			go c.Write(row.send)
			if row.name == "a header that stops on its way" {
				time.Sleep(50 * time.Millisecond)
				c.Conn.(*net.TCPConn).CloseWrite()
			}
			if code := c.closing(); row.code != 0 && code != row.code {
				t.Errorf("closed with %d, want %d", code, row.code)
			}
		})
	}
}

// A message may come in as many pieces as it likes, with pings between them.
func TestServerTakesFragments(t *testing.T) {
	address := serve(t, probeSpec(nil), openenv.Options{})
	c := dialRaw(t, address)
	for i, letter := range `{"type":"state"}` {
		first := byte(0x00)
		switch i {
		case 0:
			first = 0x01
		case len(`{"type":"state"}`) - 1:
			first = 0x80
		}
		c.Write(wireFrame(first, string(letter)))
		c.Write(wireFrame(first&0x80, "")[:0])
		c.Write(wireShort(0x89, "?"))
	}
	pongs := 0
	for {
		var head [2]byte
		if _, err := io.ReadFull(c.r, head[:]); err != nil {
			t.Fatal(err)
		}
		payload := make([]byte, head[1])
		if _, err := io.ReadFull(c.r, payload); err != nil {
			t.Fatal(err)
		}
		if head[0] == 0x8a {
			pongs++
			continue
		}
		if want := `{"type":"state","data":{"episode_id":null,"step_count":0}}`; string(payload) != want {
			t.Errorf("answered by %s", payload)
		}
		break
	}
	if pongs == 0 {
		t.Error("no ping was answered")
	}
}

// While others stall, flood, send rubbish and read nothing, a session is
// answered as if it were alone, and afterwards nothing of them is left.
func TestServerKeepsGoodSessionsQuick(t *testing.T) {
	meter := &counter{}
	address := serve(t, probeSpec(nil), openenv.Options{
		Meter:  meter,
		Limits: openenv.Limits{Message: 1 << 20, Upload: time.Second, Write: time.Second, Rate: 200},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var hostile sync.WaitGroup
	attack := func(how func(*rawClient)) {
		c := dialRaw(t, address)
		hostile.Go(func() { how(c); c.Close() })
		context.AfterFunc(ctx, func() { c.Close() })
	}
	until := func(c *rawClient, send []byte) {
		for ctx.Err() == nil {
			if _, err := c.Write(send); err != nil {
				return
			}
		}
	}
	step := wireFrame(0x81, `{"type":"step","data":{"name":"a"}}`)
	junk := make([]byte, 4096)
	rand.Read(junk)
	for range 1 {
		attack(func(c *rawClient) { <-ctx.Done() })                                                                    // stalls
		attack(func(c *rawClient) { c.Write(step[:9]); <-ctx.Done() })                                                 // in the midst of a frame
		attack(func(c *rawClient) { until(c, step) })                                                                  // floods and reads nothing
		attack(func(c *rawClient) { go io.Copy(io.Discard, c); until(c, step) })                                       // floods
		attack(func(c *rawClient) { go io.Copy(io.Discard, c); until(c, wireShort(0x89, "ping")) })                    // floods with pings
		attack(func(c *rawClient) { until(c, wireShort(0x89, "ping")) })                                               // and reads no pong
		attack(func(c *rawClient) { c.Write(wireFrame(0x01, "")); until(c, wireFrame(0x00, "")) })                     // a message of nothing without an end
		attack(func(c *rawClient) { until(c, junk) })                                                                  // rubbish
		attack(func(c *rawClient) { c.Write(wireFrame(0x81, strings.Repeat("[", 1<<19))); until(c, nil) })             // deep
		attack(func(c *rawClient) { c.Write(wireHeader(0x81, 1<<20, true)); until(c, bytes.Repeat([]byte{'x'}, 99)) }) // huge
	}
	good := dial(t, address, "/ws")
	var waits []time.Duration
	for range 60 {
		began := time.Now()
		if reply := say(t, good, `{"type":"step","data":{"name":"a"}}`); !strings.Contains(reply, `"reward":0.5`) {
			t.Fatalf("answered by %s", reply)
		}
		waits = append(waits, time.Since(began))
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	hostile.Wait()
	if err := good.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}
	slices.Sort(waits)
	// Generous: the machine of a test is busy, with all these clients as well.
	if median, late := waits[len(waits)/2], waits[len(waits)*99/100]; median > 250*time.Millisecond || late > 3*time.Second {
		t.Errorf("a good session waited %v, at worst %v", median, late)
	} else {
		t.Logf("a good session waited %v, at worst %v", median, late)
	}
	eventually(t, func() bool { return meter.active() == 0 })
}

// A client that does not answer pings is dropped as Python's server would, with
// 1011.
func TestServerDropsDeadClients(t *testing.T) {
	meter := &counter{}
	address := serve(t, probeSpec(nil), openenv.Options{Meter: meter, Limits: openenv.Limits{Ping: 100 * time.Millisecond}})
	dead := dialRaw(t, address)
	time.Sleep(400 * time.Millisecond) // it reads nothing and so answers nothing
	if code := dead.closing(); code != 1011 {
		t.Errorf("a client that answers no ping is closed with %d", code)
	}
	eventually(t, func() bool { return meter.active() == 0 })
}

// One that is there and asks nothing is told after a while that it is idle.
func TestServerDropsIdleClients(t *testing.T) {
	meter := &counter{}
	address := serve(t, probeSpec(nil), openenv.Options{Meter: meter, Limits: openenv.Limits{Idle: 500 * time.Millisecond}})
	quiet := dial(t, address, "/ws")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, _, err := quiet.Read(ctx)
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != websocket.StatusGoingAway || closed.Reason != "idle for 500ms" {
		t.Errorf("an idle client is told %v", err)
	}
	eventually(t, func() bool { return meter.active() == 0 })
}

// Half-open: the client is gone without a word while its step runs. The step
// ends with it and its place is free.
func TestServerFreesThePlaceOfWhoIsGone(t *testing.T) {
	meter := &counter{}
	address := serve(t, probeSpec(make(chan struct{})), openenv.Options{Meter: meter, Limits: openenv.Limits{Sessions: 1}})
	c := dialRaw(t, address)
	c.Write(wireFrame(0x81, `{"type":"step","data":{"name":"stall"}}`))
	eventually(t, func() bool { return meter.active() == 1 })
	time.Sleep(50 * time.Millisecond)
	c.Conn.(*net.TCPConn).SetLinger(0)
	c.Close()
	eventually(t, func() bool { return meter.active() == 0 })
	next := dial(t, address, "/ws")
	defer next.CloseNow()
	if reply := say(t, next, `{"type":"state"}`); !strings.Contains(reply, `"state"`) {
		t.Errorf("the next is told %s", reply)
	}
}

// counter is a meter for tests.
type counter struct {
	mu       sync.Mutex
	sessions int
	codes    []string
}

func (c *counter) Sessions(change int) { c.mu.Lock(); defer c.mu.Unlock(); c.sessions += change }
func (c *counter) Call(_ string, _ time.Duration, code string) {
	if code != "" {
		c.Refused(code)
	}
}
func (c *counter) Refused(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.codes = append(c.codes, code)
}
func (c *counter) active() int { c.mu.Lock(); defer c.mu.Unlock(); return c.sessions }

func eventually(t *testing.T, true func() bool) {
	t.Helper()
	for range 2000 {
		if true() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it does not come to be")
}

// A request that stops on its way, or is too long, or is one too many, costs
// its sender alone.
func TestServerBoundsRequests(t *testing.T) {
	stall := make(chan struct{})
	address := serve(t, probeSpec(stall), openenv.Options{Limits: openenv.Limits{Message: 1 << 16, Upload: time.Second, Parallel: 4, Sessions: 2}})
	slow, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	fmt.Fprintf(slow, "POST /reset HTTP/1.1\r\nHost: %s\r\nContent-Length: 100\r\n\r\n{", address)
	slow.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.Copy(io.Discard, slow); err != nil {
		t.Errorf("a body that stops is waited for: %v", err)
	}
	post := func(body string) int {
		answer, err := http.Post("http://"+address+"/step", "application/json", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return 0
		}
		defer answer.Body.Close()
		_, _ = io.Copy(io.Discard, answer.Body)
		return answer.StatusCode
	}
	if status := post(`{"action":{"name":"a"},"x":"` + strings.Repeat("x", 1<<16) + `"}`); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body beyond the limit is answered by %d", status)
	}
	// One runs and two wait; of more that come the server says that it is busy,
	// and sessions do not wait for any of them.
	statuses := make(chan int)
	for range 8 {
		go func() { statuses <- post(`{"action":{"name":"stall"}}`) }()
	}
	for range 5 {
		if status := <-statuses; status != http.StatusServiceUnavailable {
			t.Errorf("a request too many is answered by %d", status)
		}
	}
	c := dial(t, address, "/ws")
	defer c.CloseNow()
	if reply := say(t, c, `{"type":"step","data":{"name":"a"}}`); !strings.Contains(reply, `"done":true`) {
		t.Errorf("a session is told %s", reply)
	}
	close(stall)
	for range 3 {
		if status := <-statuses; status != http.StatusOK {
			t.Errorf("a request that waited is answered by %d", status)
		}
	}
}

// Messages that begin and stop do not keep others from sending long ones.
func TestServerTakesLongMessagesBesideStalledOnes(t *testing.T) {
	const most = 1 << 20
	address := serve(t, probeSpec(nil), openenv.Options{Limits: openenv.Limits{Message: most}})
	for range 6 {
		c := dialRaw(t, address)
		go func() {
			c.Write(wireHeader(0x81, most, true))
			c.Write([]byte(strings.Repeat(" ", most-9)))
		}()
	}
	time.Sleep(100 * time.Millisecond)
	for _, size := range []int{most / 10, most - 100} {
		c := dial(t, address, "/ws")
		if reply := say(t, c, `{"type":"state","x":"`+strings.Repeat("x", size)+`"}`); !strings.Contains(reply, "extra_forbidden") {
			t.Errorf("answered by %.100s", reply)
		}
		c.CloseNow()
	}
}

// A client may send several long messages while a step runs: they are read one
// at a time, and it is neither late nor dead meanwhile.
func TestServerReadsOneLongMessageAtATime(t *testing.T) {
	stall := make(chan struct{})
	address := serve(t, probeSpec(stall), openenv.Options{Limits: openenv.Limits{Message: 1 << 20, Upload: 300 * time.Millisecond, Ping: 200 * time.Millisecond}})
	c := dialRaw(t, address)
	long := `{"type":"state"` + strings.Repeat(" ", 100<<10) + `}`
	go func() {
		c.Write(wireFrame(0x81, `{"type":"step","data":{"name":"stall"}}`))
		for range 3 {
			c.Write(wireFrame(0x81, long))
		}
		time.Sleep(time.Second)
		close(stall)
	}()
	states := 0
	for states < 3 {
		var head [2]byte
		if _, err := io.ReadFull(c.r, head[:]); err != nil {
			t.Fatal(err)
		}
		if head[0] == 0x88 {
			t.Fatalf("closed after %d answers", states)
		}
		payload := make([]byte, head[1])
		if head[1] == 126 {
			var n uint16
			binary.Read(c.r, binary.BigEndian, &n)
			payload = make([]byte, n)
		}
		io.ReadFull(c.r, payload)
		if head[0] == 0x89 {
			c.Write(wireShort(0x8a, string(payload)))
		} else if strings.Contains(string(payload), `"type":"state"`) {
			states++
		}
	}
}

// The place of who has just gone is free for who comes at once.
func TestServerGivesAPlaceAtOnce(t *testing.T) {
	address := serve(t, probeSpec(nil), openenv.Options{Limits: openenv.Limits{Sessions: 1}})
	for i := range 20 {
		c := dialRaw(t, address)
		c.Write(wireFrame(0x81, `{"type":"state"}`))
		var reply [40]byte
		if _, err := io.ReadFull(c.r, reply[:]); err != nil || !strings.Contains(string(reply[:]), `"state"`) {
			t.Fatalf("client %d is told %s, %v", i, reply, err)
		}
		c.Close()
	}
}
