// Package compat measures as the published Python packages learnlens-rl 0.1.3
// and 0.2.1 do: the same episodes at the same seeds in the same order, the same
// formulas, reports, verdicts and JSON, with their faults. It is for comparing
// with figures that they gave. Package lens says what is wrong with those, and
// measures otherwise.
//
// What the packages say was recorded by scripts/record.sh lens; the tests
// compare with that.
package compat
