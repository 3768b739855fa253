{{- /* Mounts a Secret at /run/secrets, where the files of Compose and chart look for it. Takes ctx and name. */}}
{{- define "ssb.addRunSecrets" -}}
{{- $secret := include "ssb.secretName" (dict "root" .ctx.root "name" .name) }}
{{- $_ := set .ctx.files "secrets" (dict "path" "/run/secrets" "source" (dict "secret" (dict "secretName" $secret "defaultMode" 288))) }}
{{- end }}

{{- /* A file of the chart in a ConfigMap. Takes ctx, file and folder, in which it is mounted. */}}
{{- define "ssb.trialFile" }}
{{- $root := .ctx.root }}
{{- $text := $root.Files.Get (printf "files/%s" .file) }}
{{- $name := include "ssb.componentName" .ctx }}
{{- $_ := set .ctx.files "config" (dict "path" .folder "source" (dict "configMap" (dict "name" $name))) }}
{{- $_ := set .ctx.checksums "config" $text }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "ssb.metadata" .ctx | nindent 2 }}
data:
  {{ .file }}: |
    {{- $text | nindent 4 }}
{{- end }}
