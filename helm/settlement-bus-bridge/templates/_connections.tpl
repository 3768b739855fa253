{{- /* Each of these adds a connection or a mounted Secret to the context `ctx`: variables, files and egress. They print nothing. */}}

{{- /* Mounts a Secret as a folder, so that changed files are read. Takes ctx, volume, secretName and optionally items, key -> file. */}}
{{- define "ssb.mountSecret" -}}
{{- $source := dict "secretName" .secretName "defaultMode" 288 }}
{{- with .items }}
{{- $_ := set $source "items" (include "ssb.secretItems" . | fromYamlArray) }}
{{- end }}
{{- $_ := set .ctx.files .volume (dict "path" (printf "/etc/settlement-bus-bridge/%s" .volume) "source" (dict "secret" $source)) }}
{{- end }}

{{- /* Mounts a Secret together with others in one folder. The pod starts without it. Takes ctx, volume, secretName and items, key -> file. */}}
{{- define "ssb.mountOptionalSecret" -}}
{{- $mounted := get .ctx.files .volume | default (dict "path" (printf "/etc/settlement-bus-bridge/%s" .volume) "source" (dict "projected" (dict "defaultMode" 288 "sources" list))) }}
{{- $projected := $mounted.source.projected }}
{{- $secret := dict "name" .secretName "optional" true "items" (include "ssb.secretItems" .items | fromYamlArray) }}
{{- $_ := set $projected "sources" (append $projected.sources (dict "secret" $secret)) }}
{{- $_ := set .ctx.files .volume $mounted }}
{{- end }}

{{- /* Items of a mounted Secret. Takes a map, key -> file. */}}
{{- define "ssb.secretItems" -}}
{{- $items := list }}
{{- range $key, $file := . }}
{{- $items = append $items (dict "key" $key "path" $file) }}
{{- end }}
{{- toYaml $items }}
{{- end }}

{{- /* Settings of every app, then those of the component. */}}
{{- define "ssb.addSettings" -}}
{{- $ctx := .ctx }}
{{- $root := $ctx.root }}
{{- $env := $ctx.env }}
{{- range $name, $value := $ctx.values.settings }}
{{- $_ := set $env $name $value }}
{{- end }}
{{- range $name, $ref := $ctx.values.secretSettings }}
{{- $_ := set $env $name (dict "secretKeyRef" $ref) }}
{{- end }}
{{- $_ := set $env "NODE_ENV" "production" }}
{{- $_ := set $env "HOST" $root.Values.listenAddress }}
{{- $management := $root.Values.management }}
{{- if $management.tokenSecret.name }}
{{- include "ssb.addFile" (dict "ctx" $ctx "volume" "management-token" "variable" "MANAGEMENT_TOKEN_FILE" "secret" $management.tokenSecret) }}
{{- end }}
{{- if $management.tlsSecretName }}
{{- include "ssb.mountSecret" (dict "ctx" $ctx "volume" "management-tls" "secretName" $management.tlsSecretName) }}
{{- $_ := set $env "MANAGEMENT_TLS_CERT_FILE" "/etc/settlement-bus-bridge/management-tls/tls.crt" }}
{{- $_ := set $env "MANAGEMENT_TLS_KEY_FILE" "/etc/settlement-bus-bridge/management-tls/tls.key" }}
{{- end }}
{{- $traces := $root.Values.traces }}
{{- if ne $traces.exporter "none" }}
{{- $_ := set $env "TRACES_EXPORTER" $traces.exporter }}
{{- $_ := set $env "TRACES_OTLP_ENDPOINT" (required "traces.endpoint is empty; it takes the OTLP endpoint of traces.exporter." $traces.endpoint) }}
{{- $_ := set $env "TRACES_SAMPLE_RATIO" $traces.sampleRatio }}
{{- include "ssb.addCa" (dict "ctx" $ctx "prefix" "TRACES" "secret" $traces.caSecret) }}
{{- if $traces.headersSecret.name }}
{{- include "ssb.addFile" (dict "ctx" $ctx "volume" "traces-headers" "variable" "TRACES_OTLP_HEADERS_FILE" "secret" $traces.headersSecret) }}
{{- end }}
{{- $_ := set $ctx.egress "otlp" true }}
{{- end }}
{{- end }}

{{- /* One key of a Secret as a file. Takes ctx, volume, variable and secret (name, key). */}}
{{- define "ssb.addFile" -}}
{{- include "ssb.mountSecret" (dict "ctx" .ctx "volume" .volume "secretName" .secret.name "items" (dict .secret.key .secret.key)) }}
{{- $_ := set .ctx.env .variable (printf "/etc/settlement-bus-bridge/%s/%s" .volume .secret.key) }}
{{- end }}

