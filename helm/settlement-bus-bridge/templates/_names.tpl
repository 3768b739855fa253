{{- define "ssb.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "ssb.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "ssb.name" .) .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "ssb.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- /* Name of a component's objects. Takes a context with root and component. */}}
{{- define "ssb.componentName" -}}
{{- $name := printf "%s-%s" (include "ssb.fullname" .root) .component }}
{{- if gt (len $name) 63 }}
{{- fail (printf "The name %s is longer than 63 characters. Set fullnameOverride to a shorter name." $name) }}
{{- end }}
{{- $name }}
{{- end }}

{{- /* The part of names of Secrets, Pods and folders that stands for a participant. Takes the code. */}}
{{- define "ssb.participantName" -}}
{{- . | lower | replace "_" "-" | replace "." "-" | trimAll "-" }}
{{- end }}

{{- define "ssb.selectorLabels" -}}
app.kubernetes.io/name: {{ include "ssb.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- /* Labels of a pod. Takes a context with root and component. The chart's version would restart every pod. */}}
{{- define "ssb.podLabels" -}}
{{- include "ssb.selectorLabels" . }}
app.kubernetes.io/part-of: settlement-bus-bridge
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* Labels of an object. Takes a context with root and component. */}}
{{- define "ssb.labels" -}}
{{- include "ssb.podLabels" . }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* Metadata of an object. Takes a context with root and component, and optionally name, labels and annotations. */}}
{{- define "ssb.metadata" -}}
name: {{ .name | default (include "ssb.componentName" .) }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- toYaml (merge (dict) (.labels | default dict) (include "ssb.labels" . | fromYaml)) | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "ssb.serviceAccountName" -}}
{{- if .Values.serviceAccount.name }}
{{- .Values.serviceAccount.name }}
{{- else }}
{{- ternary (include "ssb.fullname" .) "default" .Values.serviceAccount.create }}
{{- end }}
{{- end }}

{{- /* Name of a Secret with keys. Takes root and name. */}}
{{- define "ssb.secretName" -}}
{{- get .root.Values.secretNames .name | default (printf "%s-%s" (include "ssb.fullname" .root) .name) }}
{{- end }}

{{- /* Image of a context's app. */}}
{{- define "ssb.image" -}}
{{- $global := .root.Values.image }}
{{- $own := .values.image }}
{{- $registry := .root.Values.global.imageRegistry | default $own.registry | default $global.registry }}
{{- $repository := $own.repository | default (printf "%s/%s" $global.repository .app) }}
{{- $version := printf ":%s" ($own.tag | default $global.tag | default .root.Chart.AppVersion) }}
{{- if $own.digest }}
{{- $version = printf "@%s" $own.digest }}
{{- end }}
{{- if $registry }}{{ $registry }}/{{ end }}{{ $repository }}{{ $version }}
{{- end }}
