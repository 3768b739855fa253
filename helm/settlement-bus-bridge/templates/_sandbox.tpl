{{- define "ssb.tokenUrl" -}}
{{- printf "https://%s:4001" (include "ssb.componentName" (dict "root" . "component" "token")) }}
{{- end }}

{{- /* Files of the Secret of the sandbox. Takes ctx and files, variable -> key. */}}
{{- define "ssb.addSandboxKeys" -}}
{{- include "ssb.addKeys" (dict "ctx" .ctx "name" "sandbox-keys" "files" .files) }}
{{- end }}

{{- /* The sandbox as the operator of the poller: addresses and authority. Takes ctx. */}}
{{- define "ssb.addSandbox" -}}
{{- $root := .ctx.root }}
{{- $env := .ctx.env }}
{{- if or $root.Values.operator.tokenUrl $root.Values.operator.prudentialUrl }}
{{- fail "operator.tokenUrl or operator.prudentialUrl is set, and sandbox.enabled too. Set only one of them: the poller uses one operator." }}
{{- end }}
{{- if gt (len $root.Values.participants) 1 }}
{{- fail "participants has more than one entry, and sandbox.enabled is set. The sandbox has one participant; remove the others." }}
{{- end }}
{{- $reportingUrl := printf "https://%s:4002" (include "ssb.componentName" (dict "root" $root "component" "reporting")) }}
{{- $_ := set $env "TOKEN_URL" (include "ssb.tokenUrl" $root) }}
{{- $_ := set $env "PRUDENTIAL_URL" $reportingUrl }}
{{- $_ := set $env "SETTLEMENT_URL" $reportingUrl }}
{{- $authority := dict "name" (include "ssb.secretName" (dict "root" $root "name" "sandbox-keys")) "key" "ca.crt" }}
{{- include "ssb.addCa" (dict "ctx" .ctx "prefix" "TOKEN" "secret" $authority) }}
{{- include "ssb.addCa" (dict "ctx" .ctx "prefix" "REPORTING" "secret" $authority) }}
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
