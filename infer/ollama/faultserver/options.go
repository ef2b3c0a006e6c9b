package faultserver

import "time"

// Models sets the models that the server has; the others get a 404.
func Models(names ...string) Option { return func(c *config) { c.models = names } }

// Version sets the server's version.
func Version(v string) Option { return func(c *config) { c.version = v } }

// Digest sets the manifest digest of every model, without prefix.
func Digest(d string) Option { return func(c *config) { c.digest = d } }

// Name sets the weights' own name, as far as servers show it:
// general.basename.
func Name(n string) Option { return func(c *config) { c.name = n } }

// Architecture sets general.architecture.
func Architecture(a string) Option { return func(c *config) { c.architecture = a } }

// Capabilities sets what the models can do; the default is completion and
// vision.
func Capabilities(list ...string) Option { return func(c *config) { c.capabilities = list } }

// Residency sets the bytes of a loaded model and those of them that lie in
// GPU memory.
func Residency(size, vram int64) Option {
	return func(c *config) { c.size, c.vram = size, vram }
}

// Loaded makes the models resident before any request; else the process list
// holds the model that was asked last.
func Loaded() Option { return func(c *config) { c.loaded = true } }

// Answers replaces the model where it is asked for a verdict, by the format or,
// without one, by the texts (preflight requests with such a system text too).
// f is called concurrently and returns the whole text, or nothing to leave
// the answer to the stand-in.
func Answers(f func(*Request) string) Option { return func(c *config) { c.answers = f } }

// AbstainEvery makes about one answer in n an abstention.
func AbstainEvery(n int) Option { return func(c *config) { c.abstainEvery = uint64(n) } }

// MalformedEvery makes about one answer in n malformed, whatever the format.
func MalformedEvery(n int) Option { return func(c *config) { c.malformedEvery = uint64(n) } }

// IgnorePenalties makes repetition penalties without effect, as most engines
// of Ollama do.
func IgnorePenalties() Option { return func(c *config) { c.ignorePenalties = true } }

// NoLogprobs tells no log-probabilities, whatever is asked, as servers did
// that do not know the option.
func NoLogprobs() Option { return func(c *config) { c.noLogprobs = true } }

// IgnoreImage makes answers and log-probabilities depend on the text alone.
func IgnoreImage() Option { return func(c *config) { c.ignoreImage = true } }

// DropFormat answers requests that have a format in free text.
func DropFormat() Option { return func(c *config) { c.dropFormat = true } }

// Unrepeatable gives the same request another answer every time.
func Unrepeatable() Option { return func(c *config) { c.unrepeatable = true } }

// Latency makes every answer take at least d.
func Latency(d time.Duration) Option { return func(c *config) { c.latency = d } }

// Serialise serves one request at a time, as Ollama does for the newer vision
// architectures: latency grows with concurrency, throughput does not.
func Serialise() Option { return Slots(1) }

// Slots serves at most n requests at once, the others wait; 0 serves any
// number, as it does unless told.
func Slots(n int) Option { return func(c *config) { c.slots = n } }

// Down breaks every connection, whatever is asked, until it is set to false.
func Down(down bool) Option { return func(c *config) { c.down = down } }

// ImageCost makes an answer take d more when its image is not that of the
// request before, as with a server that keeps the last prefix.
func ImageCost(d time.Duration) Option { return func(c *config) { c.imageCost = d } }
