{{- /*
A Job. Takes ctx, job (backoffLimit, activeDeadlineSeconds), and optionally annotations.
A Job cannot be changed, so with perRevision its name has a hash of the revision and of its spec. `helm template` has no revisions.
*/}}
{{- define "ssb.job" }}
{{- $spec := include "ssb.jobSpec" . }}
{{- $name := include "ssb.componentName" .ctx }}
{{- if .perRevision }}
{{- $name = printf "%s-%s" $name (printf "%d %s" .ctx.root.Release.Revision $spec | sha256sum | trunc 8) }}
{{- end }}
---
apiVersion: batch/v1
kind: Job
metadata:
  {{- include "ssb.metadata" (dict "root" .ctx.root "component" .ctx.component "name" $name "annotations" .annotations) | nindent 2 }}
spec:
  {{- $spec | trim | nindent 2 }}
{{- end }}

{{- define "ssb.jobSpec" }}
backoffLimit: {{ .job.backoffLimit }}
activeDeadlineSeconds: {{ .job.activeDeadlineSeconds }}
template:
  metadata:
    {{- include "ssb.podMetadata" .ctx | nindent 4 }}
  spec:
    {{- include "ssb.podSpec" .ctx | trim | nindent 4 }}
{{- end }}

{{- /* When migrations are applied: a Job before the install cannot reach a database of the same release. */}}
{{- define "ssb.migrationMode" -}}
{{- $trial := and .Values.trialPostgresql.enabled (not .Values.database.subscriber.secretName) }}
{{- if and $trial (eq .Values.migration.mode "hook") }}init{{ else }}{{ .Values.migration.mode }}{{ end }}
{{- end }}

{{- /* Completes a context for the migrations of its app. Those of the subscriber are a command of busbridge. */}}
{{- define "ssb.addMigration" -}}
{{- include "ssb.context" . }}
{{- $database := get .root.Values.database .app }}
{{- include "ssb.addDatabase" (dict "ctx" . "database" $database "name" (printf "%s-database" .app) "variable" "DATABASE_MIGRATION_URL" "key" $database.migrationUrlKey) }}
{{- if eq .app "subscriber" }}
{{- $_ := set . "app" "cli" }}
{{- $_ := set . "args" (list "migrate") }}
{{- with get .root.Values.subscriber.settings "ARCHIVE_RETENTION_DAYS" }}
{{- $_ := set $.env "ARCHIVE_RETENTION_DAYS" . }}
{{- end }}
{{- else }}
{{- $_ := set . "args" (list "migrate.js") }}
{{- $_ := set .env "NODE_ENV" "production" }}
{{- end }}
{{- end }}

{{- /* The migration as an init container. Takes the context of its pod, which has the volumes. */}}
{{- define "ssb.migrationContainer" -}}
{{- $own := mergeOverwrite (deepCopy .root.Values.migration) (pick .values "extraVolumeMounts") }}
{{- $ctx := dict "root" .root "component" .component "app" .app "own" $own "containerName" "migration" }}
{{- include "ssb.addMigration" $ctx }}
{{- include "ssb.container" $ctx }}
{{- end }}
