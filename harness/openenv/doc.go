// Package openenv speaks OpenEnv, the protocol by which trainers and agents
// reach reinforcement learning environments, from both sides.
//
// An [Environment] is one session: it is reset, stepped until an episode is
// done, and reset again. It may live in this process or behind a server, and
// nobody who plays it need know which. Whatever crosses the wire is kept as
// the bytes that were sent: keys stay in their order and numbers keep their
// spelling (0.0 is not 0), since an agent reads the text of an observation and
// not a map of it.
//
// [Dial] plays an environment behind a server, of any released version of the
// protocol. A [Server] serves any Go environment to anyone's trainer; what it
// answers is compared with recordings of OpenEnv's own.
package openenv
