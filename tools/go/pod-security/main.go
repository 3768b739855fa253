// pod-security evaluates every pod of a file of rendered manifests against the restricted Pod Security Standard.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/yaml"
)

type object struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

// workload has the field that Deployment, StatefulSet, DaemonSet, ReplicaSet and Job share.
type workload struct {
	Spec struct {
		Template corev1.PodTemplateSpec `json:"template"`
	} `json:"spec"`
}

func main() {
	if len(os.Args) != 2 {
		fail(errors.New("usage: pod-security <file of manifests>"))
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		fail(err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		fail(err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	pods, refused := 0, 0
	documents := utilyaml.NewYAMLReader(bufio.NewReader(file))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fail(err)
		}
		name, template, err := readPod(document)
		if err != nil {
			fail(err)
		}
		if template == nil {
			continue
		}
		pods++
		result := policy.AggregateCheckResults(evaluator.EvaluatePod(level, &template.ObjectMeta, &template.Spec))
		if !result.Allowed {
			refused++
			fmt.Fprintf(os.Stderr, "%s: %s\n", name, result.ForbiddenDetail())
		}
	}
	fmt.Printf("%d pods, %d not restricted\n", pods, refused)
	if pods == 0 || refused > 0 {
		os.Exit(1)
	}
}

// readPod returns the pod template of a manifest, or nil if the kind has none.
func readPod(document []byte) (string, *corev1.PodTemplateSpec, error) {
	var found object
	if err := yaml.Unmarshal(document, &found); err != nil {
		return "", nil, err
	}
	name := found.Kind + "/" + found.Name
	switch found.Kind {
	case "Pod":
		var pod corev1.Pod
		err := yaml.Unmarshal(document, &pod)
		return name, &corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}, err
	case "CronJob":
		var job batchv1.CronJob
		err := yaml.Unmarshal(document, &job)
		return name, &job.Spec.JobTemplate.Spec.Template, err
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job":
		var parent workload
		err := yaml.Unmarshal(document, &parent)
		return name, &parent.Spec.Template, err
	}
	return name, nil, nil
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
