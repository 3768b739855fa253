{{- /* Ingress rules of the API: the peers of api.allowFrom, then those of every component. */}}
{{- define "ssb.apiIngress" -}}
{{- $api := .values }}
{{- if and .root.Values.networkPolicy.enabled (or $api.ingress.enabled $api.httpRoute.enabled) (not $api.allowFrom) (not $api.networkPolicy.extraIngress) }}
{{- fail "api.allowFrom is empty, so its NetworkPolicy lets no ingress controller in. It takes the peers that may connect, such as a namespaceSelector." }}
{{- end }}
{{- with $api.allowFrom }}
- from:
    {{- toYaml . | nindent 4 }}
  ports:
    - { port: 4030, protocol: TCP }
{{- end }}
{{- with $api.networkPolicy.extraIngress }}
{{ toYaml . }}
{{- end }}
{{- if and (not $api.allowFrom) (not $api.networkPolicy.extraIngress) }}
[]
{{- end }}
{{- end }}

{{- /* The Ingress and the HTTPRoute of the API, where the values have them. */}}
{{- define "ssb.apiRoutes" }}
{{- $name := include "ssb.componentName" . }}
{{- with .values.ingress }}
{{- if .enabled }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- include "ssb.metadata" (dict "root" $.root "component" $.component "annotations" .annotations) | nindent 2 }}
spec:
  {{- with .className }}
  ingressClassName: {{ . }}
  {{- end }}
  {{- if .tlsSecretName }}
  tls:
    - hosts: {{ toJson .hosts }}
      secretName: {{ .tlsSecretName }}
  {{- end }}
  rules:
    {{- range required "api.ingress.hosts is empty; it takes the host names of the API." .hosts }}
    - host: {{ . }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend: { service: { name: {{ $name }}, port: { name: http } } }
    {{- end }}
{{- end }}
{{- end }}
{{- with .values.httpRoute }}
{{- if .enabled }}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  {{- include "ssb.metadata" (dict "root" $.root "component" $.component "annotations" .annotations) | nindent 2 }}
spec:
  parentRefs:
    {{- toYaml (required "api.httpRoute.parentRefs is empty; it takes the Gateways of the route." .parentRefs) | nindent 4 }}
  {{- with .hostnames }}
  hostnames: {{ toJson . }}
  {{- end }}
  rules:
    - backendRefs: [{ name: {{ $name }}, port: 4030 }]
{{- end }}
{{- end }}
{{- end }}
