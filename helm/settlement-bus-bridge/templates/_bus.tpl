{{- /* Address of a gateway. Takes root, gateway (a component's values), component and port. */}}
{{- define "ssb.gatewayUrl" -}}
{{- if .gateway.enabled }}
{{- printf "%s://%s:%v" (ternary "https" "http" (ne .gateway.tlsSecretName "")) (include "ssb.componentName" .) .port }}
{{- else }}
{{- required (printf "There is no gateway %s. Set enabled, or url to the address of an external one." .component) .gateway.url }}
{{- end }}
{{- end }}

{{- /* A gateway. Takes ctx, gateway (a component's values), component, port and name of the Secret with the password. */}}
{{- define "ssb.addGateway" -}}
{{- $ctx := .ctx }}
{{- $env := $ctx.env }}
{{- $_ := set . "root" $ctx.root }}
{{- $_ := set $env "GATEWAY_URL" (include "ssb.gatewayUrl" .) }}
{{- $_ := set $env "GATEWAY_USERNAME" .gateway.username }}
{{- $password := .gateway.passwordSecret }}
{{- $secretName := $password.name | default (include "ssb.secretName" (dict "root" $ctx.root "name" .secretName)) }}
{{- include "ssb.addFile" (dict "ctx" $ctx "volume" "gateway-password" "variable" "GATEWAY_PASSWORD_FILE" "secret" (dict "name" $secretName "key" $password.key)) }}
{{- include "ssb.addCa" (dict "ctx" $ctx "prefix" "GATEWAY" "secret" .gateway.caSecret) }}
{{- include "ssb.addCertificate" (dict "ctx" $ctx "prefix" "GATEWAY" "secret" .gateway.certificateSecret) }}
{{- if .gateway.enabled }}
{{- $_ := set $ctx.egress .component .port }}
{{- else }}
{{- $_ := set $ctx.egress "gateway" true }}
{{- end }}
{{- end }}

{{- define "ssb.brokerUrl" -}}
{{- if .Values.broker.enabled }}
{{- printf "http://%s:4003" (include "ssb.componentName" (dict "root" . "component" "broker")) }}
{{- else }}
{{- required "There is no broker for the gateways. Set broker.enabled, or broker.url to the address of an external one." .Values.broker.url }}
{{- end }}
{{- end }}

{{- /* The broker, for a gateway or the provisioning Job. Takes ctx. */}}
{{- define "ssb.addBroker" -}}
{{- $ctx := .ctx }}
{{- $broker := $ctx.root.Values.broker }}
{{- $_ := set $ctx.env "BROKER_URL" (include "ssb.brokerUrl" $ctx.root) }}
{{- if $broker.enabled }}
{{- $_ := set $ctx.egress "broker" 4003 }}
{{- else }}
{{- include "ssb.addCa" (dict "ctx" $ctx "prefix" "BROKER" "secret" $broker.caSecret) }}
{{- include "ssb.addCertificate" (dict "ctx" $ctx "prefix" "BROKER" "secret" (dict "name" $broker.certificateSecretName)) }}
{{- $_ := set $ctx.egress "broker" true }}
{{- end }}
{{- end }}