{{- /* Keys of the table of Secrets. Takes ctx, name of the Secret, and files, variable -> key. */}}
{{- define "ssb.addKeys" -}}
{{- $items := dict }}
{{- $ctx := .ctx }}
{{- range $variable, $key := .files }}
{{- $_ := set $items $key $key }}
{{- $_ := set $ctx.env $variable (printf "/etc/settlement-bus-bridge/keys/%s" $key) }}
{{- end }}
{{- include "ssb.mountSecret" (dict "ctx" $ctx "volume" "keys" "secretName" (include "ssb.secretName" (dict "root" $ctx.root "name" .name)) "items" $items) }}
{{- end }}

{{- /* Certificate authorities, if there are any. Takes ctx, prefix of the variable and secret (name, key). */}}
{{- define "ssb.addCa" -}}
{{- if .secret.name }}
{{- include "ssb.addFile" (dict "ctx" .ctx "volume" (printf "%s-ca" (.prefix | lower)) "variable" (printf "%s_CA_FILE" .prefix) "secret" .secret) }}
{{- end }}
{{- end }}

{{- /* A client certificate, if there is one. Takes ctx, prefix of the variables and secret (name, format, passwordKey). */}}
{{- define "ssb.addCertificate" -}}
{{- if .secret.name }}
{{- $volume := printf "%s-certificate" (.prefix | lower) }}
{{- $path := printf "/etc/settlement-bus-bridge/%s" $volume }}
{{- $env := .ctx.env }}
{{- $prefix := .prefix }}
{{- $items := dict }}
{{- range $name, $key := include "ssb.certificateKeys" .secret | fromYaml }}
{{- $_ := set $items $key $key }}
{{- $_ := set $env (printf "%s_%s" $prefix ($name | snakecase | upper)) (printf "%s/%s" $path $key) }}
{{- end }}
{{- include "ssb.mountSecret" (dict "ctx" .ctx "volume" $volume "secretName" .secret.name "items" $items) }}
{{- end }}
{{- end }}

{{- /* Keys of a Secret with a client certificate, name of the file -> key. Takes the secret (format, passwordKey). */}}
{{- define "ssb.certificateKeys" -}}
{{- if eq (.format | default "pem") "pem" }}
certFile: tls.crt
keyFile: tls.key
{{- else }}
pfxFile: keystore.p12
{{- with .passwordKey }}
pfxPasswordFile: {{ toJson . }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Redis. Takes ctx, user (a key of redis.auth.users) and optionally redis, values that differ. */}}
{{- define "ssb.addRedis" -}}
{{- $ctx := .ctx }}
{{- $env := $ctx.env }}
{{- $egress := true }}
{{- $redis := mergeOverwrite (deepCopy $ctx.root.Values.redis) (deepCopy (.redis | default dict)) }}
{{- $forms := compact (list $redis.url $redis.urlSecret.name (join "" $redis.sentinel.nodes) (join "" $redis.cluster.nodes)) }}
{{- if gt (len $forms) 1 }}
{{- fail (printf "Redis of %s has several addresses. Set one of redis.url, redis.urlSecret.name, redis.sentinel.nodes and redis.cluster.nodes; set the others to empty, in broker.redis too." $ctx.component) }}
{{- end }}
{{- if $redis.sentinel.nodes }}
{{- $_ := set $env "REDIS_SENTINELS" (join "," $redis.sentinel.nodes) }}
{{- $_ := set $env "REDIS_SENTINEL_MASTER" (required "redis.sentinel.master is empty; it takes the name of the master that the Sentinels watch." $redis.sentinel.master) }}
{{- with $redis.sentinel.username }}
{{- $_ := set $env "REDIS_SENTINEL_USERNAME" . }}
{{- end }}
{{- with $redis.sentinel.passwordSecret }}
{{- if .name }}
{{- include "ssb.addFile" (dict "ctx" $ctx "volume" "redis-sentinel" "variable" "REDIS_SENTINEL_PASSWORD_FILE" "secret" .) }}
{{- end }}
{{- end }}
{{- else if $redis.cluster.nodes }}
{{- $_ := set $env "REDIS_CLUSTER_NODES" (join "," $redis.cluster.nodes) }}
{{- else if $redis.urlSecret.name }}
{{- $_ := set $env "REDIS_URL" (dict "secretKeyRef" $redis.urlSecret) }}
{{- else if and $ctx.root.Values.trialRedis.enabled (not $redis.url) }}
{{- $name := include "ssb.componentName" (dict "root" $ctx.root "component" "redis") }}
{{- $_ := set $env "REDIS_URL" (printf "redis://%s:6379" $name) }}
{{- $_ := set $redis.auth "secretName" (include "ssb.secretName" (dict "root" $ctx.root "name" "redis")) }}
{{- $egress = 6379 }}
{{- else }}
{{- $_ := set $env "REDIS_URL" (required "There is no Redis. Set redis.url, redis.urlSecret.name, redis.sentinel.nodes or redis.cluster.nodes; for a trial, trialRedis.enabled." $redis.url) }}
{{- end }}
{{- with $redis.auth.secretName }}
{{- $user := get $redis.auth.users $.user }}
{{- $_ := set $env "REDIS_USERNAME" $user }}
{{- include "ssb.addFile" (dict "ctx" $ctx "volume" "redis" "variable" "REDIS_PASSWORD_FILE" "secret" (dict "name" . "key" (printf "%s.password" $user))) }}
{{- end }}
{{- with $redis.tls.secretName }}
{{- $items := dict }}
{{- with $redis.tls.caKey }}
{{- $_ := set $items . . }}
{{- $_ := set $env "REDIS_CA_FILE" (printf "/etc/settlement-bus-bridge/redis-tls/%s" .) }}
{{- end }}
{{- if $redis.tls.clientCertificate }}
{{- $_ := set $items "tls.crt" "tls.crt" }}
{{- $_ := set $items "tls.key" "tls.key" }}
{{- $_ := set $env "REDIS_CERT_FILE" "/etc/settlement-bus-bridge/redis-tls/tls.crt" }}
{{- $_ := set $env "REDIS_KEY_FILE" "/etc/settlement-bus-bridge/redis-tls/tls.key" }}
{{- end }}
{{- include "ssb.mountSecret" (dict "ctx" $ctx "volume" "redis-tls" "secretName" . "items" $items) }}
{{- end }}
{{- $_ := set $ctx.egress "redis" $egress }}
{{- end }}

