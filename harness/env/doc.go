// Package env is the folder of the environments that candor serves over OpenEnv;
// each is a package of its own, and a [candor/harness/openenv.Spec].
//
// # What a vision environment can count on
//
// An OpenEnv observation is one JSON object, and the trainers that play any
// environment unseen show it to the model as that: the openenv taskset of
// verifiers (releases 0.3.1 and 0.4.0) sends each observation, with the schema
// of the action, as the text of one user message, whatever is in it. An image
// in an observation reaches a model by that way as base64 text, a few hundred
// thousand characters of it, and is seen by none. So an environment with an
// image
//
//   - lets the one who resets it choose how the image is given: as a data URI, as
//     an address, or not at all, so that text-only play stays within a context;
//   - names the key that holds the data URI, so that a player who knows it can
//     make a message with an image part of it. scripts/verifiers holds such a
//     player: a small taskset for verifiers;
//   - titles its action's schema neither Action, CallToolAction nor
//     ListToolsAction, which that taskset takes for a tool server, and gives the
//     action a single required field, into which a reply that is no JSON object
//     is put as it stands.
package env
