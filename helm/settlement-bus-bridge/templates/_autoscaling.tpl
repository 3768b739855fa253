{{- /* The value that sets the number of pods instead of replicas: autoscaling, keda, or none. */}}
{{- define "ssb.autoscaler" -}}
{{- $autoscaling := dig "autoscaling" "enabled" false .values }}
{{- $keda := dig "keda" "enabled" false .values }}
{{- if and $autoscaling $keda }}
{{- fail (printf "autoscaling.enabled and keda.enabled of %s exclude each other. Set one of them." .component) }}
{{- end }}
{{- if $autoscaling }}autoscaling{{ else if $keda }}keda{{ end }}
{{- end }}

{{- define "ssb.autoscaling" }}
{{- $name := include "ssb.componentName" . }}
{{- $autoscaler := include "ssb.autoscaler" . }}
{{- if eq $autoscaler "autoscaling" }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "ssb.metadata" (dict "root" .root "component" .component) | nindent 2 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $name }} }
  minReplicas: {{ .values.autoscaling.minReplicas }}
  maxReplicas: {{ .values.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .values.autoscaling.targetCPUUtilizationPercentage }} }
{{- else if eq $autoscaler "keda" }}
{{- $keda := .values.keda }}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "ssb.metadata" (dict "root" .root "component" .component) | nindent 2 }}
spec:
  scaleTargetRef: { name: {{ $name }} }
  minReplicaCount: {{ $keda.minReplicas }}
  maxReplicaCount: {{ $keda.maxReplicas }}
  pollingInterval: {{ $keda.pollingIntervalSeconds }}
  # While Prometheus or the figure is absent, the number of pods stays.
  fallback: { failureThreshold: 3, replicas: {{ $keda.minReplicas }}, behavior: currentReplicasIfHigher }
  triggers:
    - type: prometheus
      metadata:
        serverAddress: {{ required (printf "keda.prometheusUrl of %s is empty; it takes the address of Prometheus." .component) $keda.prometheusUrl }}
        query: max(settlement_bridge_queue_jobs{namespace={{ .root.Release.Namespace | quote }}, pod=~"{{ $name }}-.+", state="waiting"})
        threshold: {{ $keda.waitingEventsPerPod | quote }}
        ignoreNullValues: 'false'
        {{- with $keda.authModes }}
        authModes: {{ . }}
        {{- end }}
      {{- with $keda.triggerAuthentication }}
      authenticationRef: { name: {{ . }} }
      {{- end }}
{{- end }}
{{- end }}
