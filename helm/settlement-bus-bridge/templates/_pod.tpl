{{- /*
A context describes the pods of a component, a Job or a test:
  root, component, app   the chart's root, the component's name, the app of the image
  values                 .Values.defaults with the component's own values
  env                    name -> text, or a map such as secretKeyRef
  files                  volume name -> path and source (a volume without its name; none for a volume claim)
  egress, ingress        connections for the NetworkPolicy, see _network.tpl
  ports                  name -> port; the port "metrics" has the probes
  checksums              name -> text whose change restarts the pods
  args                   arguments of the container; the image's own when unset
  command                entry point of the container; the image's own when unset
  probeCommand           command of all probes, for a container without the port "metrics"
*/}}
{{- define "ssb.context" -}}
{{- $_ := set . "values" (mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy .own)) }}
{{- range $key := list "env" "files" "egress" "ingress" "ports" "checksums" }}
{{- $_ := set $ $key (dict) }}
{{- end }}
{{- end }}

{{- define "ssb.podMetadata" -}}
labels:
  {{- toYaml (merge (dict) .values.podLabels (include "ssb.podLabels" . | fromYaml)) | nindent 2 }}
{{- $annotations := merge (dict) .values.podAnnotations .root.Values.commonAnnotations }}
{{- range $name, $text := .checksums }}
{{- $_ := set $annotations (printf "checksum/%s" $name) (sha256sum $text) }}
{{- end }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Environment variables of a context. A number such as 1048576 is written with all of its digits. */}}
{{- define "ssb.env" -}}
{{- range $name, $value := .env }}
- name: {{ $name }}
  {{- if kindIs "map" $value }}
  valueFrom: {{ toYaml $value | nindent 4 }}
  {{- else if kindIs "string" $value }}
  value: {{ $value | quote }}
  {{- else }}
  value: {{ $value | toJson | quote }}
  {{- end }}
{{- end }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "ssb.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- range $name, $file := .files }}
- name: {{ $name }}
  mountPath: {{ $file.path }}
  {{- if not $file.writable }}
  readOnly: true
  {{- end }}
{{- end }}
{{- with .values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "ssb.probe" -}}
{{- if .ctx.probeCommand }}
exec:
  command: {{ toYaml .ctx.probeCommand | nindent 4 }}
{{- else }}
httpGet:
  path: {{ .path }}
  port: metrics
  {{- if .ctx.root.Values.management.tlsSecretName }}
  scheme: HTTPS
  {{- end }}
{{- end }}
{{- with .probe }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "ssb.container" -}}
name: {{ .containerName | default .app }}
image: {{ include "ssb.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  {{- toYaml .values.containerSecurityContext | nindent 2 }}
{{- with .command }}
command:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .args }}
args:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "ssb.env" . | trim }}
env:
  {{- . | nindent 2 }}
{{- end }}
{{- with .values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .ports }}
ports:
  {{- range $name, $port := . }}
  - { name: {{ $name }}, containerPort: {{ $port }}, protocol: TCP }
  {{- end }}
{{- end }}
{{- if or (hasKey .ports "metrics") .probeCommand }}
startupProbe:
  {{- include "ssb.probe" (dict "ctx" . "path" "/health/live" "probe" .values.startupProbe) | trim | nindent 2 }}
livenessProbe:
  {{- include "ssb.probe" (dict "ctx" . "path" "/health/live" "probe" .values.livenessProbe) | trim | nindent 2 }}
readinessProbe:
  {{- include "ssb.probe" (dict "ctx" . "path" "/health/ready" "probe" .values.readinessProbe) | trim | nindent 2 }}
{{- end }}
{{- if and .servicePorts .values.preStopSeconds }}
lifecycle:
  preStop:
    sleep: { seconds: {{ .values.preStopSeconds }} }
{{- end }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
volumeMounts:
  {{- include "ssb.volumeMounts" . | trim | nindent 2 }}
{{- end }}

{{- define "ssb.podSpec" -}}
{{- $root := .root }}
serviceAccountName: {{ .serviceAccountName | default (include "ssb.serviceAccountName" .root) }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with concat .root.Values.global.imagePullSecrets .root.Values.image.pullSecrets | uniq }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- toYaml .values.podSecurityContext | nindent 2 }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .restartPolicy }}
restartPolicy: {{ . }}
{{- else }}
terminationGracePeriodSeconds: {{ include "ssb.terminationGracePeriodSeconds" . }}
{{- if not .isSingle }}
topologySpreadConstraints:
  {{- include "ssb.topologySpreadConstraints" . | trim | nindent 2 }}
{{- end }}
{{- end }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $.values $key }}
{{ $key }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- if or .values.initContainers .initContainer }}
initContainers:
  {{- with .initContainer }}
  - {{- . | nindent 4 }}
  {{- end }}
  {{- with .values.initContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
containers:
  - {{- include "ssb.container" . | nindent 4 }}
  {{- with .values.extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  - name: tmp
    emptyDir: {}
  {{- range $name, $file := .files }}
  {{- with $file.source }}
  - name: {{ $name }}
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- with .values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- /* preStop sleep, the drain, and 5 s for the rest. */}}
{{- define "ssb.terminationGracePeriodSeconds" -}}
{{- $drainMs := get .values.settings "SHUTDOWN_TIMEOUT_MS" | default 15000 | int64 }}
{{- $required := add .values.preStopSeconds (div (add $drainMs 999) 1000) 5 }}
{{- $seconds := .values.terminationGracePeriodSeconds | default $required }}
{{- if lt (int64 $seconds) $required }}
{{- fail (printf "terminationGracePeriodSeconds of %s is %d, and its app may be killed before it has drained. Set at least %d, or 0 to compute it." .component (int64 $seconds) $required) }}
{{- end }}
{{- $seconds }}
{{- end }}

{{- define "ssb.topologySpreadConstraints" -}}
{{- $selector := dict "matchLabels" (include "ssb.selectorLabels" . | fromYaml) }}
{{- if .values.topologySpreadConstraints }}
{{- range .values.topologySpreadConstraints }}
- {{- toYaml (merge (dict) . (dict "labelSelector" $selector)) | nindent 2 }}
{{- end }}
{{- else }}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: ScheduleAnyway
  matchLabelKeys: [pod-template-hash]
  labelSelector: {{- toYaml $selector | nindent 4 }}
{{- end }}
{{- end }}
{{- end }}
