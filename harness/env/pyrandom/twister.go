package pyrandom

// The generator of Matsumoto and Nishimura, "Mersenne Twister: a
// 623-dimensionally equidistributed uniform pseudo-random number generator"
// (1998), with the initialisation of 2002.
const (
	words  = 624        // of the state
	middle = 397        // how far off the word is that a word is twisted with
	twist  = 0x9908b0df // the last row of the twisting matrix
	upper  = 1 << 31    // the bit taken of one word, the rest being of the next
)

// seedLinear fills the state from one word.
func (r *Random) seedLinear(seed uint32) {
	r.state[0] = seed
	for i := uint32(1); i < words; i++ {
		r.state[i] = 1812433253*r.mixed(i) + i
	}
}

// mixed is the word before i with its high bits folded into the low ones.
func (r *Random) mixed(i uint32) uint32 {
	before := r.state[i-1]
	return before ^ before>>30
}

// seedByArray fills the state from a key of any length.
func (r *Random) seedByArray(key []uint32) {
	r.seedLinear(19650218)
	i := uint32(1)
	advance := func() {
		if i++; i == words {
			r.state[0] = r.state[words-1]
			i = 1
		}
	}
	for k := range max(words, len(key)) {
		j := k % len(key)
		r.state[i] = (r.state[i] ^ r.mixed(i)*1664525) + key[j] + uint32(j)
		advance()
	}
	for range words - 1 {
		r.state[i] = (r.state[i] ^ r.mixed(i)*1566083941) - i
		advance()
	}
	r.state[0] = upper
}

// word is the next 32 random bits.
func (r *Random) word() uint32 {
	if r.next == words {
		r.renew()
	}
	y := r.state[r.next]
	r.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// renew twists all words of the state.
func (r *Random) renew() {
	for i := range r.state {
		y := r.state[i]&upper | r.state[(i+1)%words]&(upper-1)
		word := r.state[(i+middle)%words] ^ y>>1
		if y&1 == 1 {
			word ^= twist
		}
		r.state[i] = word
	}
	r.next = 0
}
