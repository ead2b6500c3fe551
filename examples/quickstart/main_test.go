package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/seed-4bdb41d0/webhand/internal/demosite"
	"github.com/seed-4bdb41d0/webhand/llm/llmtest"
)

// serveModel makes this test binary a model's endpoint: another process that
// speaks the provider's protocol.
const serveModel = "WEBHAND_TEST_SERVE_MODEL"

// runProgram makes it the quickstart itself.
const runProgram = "WEBHAND_TEST_QUICKSTART"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(serveModel) != "":
		serve(os.Getenv(serveModel))
	case os.Getenv(runProgram) != "":
		os.Args = append(os.Args[:1], os.Getenv(runProgram))
		main()
	default:
		os.Exit(m.Run())
	}
}

// serve answers like a model that opens the site, reads its heading and says
// so, until standard input ends.
func serve(site string) {
	s, err := llmtest.Serve(llmtest.ServerConfig{
		Key: "sk-test-key",
		Recording: []llmtest.Exchange{
			{Response: llmtest.Text(answer(`{"navigate":{"url":"` + site + `/shop","new_tab":false}}`))},
			{
				Request:  llmtest.Match{Capture: map[string]string{"count": `of (\d+) products`}},
				Response: llmtest.Text(answer(`{"done":{"text":"The shop has ${count} products.","success":true,"files_to_display":null}}`)),
			},
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.OpenAI())
	_, _ = io.Copy(io.Discard, os.Stdin)
	for _, r := range s.Refused() {
		fmt.Fprintln(os.Stderr, "refused:", r)
	}
	s.Close()
}

func answer(action string) string {
	return `{"thinking":"t","evaluation_previous_goal":"e","memory":"m","next_goal":"g","current_plan_item":null,"plan_update":null,"action":[` + action + `]}`
}

func TestWithoutAKeyTheDemoOrdersARealMug(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "")
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var out bytes.Buffer
	if err := run(ctx, &out, ""); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"RECORDING", "Result (finished): Order WH-1001", "€41.50", "tokens"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	if strings.Contains(out.String(), "failed") {
		t.Errorf("a step failed")
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

func TestWithAKeyItWorksThroughAnEndpointInAnotherProcess(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	site, err := demosite.Start(ctx, demosite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	model := exec.CommandContext(ctx, exe)
	model.Env = append(os.Environ(), serveModel+"="+site.URL)
	var refused bytes.Buffer
	model.Stderr = &refused
	in, err := model.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := model.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := model.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		in.Close()
		if err := model.Wait(); err != nil {
			t.Errorf("model server: %v", err)
		}
		if refused.Len() > 0 {
			t.Errorf("the endpoint refused requests: %s", refused.String())
		}
	}()
	base, err := bufio.NewReader(pipe).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	quick := exec.CommandContext(ctx, exe)
	quick.Env = append(os.Environ(), runProgram+"=How many products has the shop?",
		"OPENAI_API_KEY=sk-test-key", "OPENAI_BASE_URL="+strings.TrimSpace(base), "OPENAI_MODEL=gpt-4.1-mini")
	out, err := quick.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Result (finished): The shop has 72 products.") {
		t.Fatalf("%v\n%s", err, out)
	}
	if bytes.Contains(out, []byte("sk-test-key")) {
		t.Error("the key is in the output")
	}
}
