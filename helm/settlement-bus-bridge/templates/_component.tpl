{{- /*
All objects of a long-running component: Deployment, Service, PodDisruptionBudget and NetworkPolicy.
Takes a context; servicePorts, name -> port, makes the Service, which has the addresses of the pods when headless is set.
*/}}
{{- define "ssb.component" }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "ssb.metadata" (dict "root" .root "component" .component "annotations" .values.annotations) | nindent 2 }}
spec:
  {{- if not (include "ssb.autoscaler" .) }}
  replicas: {{ .values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  selector:
    matchLabels:
      {{- include "ssb.selectorLabels" . | nindent 6 }}
  strategy:
    type: {{ .values.strategy.type }}
    {{- if eq .values.strategy.type "RollingUpdate" }}
    rollingUpdate:
      {{- toYaml .values.strategy.rollingUpdate | nindent 6 }}
    {{- end }}
  template:
    metadata:
      {{- include "ssb.podMetadata" . | nindent 6 }}
    spec:
      {{- include "ssb.podSpec" . | trim | nindent 6 }}
{{- include "ssb.service" . }}
{{- $replicas := .values.replicas }}
{{- with include "ssb.autoscaler" . }}
{{- $replicas = (get $.values .).maxReplicas }}
{{- end }}
{{- if and .values.podDisruptionBudget.enabled (gt (int $replicas) 1) }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "ssb.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ .values.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "ssb.selectorLabels" . | nindent 6 }}
{{- end }}
{{- include "ssb.autoscaling" . }}
{{- include "ssb.networkPolicy" . }}
{{- end }}

{{- /* With the API, a Service of the management port that only the API reaches, also of pods that are not ready. Takes ctx and port. */}}
{{- define "ssb.addManagementService" -}}
{{- if .ctx.root.Values.api.enabled }}
{{- $_ := set .ctx "servicePorts" .ctx.ports }}
{{- $_ := set .ctx "headless" true }}
{{- $_ := set .ctx "publishNotReady" true }}
{{- $_ := set .ctx "ingress" (dict (toString .port) (list "api")) }}
{{- end }}
{{- end }}

{{- /* With the API, a Service of the management port of an app whose own Service others use. Takes ctx and port. */}}
{{- define "ssb.managementService" }}
{{- if .ctx.root.Values.api.enabled }}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "ssb.metadata" (dict "root" .ctx.root "component" .ctx.component "name" (include "ssb.managementName" .ctx)) | nindent 2 }}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    {{- include "ssb.selectorLabels" .ctx | nindent 4 }}
  ports:
    - { name: metrics, port: {{ .port }}, targetPort: metrics, protocol: TCP }
{{- end }}
{{- end }}

{{- /* Short, because a release may have a full name of 40 characters. */}}
{{- define "ssb.managementName" -}}
{{- include "ssb.componentName" (dict "root" .root "component" (printf "%s-ops" .component)) }}
{{- end }}

{{- /* With the API, the token of the actions of a management port, variable -> key. */}}
{{- define "ssb.operateKey" -}}
{{- if .Values.api.enabled }}
MANAGEMENT_OPERATE_TOKEN_FILE: management-operate.token
{{- end }}
{{- end }}

{{- /* The Service of a context that has servicePorts. */}}
{{- define "ssb.service" }}
{{- with .servicePorts }}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "ssb.metadata" (dict "root" $.root "component" $.component "annotations" $.values.service.annotations) | nindent 2 }}
spec:
  {{- if $.headless }}
  clusterIP: None
  {{- if $.publishNotReady }}
  publishNotReadyAddresses: true
  {{- end }}
  {{- else }}
  type: {{ $.values.service.type }}
  {{- end }}
  selector:
    {{- include "ssb.selectorLabels" $ | nindent 4 }}
  ports:
    {{- range $name, $port := . }}
    - { name: {{ $name }}, port: {{ $port }}, targetPort: {{ $name }}, protocol: TCP }
    {{- end }}
{{- end }}
{{- end }}

{{- /* A single pod: StatefulSet, Service and NetworkPolicy. Takes a context, which has dataPath for a pod with a volume of its own. */}}
{{- define "ssb.statefulSet" }}
{{- if hasKey .own "replicas" }}
{{- fail (printf "replicas of %s is set. It is always one pod; remove the value." .component) }}
{{- end }}
{{- $_ := set . "isSingle" true }}
{{- with .dataPath }}
{{- $_ := set $.files "data" (dict "path" . "writable" true) }}
{{- end }}
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  {{- include "ssb.metadata" (dict "root" .root "component" .component "annotations" .values.annotations) | nindent 2 }}
spec:
  replicas: 1
  serviceName: {{ include "ssb.componentName" . }}
  revisionHistoryLimit: 5
  selector:
    matchLabels:
      {{- include "ssb.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      {{- include "ssb.podMetadata" . | nindent 6 }}
    spec:
      {{- include "ssb.podSpec" . | trim | nindent 6 }}
  {{- if .dataPath }}
  volumeClaimTemplates:
    - metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .values.persistence.storageClassName }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests: { storage: {{ .values.persistence.size }} }
  {{- end }}
{{- include "ssb.service" . }}
{{- include "ssb.networkPolicy" . }}
{{- end }}
