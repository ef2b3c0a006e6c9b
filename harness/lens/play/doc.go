// Package play has agents act in environments and keeps record of all that
// happens: every episode, every question put to an agent outside of one, and
// every word of a judge.
//
// What is measured later is measured off those records alone. A [Bench] plays
// a thing once, under a name; asked for the same name again, in this process or
// in a later one that continues the same journal, it answers from the record.
// So a measurement that was interrupted goes on where it was, and [Replay]
// repeats one without agent or environment.
//
// What goes wrong is told apart by whose it is. An environment that stalls,
// closes, is full or fails is at fault itself, and so is the way to an agent
// that gives an error; neither is ever taken for a bad answer. An action that
// the environment refuses is the agent's.
package play
