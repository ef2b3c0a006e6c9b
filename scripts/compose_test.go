// Package scripts tests the files that bring Candor up: Compose file,
// Dockerfile and shell scripts.
package scripts

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// loadCompose reads docker-compose.yml as Compose itself does, with the given
// environment.
func loadCompose(t *testing.T, env ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{"../docker-compose.yml"}, cli.WithEnv(env), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func service(t *testing.T, p *types.Project, name string) types.ServiceConfig {
	t.Helper()
	s, err := p.GetService(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestComposeReservesGPU(t *testing.T) {
	ollama := service(t, loadCompose(t), "ollama")
	if ollama.Deploy == nil || ollama.Deploy.Resources.Reservations == nil {
		t.Fatal("nothing is reserved")
	}
	devices := ollama.Deploy.Resources.Reservations.Devices
	if len(devices) != 1 {
		t.Fatalf("devices %+v", devices)
	}
	d := devices[0]
	const all = -1
	if d.Driver != "nvidia" || int(d.Count) != all || !slices.Contains(d.Capabilities, "gpu") {
		t.Errorf("device %+v, want all of nvidia's with gpu", d)
	}
}

func TestComposeHealthcheck(t *testing.T) {
	check := service(t, loadCompose(t), "ollama").HealthCheck
	if check == nil || check.Disable || !slices.Equal(check.Test, []string{"CMD", "ollama", "list"}) {
		t.Fatalf("health check %+v", check)
	}
	if check.Interval == nil || check.Timeout == nil || check.Retries == nil || *check.Retries == 0 {
		t.Errorf("health check without bounds: %+v", check)
	}
}

// Every image is pinned, and the server's is the release that scripts/ollama.sh
// builds.
func TestComposePinsImages(t *testing.T) {
	project := loadCompose(t)
	pinned := "ollama/ollama:" + strings.TrimPrefix(shellConstant(t, "engine.sh", "DEFAULT_VERSION"), "v")
	for _, name := range []string{"ollama", "model"} {
		if got := service(t, project, name).Image; got != pinned {
			t.Errorf("image of %s is %s, want %s", name, got, pinned)
		}
	}
	for name, s := range project.Services {
		if s.Build == nil && !fullVersion.MatchString(s.Image) {
			t.Errorf("image of %s is not pinned: %q", name, s.Image)
		}
	}
}

// fullVersion matches an image with a tag of three numbers.
var fullVersion = regexp.MustCompile(`^[^:@]+:[0-9]+\.[0-9]+\.[0-9]+(-[a-z0-9.]+)?$`)

// shellConstant reads "readonly NAME=VALUE" from a script.
func shellConstant(t *testing.T, script, name string) string {
	t.Helper()
	match := regexp.MustCompile(`(?m)^readonly ` + name + `=(\S+)$`).FindStringSubmatch(readFile(t, script))
	if match == nil {
		t.Fatalf("%s sets no %s", script, name)
	}
	return match[1]
}

// The model is pulled once the server answers, by a service that runs once;
// Candor waits for both.
func TestComposeOrder(t *testing.T) {
	project := loadCompose(t)
	model, candor := service(t, project, "model"), service(t, project, "candor")
	for _, c := range []struct {
		of, on    string
		service   types.ServiceConfig
		condition string
	}{
		{"model", "ollama", model, types.ServiceConditionHealthy},
		{"candor", "ollama", candor, types.ServiceConditionHealthy},
		{"candor", "model", candor, types.ServiceConditionCompletedSuccessfully},
	} {
		if got := c.service.DependsOn[c.on].Condition; got != c.condition {
			t.Errorf("%s waits for %s to be %q, want %q", c.of, c.on, got, c.condition)
		}
	}
	if model.Restart != types.RestartPolicyNo {
		t.Errorf("the one-shot service restarts: %q", model.Restart)
	}
	for _, s := range []types.ServiceConfig{model, candor} {
		if host := s.Environment["OLLAMA_HOST"]; host == nil || *host != "http://ollama:11434" {
			t.Errorf("%s does not ask the server of this project", s.Name)
		}
	}
}

// CANDOR_MODEL chooses what is pulled and what Candor looks at; unset it is the
// published baseline's model, unquantised.
func TestComposeModel(t *testing.T) {
	for env, want := range map[string]string{"": "qwen3.5:4b-bf16", "CANDOR_MODEL=qwen3-vl:2b": "qwen3-vl:2b"} {
		project := loadCompose(t, env)
		if got := service(t, project, "model").Command; !slices.Equal(got, types.ShellCommand{"pull", want}) {
			t.Errorf("with %q: %v is run", env, got)
		}
		if got := service(t, project, "candor").Command; !slices.Contains(got, want) {
			t.Errorf("with %q: candor is told %v", env, got)
		}
	}
}

// Under the profile a second server like the first runs on the same store and
// GPU, Candor waits for it and asks both; without, nothing of it is left.
func TestComposeReplicas(t *testing.T) {
	const both = "http://ollama:11434,http://ollama-2:11434"
	options, err := cli.NewProjectOptions([]string{"../docker-compose.yml"},
		cli.WithEnv([]string{"CANDOR_HOSTS=" + both}), cli.WithResolvedPaths(true), cli.WithProfiles([]string{"replicas"}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	first, second, candor := service(t, project, "ollama"), service(t, project, "ollama-2"), service(t, project, "candor")
	if second.Image != first.Image || mountAt(second, "/root/.ollama").Source != mountAt(first, "/root/.ollama").Source {
		t.Errorf("the replica is %s on %+v", second.Image, second.Volumes)
	}
	if d := second.Deploy.Resources.Reservations.Devices; len(d) != 1 || d[0].Driver != "nvidia" {
		t.Errorf("the replica reserves %+v", d)
	}
	for name, value := range first.Environment {
		if got := second.Environment[name]; got == nil || *got != *value {
			t.Errorf("%s differs at the replica", name)
		}
	}
	if noPrune := second.Environment["OLLAMA_NOPRUNE"]; noPrune == nil || *noPrune != "1" {
		t.Error("the replica tidies up the store that it shares")
	}
	if c := candor.DependsOn["ollama-2"]; c.Condition != types.ServiceConditionHealthy || c.Required {
		t.Errorf("candor waits for the replica: %+v", c)
	}
	if host := candor.Environment["OLLAMA_HOST"]; host == nil || *host != both {
		t.Errorf("candor asks %v", host)
	}
	alone := loadCompose(t)
	if _, err := alone.GetService("ollama-2"); err == nil {
		t.Error("the replica runs without its profile")
	}
}

// Models outlive the containers, data can only be read, and nothing is
// published to other machines.
func TestComposeVolumes(t *testing.T) {
	project := loadCompose(t, "CANDOR_DATA=/somewhere")
	models := mountAt(service(t, project, "ollama"), "/root/.ollama") // where the image keeps its models
	if models == nil || models.Type != types.VolumeTypeVolume || models.Source != "models" {
		t.Errorf("models are mounted as %+v", models)
	}
	if _, ok := project.Volumes["models"]; !ok {
		t.Error("volume models is not declared")
	}
	data := mountAt(service(t, project, "candor"), "/candor/data")
	if data == nil || data.Source != "/somewhere" || !data.ReadOnly {
		t.Errorf("data is mounted as %+v", data)
	}
	for name, s := range project.Services {
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes port %s on %q", name, port.Published, port.HostIP)
			}
		}
	}
}

// Runs lie beside the tree, where the commands outside the containers find
// them, and belong to whoever CANDOR_USER says. Docker must not make the
// folder: it would be root's, and Candor could not write to it.
func TestComposeRuns(t *testing.T) {
	want, err := filepath.Abs("../runs")
	if err != nil {
		t.Fatal(err)
	}
	for env, user := range map[string]string{"": "1000:1000", "CANDOR_USER=0:0": "0:0"} {
		candor := service(t, loadCompose(t, env), "candor")
		runs := mountAt(candor, "/candor/runs")
		if runs == nil || runs.Type != types.VolumeTypeBind || runs.Source != want || runs.ReadOnly {
			t.Fatalf("runs are mounted as %+v", runs)
		}
		if runs.Bind == nil || bool(runs.Bind.CreateHostPath) {
			t.Error("Docker makes the folder of the runs")
		}
		if candor.User != user {
			t.Errorf("with %q candor runs as %q, want %q", env, candor.User, user)
		}
	}
}

func mountAt(s types.ServiceConfig, target string) *types.ServiceVolumeConfig {
	for _, v := range s.Volumes {
		if v.Target == target {
			return &v
		}
	}
	return nil
}

// What Compose builds is the Dockerfile that the next tests read.
func TestComposeBuildsCandor(t *testing.T) {
	build := service(t, loadCompose(t), "candor").Build
	if build == nil {
		t.Fatal("candor is not built")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if build.Context != root || build.Dockerfile != "scripts/Dockerfile" {
		t.Errorf("built from %s with %s", build.Context, build.Dockerfile)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
