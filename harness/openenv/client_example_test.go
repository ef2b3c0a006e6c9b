package openenv_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"

	"candor/harness/env/numbersort"
	"candor/harness/openenv"
)

// An episode with an environment behind a server. Here it is one of this
// process; at https://org-space.hf.space it is another's.
func ExampleDial() {
	served, err := openenv.NewServer(numbersort.Spec(numbersort.Config{}), openenv.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer served.Close()
	server := httptest.NewServer(served)
	defer server.Close()

	ctx := context.Background()
	session, err := openenv.Dial(ctx, server.URL, openenv.DialOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.Reset(ctx, openenv.Seeded(42))
	for err == nil && !result.Done {
		result, err = session.Step(ctx, []byte(`{"values":[20,15,14,10,6,5]}`))
	}
	switch {
	case errors.Is(err, openenv.ErrCapacity):
		log.Fatal("full: try again when somebody has left: ", err)
	case err != nil:
		log.Fatal(err)
	}
	fmt.Println(string(result.Reward))
	// Output: 0.999
}