{{- /* PostgreSQL. Takes ctx, database (secretName, urlKey, migrationUrlKey), name of the default Secret, variable and key. */}}
{{- define "ssb.addDatabase" -}}
{{- $ctx := .ctx }}
{{- $secret := .database.secretName | default (printf "%s-%s" (include "ssb.fullname" $ctx.root) .name) }}
{{- $_ := set $ctx.env .variable (dict "secretKeyRef" (dict "name" $secret "key" .key)) }}
{{- include "ssb.addDatabaseCa" $ctx }}
{{- $_ := set $ctx.egress "postgresql" (ternary 5432 true (and $ctx.root.Values.trialPostgresql.enabled (not .database.secretName))) }}
{{- end }}

{{- /* The store of the documents, of the poller and of the API. Takes ctx. */}}
{{- define "ssb.addDocuments" -}}
{{- $ctx := .ctx }}
{{- $documents := $ctx.root.Values.documents }}
{{- $_ := set $ctx.env "DOCUMENT_STORE" $documents.store }}
{{- if eq $documents.store "folder" }}
{{- $_ := set $ctx.env "DOCUMENT_FOLDER" (required "documents.folder is empty, but documents.store is folder; it takes the path of a volume of poller and api." $documents.folder) }}
{{- else if eq $documents.store "s3" }}
{{- with $documents.s3 }}
{{- $_ := set $ctx.env "DOCUMENT_S3_URL" (required "documents.s3.url is empty, but documents.store is s3; it takes the address of the bucket." .url) }}
{{- $_ := set $ctx.env "DOCUMENT_S3_REGION" .region }}
{{- $name := required "documents.s3.credentialsSecret.name is empty, but documents.store is s3; it takes the Secret with the access key." .credentialsSecret.name }}
{{- include "ssb.mountSecret" (dict "ctx" $ctx "volume" "document-keys" "secretName" $name "items" (dict .credentialsSecret.accessKey "access-key.id" .credentialsSecret.secretKey "access-key.secret")) }}
{{- $_ := set $ctx.env "DOCUMENT_S3_ACCESS_KEY_FILE" "/etc/settlement-bus-bridge/document-keys/access-key.id" }}
{{- $_ := set $ctx.env "DOCUMENT_S3_SECRET_KEY_FILE" "/etc/settlement-bus-bridge/document-keys/access-key.secret" }}
{{- if .caSecret.name }}
{{- include "ssb.addFile" (dict "ctx" $ctx "volume" "document-ca" "variable" "DOCUMENT_S3_CA_FILE" "secret" .caSecret) }}
{{- end }}
{{- end }}
{{- $_ := set $ctx.egress "documents" true }}
{{- end }}
{{- end }}

