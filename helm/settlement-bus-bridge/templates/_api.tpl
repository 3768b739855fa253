{{- /* The management ports of the other apps. Takes ctx. */}}
{{- define "ssb.addHops" -}}
{{- $ctx := .ctx }}
{{- $root := $ctx.root }}
{{- $values := $root.Values }}
{{- $scheme := ternary "https" "http" (ne $values.management.tlsSecretName "") }}
{{- $hops := dict "POLLER_URLS" (list (list "poller" 4021 true)) "PUBLISHER_URLS" (list (list "bus-publisher" 4022 true)) "SUBSCRIBER_URLS" (list (list "subscriber" 4023 $values.subscriber.enabled)) "GATEWAY_URLS" (list (list "gateway-publisher" 5011 $values.gatewayPublisher.enabled "-ops") (list "gateway-subscriber" 5012 $values.gatewaySubscriber.enabled "-ops")) }}
{{- range $variable, $components := $hops }}
{{- $urls := list }}
{{- range $components }}
{{- $component := index . 0 }}
{{- $port := index . 1 }}
{{- if index . 2 }}
{{- $urls = append $urls (printf "%s://%s:%v" $scheme (include "ssb.componentName" (dict "root" $root "component" (print $component (join "" (slice . 3))))) $port) }}
{{- $_ := set $ctx.egress $component $port }}
{{- end }}
{{- end }}
{{- with $urls }}
{{- $_ := set $ctx.env $variable (join "," .) }}
{{- end }}
{{- end }}
{{- with $values.management }}
{{- if .tokenSecret.name }}
{{- include "ssb.addFile" (dict "ctx" $ctx "volume" "management-token" "variable" "HOPS_TOKEN_FILE" "secret" .tokenSecret) }}
{{- end }}
{{- include "ssb.addCa" (dict "ctx" $ctx "prefix" "HOPS" "secret" .caSecret) }}
{{- end }}
{{- end }}

{{- /* The issuer of OpenID Connect that the access file names, if there is one. Takes ctx. */}}
{{- define "ssb.addOpenIdConnect" -}}
{{- $ctx := .ctx }}
{{- with $ctx.values.openIdConnect }}
{{- if .enabled }}
{{- include "ssb.addProxy" (dict "ctx" $ctx) }}
{{- if .caSecret.name }}
{{- include "ssb.addFile" (dict "ctx" $ctx "volume" "openid-connect-ca" "variable" "OPENID_CONNECT_CA_FILE" "secret" .caSecret) }}
{{- end }}
{{- if .clientId }}
{{- $_ := required "api.consoleUrl is empty; it takes the address of the console, to which the issuer of api.openIdConnect.clientId returns." $ctx.values.consoleUrl }}
{{- $_ := set $ctx.env "OPENID_CONNECT_CLIENT_ID" .clientId }}
{{- if .clientSecret.name }}
{{- include "ssb.addFile" (dict "ctx" $ctx "volume" "openid-connect-client" "variable" "OPENID_CONNECT_CLIENT_SECRET_FILE" "secret" .clientSecret) }}
{{- end }}
{{- end }}
{{- $_ := set $ctx.egress "openIdConnect" true }}
{{- end }}
{{- end }}
{{- end }}

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
