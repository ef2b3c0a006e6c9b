package openenv_test

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A far is the far end of a WebSocket, framed by hand so that it can be framed
// wrongly.
type far struct {
	conn       net.Conn
	in         *bufio.Reader
	mute       bool   // answers no pings
	beforePong func() // once
	mu         sync.Mutex
	pongs      int
}

// A farServer runs a script for every connection.
type farServer struct {
	*httptest.Server
	scripts     sync.WaitGroup
	connections int
}

// newFarServer accepts every connection and leaves it to the script, together
// with its number.
func newFarServer(t *testing.T, script func(f *far, connection int)) *farServer {
	t.Helper()
	var mu sync.Mutex
	server := &farServer{}
	server.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/ws" {
			http.NotFound(w, r)
			return
		}
		server.scripts.Add(1)
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			server.scripts.Done()
			return
		}
		defer conn.Close()
		hash := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
			base64.StdEncoding.EncodeToString(hash[:]))
		mu.Lock()
		connection := server.connections
		server.connections++
		mu.Unlock()
		defer server.scripts.Done()
		script(&far{conn: conn, in: buffered.Reader}, connection)
	}))
	t.Cleanup(server.scripts.Wait)
	return server
}

// hear is the next text message, or "" when there is none any more. Pings are
// answered, and counted are the pongs.
func (f *far) hear() string {
	var text strings.Builder
	for {
		fin, op, payload := f.hearOne()
		switch op {
		case 8:
			return ""
		case 0, 1, 2:
			text.WriteString(payload)
			if fin {
				return text.String()
			}
		}
	}
}

func (f *far) hearRaw() (fin bool, op byte, payload string) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(f.in, head); err != nil {
		return true, 8, ""
	}
	size := uint64(head[1] & 0x7f)
	if extended := map[uint64]int{126: 2, 127: 8}[size]; extended > 0 {
		long := make([]byte, 8)
		if _, err := io.ReadFull(f.in, long[8-extended:]); err != nil {
			return true, 8, ""
		}
		size = binary.BigEndian.Uint64(long)
	}
	text := make([]byte, 4+size)
	if _, err := io.ReadFull(f.in, text); err != nil {
		return true, 8, ""
	}
	for i := range text[4:] {
		text[4+i] ^= text[i%4]
	}
	return head[0]&0x80 != 0, head[0] & 0x0f, string(text[4:])
}

// hearOne is the next frame, a closing one where there is none any more; it
// does what a frame asks for.
func (f *far) hearOne() (fin bool, op byte, payload string) {
	fin, op, payload = f.hearRaw()
	switch op {
	case 8:
		f.frame(true, 8, payload)
	case 9:
		if f.beforePong != nil {
			f.beforePong()
			f.beforePong = nil
		}
		if !f.mute {
			f.frame(true, 10, payload)
		}
	case 10:
		f.pongs++
	}
	return fin, op, payload
}

func (f *far) text(text string) { f.frame(true, 1, text) }

func (f *far) closing(code uint16, reason string) {
	f.frame(true, 8, string(binary.BigEndian.AppendUint16(nil, code))+reason)
}

func (f *far) frame(fin bool, op byte, payload string) { f.raw(frame(fin, op, payload)) }

func (f *far) raw(bytes string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	io.WriteString(f.conn, bytes) // whether it arrives is for the other end to say
}

func frame(fin bool, op byte, payload string) string {
	if fin {
		op |= 0x80
	}
	switch size := len(payload); {
	case size < 126:
		return string([]byte{op, byte(size)}) + payload
	case size < 1<<16:
		return string(binary.BigEndian.AppendUint16([]byte{op, 126}, uint16(size))) + payload
	default:
		return string(binary.BigEndian.AppendUint64([]byte{op, 127}, uint64(size))) + payload
	}
}