{{- define "ssb.addDatabaseCa" -}}
{{- with .root.Values.database.caSecret }}
{{- if .name }}
{{- include "ssb.mountSecret" (dict "ctx" $ "volume" "database-ca" "secretName" .name "items" (dict .key "ca.crt")) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "ssb.addProxy" -}}
{{- $ctx := .ctx }}
{{- $env := $ctx.env }}
{{- $root := $ctx.root }}
{{- $proxy := $root.Values.proxy }}
{{- if $proxy.urlSecret.name }}
{{- $_ := set $env "HTTPS_PROXY" (dict "secretKeyRef" $proxy.urlSecret) }}
{{- else if $proxy.url }}
{{- $_ := set $env "HTTPS_PROXY" $proxy.url }}
{{- end }}
{{- if hasKey $env "HTTPS_PROXY" }}
{{- $fullname := include "ssb.fullname" $root }}
{{- $own := list (printf "%s-gateway-publisher" $fullname) (printf "%s-gateway-subscriber" $fullname) }}
{{- if $root.Values.sandbox.enabled }}
{{- $own = concat $own (list (printf "%s-token" $fullname) (printf "%s-reporting" $fullname)) }}
{{- end }}
{{- $_ := set $env "NO_PROXY" (join "," (concat $own $proxy.noProxy)) }}
{{- $_ := set $ctx.egress "proxy" true }}
{{- end }}
{{- end }}

{{- /* Proxy and webhooks of an app of the bridge. */}}
{{- define "ssb.addOutgoing" -}}
{{- $ctx := .ctx }}
{{- $env := $ctx.env }}
{{- $root := $ctx.root }}
{{- include "ssb.addProxy" . }}
{{- $webhooks := $root.Values.webhooks }}
{{- include "ssb.addCa" (dict "ctx" $ctx "prefix" "WEBHOOK" "secret" $webhooks.caSecret) }}
{{- include "ssb.addCertificate" (dict "ctx" $ctx "prefix" "WEBHOOK" "secret" $webhooks.certificateSecret) }}
{{- with $webhooks.allowedNetworks }}
{{- $_ := set $env "WEBHOOK_ALLOWED_NETWORKS" (join "," .) }}
{{- end }}
{{- end }}

{{- /* The webhook for operational alerts about queue, gateway, database and sinks. */}}
{{- define "ssb.addOperationsWebhook" -}}
{{- $env := .ctx.env }}
{{- $egress := .ctx.egress }}
{{- with .ctx.root.Values.webhooks.operations }}
{{- if .secretName }}
{{- $_ := set $egress "webhooks" true }}
{{- $_ := set $env "OPERATIONS_WEBHOOK_URL" (dict "secretKeyRef" (dict "name" .secretName "key" .urlKey)) }}
{{- $_ := set $env "OPERATIONS_WEBHOOK_SECRET" (dict "secretKeyRef" (dict "name" .secretName "key" .secretKey)) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The management port of the subscriber, for the poller and the test. */}}
{{- define "ssb.addSubscriber" -}}
{{- $ctx := .ctx }}
{{- $root := $ctx.root }}
{{- if $root.Values.subscriber.enabled }}
{{- $scheme := ternary "https" "http" (ne $root.Values.management.tlsSecretName "") }}
{{- $_ := set $ctx.env "SUBSCRIBER_URL" (printf "%s://%s:4023" $scheme (include "ssb.componentName" (dict "root" $root "component" "subscriber"))) }}
{{- with $root.Values.management }}
{{- if .tokenSecret.name }}
{{- include "ssb.addFile" (dict "ctx" $ctx "volume" "management-token" "variable" "SUBSCRIBER_TOKEN_FILE" "secret" .tokenSecret) }}
{{- end }}
{{- include "ssb.addCa" (dict "ctx" $ctx "prefix" "SUBSCRIBER" "secret" .caSecret) }}
{{- end }}
{{- $_ := set $ctx.egress "subscriber" 4023 }}
{{- end }}
{{- end }}

{{- /* The external watchdog that the subscriber requests. */}}
{{- define "ssb.addWatchdog" -}}
{{- with .ctx.root.Values.webhooks.watchdog }}
{{- if .secretName }}
{{- $_ := set $.ctx.env "WATCHDOG_URL" (dict "secretKeyRef" (dict "name" .secretName "key" .urlKey)) }}
{{- end }}
{{- end }}
{{- end }}
