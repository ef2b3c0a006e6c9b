package infer

import (
	"errors"
	"fmt"
)

// Class says what a failure means for the run.
type Class string

const (
	// ClassRetry: the infrastructure failed for now (a connection, a busy
	// queue, a runner that stopped); the same request may succeed later.
	ClassRetry Class = "retry"
	// ClassTask: this task cannot be asked (a bad image, a prompt beyond the
	// context); others can.
	ClassTask Class = "task"
	// ClassFatal: nothing can be asked until somebody mends something.
	ClassFatal Class = "fatal"
)

// Failure is a request that got no answer. It never counts as a wrong one.
type Failure struct {
	Class  Class
	Status int    // HTTP status, 0 when none arrived
	Hint   string // what to do about it; may be empty
	Err    error
}

// Error states the failure and what mends it.
func (f *Failure) Error() string {
	if f.Hint == "" {
		return f.Err.Error()
	}
	return fmt.Sprintf("%v; %s", f.Err, f.Hint)
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// ClassOf returns the class of err, ClassFatal for an error that no backend
// classified: an unknown fault stops a run rather than be counted as many
// failed tasks.
func ClassOf(err error) Class {
	var f *Failure
	if errors.As(err, &f) {
		return f.Class
	}
	return ClassFatal
}

// ErrImageDropped marks an answer given without the image: the server
// reported fewer prompt tokens than text and image cost.
var ErrImageDropped = errors.New("the server answered without the image")

// ErrContextFull marks a prompt that filled the whole context, so that the
// server may have cut it.
var ErrContextFull = errors.New("the prompt fills the whole context")

// ErrUnended marks a reply that came whole and without its end.
var ErrUnended = errors.New("the reply came without its end")

// ErrNoServer marks a server that could not be reached at all, or that is none.
var ErrNoServer = errors.New("no server answers")

// ErrNothingSaid marks an answer of not a single character.
var ErrNothingSaid = errors.New("the answer is empty")
