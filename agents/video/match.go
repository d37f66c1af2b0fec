package video

import "math"

const (
	block  = 8 // pixels a side
	reach  = 7 // pixels that a block may have moved
	smooth = 3 // standard deviation below which a block has no texture
)

// matched is the share of a picture's textured blocks that are found again in
// the other one, moved by at most reach pixels and however bright, and the share
// of blocks that have a texture at all.
func matched(a, b *small) (share, textured float64) {
	total, withTexture, found := 0, 0, 0
	for by := 0; by+block <= b.h; by += block {
		for bx := 0; bx+block <= b.w; bx += block {
			total++
			mean, dev := blockStats(b, bx, by)
			if dev < smooth {
				continue
			}
			withTexture++
			if findBlock(a, b, bx, by, mean, dev) {
				found++
			}
		}
	}
	if withTexture == 0 {
		return 0, 0
	}
	return float64(found) / float64(withTexture), float64(withTexture) / float64(total)
}

func blockStats(s *small, bx, by int) (mean, dev float64) {
	sum, squares := 0, 0
	for y := by; y < by+block; y++ {
		for _, p := range s.y[y*s.w+bx : y*s.w+bx+block] {
			sum += int(p)
			squares += int(p) * int(p)
		}
	}
	const n = block * block
	mean = float64(sum) / n
	return mean, math.Sqrt(max(0, float64(squares)/n-mean*mean))
}

// similar is the correlation from which two blocks show the same thing.
const similar = 0.9

// findBlock looks for b's block in a, nearest places first.
func findBlock(a, b *small, bx, by int, mean, dev float64) bool {
	for r := 0; r <= reach; r++ {
		for dy := -r; dy <= r; dy++ {
			step := 1
			if dy != -r && dy != r && r > 0 {
				step = 2 * r
			}
			for dx := -r; dx <= r; dx += step {
				x, y := bx+dx, by+dy
				if x < 0 || y < 0 || x+block > a.w || y+block > a.h {
					continue
				}
				if correlation(a, b, x, y, bx, by, mean, dev) >= similar && sameHue(a, b, x, y, bx, by) {
					return true
				}
			}
		}
	}
	return false
}

// hueSlack is how far the colour of two blocks may be apart, in levels.
const hueSlack = 20

// sameHue says whether two blocks have the same colour, or one is a paler
// version of the other, as in a flash or a fade.
func sameHue(a, b *small, ax, ay, bx, by int) bool {
	au, av := chroma(a, ax, ay)
	bu, bv := chroma(b, bx, by)
	return fromSegment(bu, bv, au, av) < hueSlack || fromSegment(au, av, bu, bv) < hueSlack
}

// chroma is the mean colour of a block; (0, 0) is grey.
func chroma(s *small, x0, y0 int) (u, v float64) {
	for y := y0; y < y0+block; y++ {
		for x := x0; x < x0+block; x++ {
			u += float64(s.u[y*s.w+x])
			v += float64(s.v[y*s.w+x])
		}
	}
	const n = block * block
	return u/n - 128, v/n - 128
}

// fromSegment is the distance of (x, y) from the line between grey and (u, v).
func fromSegment(x, y, u, v float64) float64 {
	length := u*u + v*v
	part := 0.0
	if length > 0 {
		part = min(1, max(0, (x*u+y*v)/length))
	}
	return math.Hypot(x-part*u, y-part*v)
}

// changed is the share of blocks that differ by more than levels.
func changed(a, b *small, levels float64) float64 {
	total, n := 0, 0
	for by := 0; by+block <= b.h; by += block {
		for bx := 0; bx+block <= b.w; bx += block {
			total++
			if blockDifference(a, b, bx, by) > levels {
				n++
			}
		}
	}
	return float64(n) / float64(total)
}

func blockDifference(a, b *small, bx, by int) float64 {
	sum := 0
	for y := by; y < by+block; y++ {
		for i := y*b.w + bx; i < y*b.w+bx+block; i++ {
			sum += abs(int(a.y[i])-int(b.y[i])) + abs(int(a.u[i])-int(b.u[i])) + abs(int(a.v[i])-int(b.v[i]))
		}
	}
	return float64(sum) / (block * block)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

func correlation(a, b *small, ax, ay, bx, by int, mean, dev float64) float64 {
	sum, squares, product := 0, 0, 0
	for row := range block {
		pa := a.y[(ay+row)*a.w+ax : (ay+row)*a.w+ax+block]
		pb := b.y[(by+row)*b.w+bx : (by+row)*b.w+bx+block]
		for i, p := range pa {
			sum += int(p)
			squares += int(p) * int(p)
			product += int(p) * int(pb[i])
		}
	}
	const n = block * block
	am := float64(sum) / n
	variance := float64(squares)/n - am*am
	if variance < 0.7*smooth*smooth {
		return 0
	}
	return (float64(product)/n - am*mean) / (math.Sqrt(variance) * dev)
}
