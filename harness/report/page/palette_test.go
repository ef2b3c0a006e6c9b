package page_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"

	"candor/harness/report/figure"
)

// Text and lines stand out from what they are on, in light and dark: text by
// 4.5 to 1, what is drawn by 3 to 1 (WCAG 2.1, 1.4.3 and 1.4.11).
func TestContrast(t *testing.T) {
	css, err := os.ReadFile("page.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark := map[string]string{}, map[string]string{}
	for _, role := range figure.Roles() {
		c := role.Color
		light["figure-"+role.Name] = fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(string(css), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d sets of colours in the style sheet; want light and dark", len(blocks))
	}
	for i, to := range []map[string]string{light, dark} {
		for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-fA-F]+)`).FindAllStringSubmatch(blocks[i][1], -1) {
			to[m[1]] = m[2]
		}
	}
	for scheme, colors := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, text := range []string{"fg", "soft", "link", "bad", "good", "mid", "figure-ink"} {
			for _, on := range []string{"bg", "card", "warn"} {
				if on == "warn" && text != "fg" {
					continue
				}
				if c := contrast(t, colors[text], colors[on]); c < 4.5 {
					t.Errorf("%s: %s on %s is %.2f to 1", scheme, text, on, c)
				}
			}
		}
		for _, line := range []string{"faint", "model", "better", "worse", "second", "third"} {
			if c := contrast(t, colors["figure-"+line], colors["bg"]); c < 3 {
				t.Errorf("%s: %s on the page is %.2f to 1", scheme, line, c)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// luminance is WCAG's relative luminance of #rgb or #rrggbb.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 4 {
		hex = "#" + hex[1:2] + hex[1:2] + hex[2:3] + hex[2:3] + hex[3:4] + hex[3:4]
	}
	sum := 0.0
	for i, weight := range []float64{.2126, .7152, .0722} {
		v, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatalf("%q is no colour: %v", hex, err)
		}
		c := float64(v) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
