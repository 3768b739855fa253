{{- /*
NetworkPolicy of a context.
  egress    name of an external host -> true, or name of a component -> its port
  ingress   port -> list of the components that connect to it
  dns       whether the policy permits DNS itself, for a hook that runs before the policy of networkpolicy.yaml exists
*/}}
{{- define "ssb.networkPolicy" -}}
{{- $policy := .root.Values.networkPolicy }}
{{- $dns := and .dns $policy.dnsTo }}
{{- if $policy.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "ssb.metadata" (dict "root" .root "component" .component "annotations" .annotations) | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "ssb.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  {{- if or .ingress .values.networkPolicy.extraIngress }}
  ingress:
    {{- range $port, $components := .ingress }}
    - from:
        - {{- include "ssb.componentSelector" (dict "root" $.root "components" $components) | nindent 10 }}
      ports:
        - { port: {{ $port }}, protocol: TCP }
    {{- end }}
    {{- with .values.networkPolicy.extraIngress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
  {{- if or .egress .values.networkPolicy.extraEgress $dns }}
  egress:
    {{- if $dns }}
    - {{- include "ssb.dnsPeer" .root | trim | nindent 6 }}
    {{- end }}
    {{- range $name, $port := .egress }}
    {{- if kindIs "bool" $port }}
    - {{- include "ssb.externalPeer" (get $policy.external $name) | trim | nindent 6 }}
    {{- else }}
    - to:
        - {{- include "ssb.componentSelector" (dict "root" $.root "components" (list $name)) | nindent 10 }}
      ports:
        - { port: {{ $port }}, protocol: TCP }
    {{- end }}
    {{- end }}
    {{- with .values.networkPolicy.extraEgress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* The rule to the DNS servers. Takes the chart's root. */}}
{{- define "ssb.dnsPeer" -}}
to:
  {{- toYaml .Values.networkPolicy.dnsTo | nindent 2 }}
ports:
  {{- range .Values.networkPolicy.dnsPorts }}
  - { port: {{ . }}, protocol: UDP }
  - { port: {{ . }}, protocol: TCP }
  {{- end }}
{{- end }}

{{- define "ssb.componentSelector" -}}
podSelector:
  matchLabels:
    app.kubernetes.io/name: {{ include "ssb.name" .root }}
    app.kubernetes.io/instance: {{ .root.Release.Name }}
  matchExpressions:
    - key: app.kubernetes.io/component
      operator: In
      values: {{ toJson .components }}
{{- end }}

{{- /* A rule to a host outside the chart: without networks and peers, any address on the ports. */}}
{{- define "ssb.externalPeer" -}}
ports:
  {{- range .ports }}
  - { port: {{ . }}, protocol: TCP }
  {{- end }}
{{- if or .cidrs .peers }}
to:
  {{- range .cidrs }}
  - ipBlock: { cidr: {{ . }} }
  {{- end }}
  {{- with .peers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}
