{{- define "ssb.tokenUrl" -}}
{{- printf "https://%s:4001" (include "ssb.componentName" (dict "root" . "component" "token")) }}
{{- end }}

{{- /* Files of the Secret of the sandbox. Takes ctx and files, variable -> key. */}}
{{- define "ssb.addSandboxKeys" -}}
{{- include "ssb.addKeys" (dict "ctx" .ctx "name" "sandbox-keys" "files" .files) }}
{{- end }}

{{- /* The sandbox as the operator of a poller: addresses, authority, account and client certificate. Takes ctx and code of the participant. */}}
{{- define "ssb.addSandbox" -}}
{{- $root := .ctx.root }}
{{- $env := .ctx.env }}
{{- if or $root.Values.operator.tokenUrl $root.Values.operator.prudentialUrl }}
{{- fail "operator.tokenUrl or operator.prudentialUrl is set, and sandbox.enabled too. Set only one of them: the pollers use one operator." }}
{{- end }}
{{- if gt (len $root.Values.participants) 1 }}
{{- fail "participants has more than one entry, and sandbox.enabled is set. The sandbox has one participant; remove the others." }}
{{- end }}
{{- $reportingUrl := printf "https://%s:4002" (include "ssb.componentName" (dict "root" $root "component" "reporting")) }}
{{- $_ := set $env "TOKEN_URL" (include "ssb.tokenUrl" $root) }}
{{- $_ := set $env "PRUDENTIAL_URL" $reportingUrl }}
{{- $_ := set $env "SETTLEMENT_URL" $reportingUrl }}
{{- $_ := set $env "TOKEN_CLIENT_ID" (lower .code) }}
{{- $secret := include "ssb.secretName" (dict "root" $root "name" "sandbox-keys") }}
{{- $_ := set $env "TOKEN_CLIENT_SECRET" (dict "secretKeyRef" (dict "name" $secret "key" "participant-client.secret")) }}
{{- $folder := "/etc/settlement-bus-bridge/sandbox" }}
{{- include "ssb.mountSecret" (dict "ctx" .ctx "volume" "sandbox" "secretName" $secret "items" (dict "ca.crt" "ca.crt" "participant.crt" "tls.crt" "participant.key" "tls.key")) }}
{{- range $variable, $file := dict "TOKEN_CA_FILE" "ca.crt" "REPORTING_CA_FILE" "ca.crt" "CLIENT_CERT_FILE" "tls.crt" "CLIENT_KEY_FILE" "tls.key" }}
{{- $_ := set $env $variable (printf "%s/%s" $folder $file) }}
{{- end }}
{{- $_ := set .ctx.egress "token" 4001 }}
{{- $_ := set .ctx.egress "reporting" 4002 }}
{{- end }}

{{- /* Database and migration of an app of the sandbox. Takes ctx. */}}
{{- define "ssb.addSandboxDatabase" -}}
{{- $app := .ctx.app }}
{{- $root := .ctx.root }}
{{- $database := get $root.Values.database $app }}
{{- include "ssb.addDatabase" (dict "ctx" .ctx "database" $database "name" (printf "%s-database" $app) "variable" "DATABASE_URL" "key" $database.urlKey) }}
{{- if ne $root.Values.migration.mode "none" }}
{{- $_ := set .ctx "initContainer" (include "ssb.migrationContainer" .ctx) }}
{{- end }}
{{- end }}
