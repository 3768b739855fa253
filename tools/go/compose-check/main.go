// compose-check loads a Compose file as `docker compose` does and fails on unknown keys, undefined services, volumes
// and secrets, and missing variables.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/sirupsen/logrus"
)

func main() {
	if len(os.Args) != 2 {
		fail("usage: compose-check <file>; profiles are all active, variables come from the environment and .env")
	}
	warnings := &strings.Builder{}
	logrus.SetOutput(warnings)
	options, err := cli.NewProjectOptions(
		[]string{os.Args[1]},
		cli.WithWorkingDirectory(filepath.Dir(os.Args[1])),
		cli.WithOsEnv,
		cli.WithEnvFiles(),
		cli.WithDotEnv,
		cli.WithProfiles([]string{"*"}),
	)
	if err != nil {
		fail(err.Error())
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		fail(err.Error())
	}
	// The loader only warns about a variable without value.
	if warnings.Len() > 0 {
		fail(warnings.String())
	}
	names := project.ServiceNames()
	sort.Strings(names)
	fmt.Printf("%s: %d services: %s\n", os.Args[1], len(names), strings.Join(names, ", "))
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, strings.TrimSpace(text))
	os.Exit(1)
}
