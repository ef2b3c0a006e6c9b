// Package scene makes pictures whose contents are known: themes (a park, a
// beach, a kitchen …) with several named objects each, drawn in simple shapes
// on a textured ground.
//
// Generate plans a scene from a seed: what is there, where, in which colour,
// how much of it the things before it leave visible. Draw paints a plan. A plan
// is small and can be kept as the ground truth of its picture. Objects of a
// theme come together and some are commoner than others, so that questions
// about absent objects can be easy or hard as they are in photographs.
//
// With difficulty grow overlap, clutter, haze and grain, objects become smaller
// and stand out less, and kinds that look alike (LookAlikes: an apple and an
// orange, a chair and a stool) lose some of what tells them apart and share
// their colours. One scene in about 25 has a doubtful object, of which people
// could say either that the picture shows it or that it does not.
//
// One seed and one set of options give one plan and the same pixels; the bytes
// of EncodeJPEG depend on the Go version's encoder as well.
package scene
