package claim

import "testing"

func TestSentence(t *testing.T) {
	tests := []struct{ question, text, object string }{
		{"Is there a snowboard in the image?", "There is a snowboard in the image.", "snowboard"},
		{"Is there an umbrella in the image?", "There is an umbrella in the image.", "umbrella"},
		// POPE's slip of 2023: the object is found, the words are kept.
		{"Is there an umbrella in the imange?", "There is an umbrella in the imange.", "umbrella"},
		// The article goes by the first letter alone.
		{"Is there a skis in the image?", "There is a skis in the image.", "skis"},
		{"Is there a scissors in the image?", "There is a scissors in the image.", "scissors"},
		// Objects of two words, and one with the template's own words in it.
		{"Is there a dining table in the image?", "There is a dining table in the image.", "dining table"},
		{"Is there a man in the image in the image?", "There is a man in the image in the image.", "man in the image"},
		// DASH-B's, as its code and its description have it, and AMBER's.
		{"Can you see a backpack in this image? Please answer only with yes or no.", "There is a backpack in this image.", "backpack"},
		{"Can you see a backpack in this image. Please answer only with yes or no.", "There is a backpack in this image.", "backpack"},
		{"Is there a cloud in this image?", "There is a cloud in this image.", "cloud"},
		{"Is there a dog in the image? Please answer yes or no.", "There is a dog in the image.", "dog"},
		{"  is there a  hot   dog in the image ? ", "There is a hot dog in the image.", "hot dog"},
	}
	for _, tt := range tests {
		text, object, ok := Sentence(tt.question)
		if text != tt.text || object != tt.object || !ok {
			t.Errorf("Sentence(%q) = %q, %q, %v; want %q, %q", tt.question, text, object, ok, tt.text, tt.object)
		}
	}
	for _, q := range []string{"", "Is it a dog?", "Are there dogs in the image?", "Is there a dog in the picture?", "Is there a  in the image?", "Is there a dog in the image? Yes",
		"Can you see dogs in this image?", "Is there direct contact between the man and ship?", "Is there a dog in the image? Please answer only with yes."} {
		if text, _, ok := Sentence(q); ok {
			t.Errorf("Sentence(%q) = %q; want none", q, text)
		}
	}
}

func TestKey(t *testing.T) {
	base := Claim{ImageSource: "img", Text: "There is an umbrella in the image."}
	for _, same := range []string{
		"There is an umbrella in the imange.", "there is an  UMBRELLA in the image", "There is an umbrella in the image?!", " There is an umbrella in the\u00a0image .",
	} {
		if c := (Claim{ImageSource: "img", Text: same}); c.Key() != base.Key() {
			t.Errorf("key of %q is %q; want %q", same, c.Key(), base.Key())
		}
	}
	for _, other := range []Claim{
		{ImageSource: "img2", Text: base.Text},
		{ImageSource: "img", Text: "There is a umbrella in the image."},
		{ImageSource: "img", Text: "There is an imangery in the image."},
	} {
		if other.Key() == base.Key() {
			t.Errorf("%v shares a key with %v", other, base)
		}
	}
}

func TestStem(t *testing.T) {
	tests := map[string]string{
		"COCO_val2014_000000310196.jpg": "COCO_val2014_000000310196",
		"COCO_val2014_000000310196":     "COCO_val2014_000000310196",
		"a.JPEG":                        "a", "a.b.tif": "a.b", "photo.v2": "photo.v2",
		"./sub/a.png": "sub/a", `sub\a.webp`: "sub/a", " a.gif ": "a",
	}
	for name, want := range tests {
		if got := Stem(name); got != want {
			t.Errorf("Stem(%q) = %q; want %q", name, got, want)
		}
	}
}
