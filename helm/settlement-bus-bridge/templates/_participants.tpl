{{- /* Folder with a folder for each participant. */}}
{{- define "ssb.participantsFolder" -}}/etc/settlement-bus-bridge/participants{{- end }}

{{- /* Refuses participants that the chart cannot serve. Takes the chart's root. */}}
{{- define "ssb.checkParticipants" -}}
{{- $config := .Values.config }}
{{- $shared := $config.defaults.margin | default dict }}
{{- $names := list }}
{{- range $participant := .Values.participants }}
{{- $name := include "ssb.participantName" .code }}
{{- if has $name $names }}
{{- fail (printf "Two participants have the name %s in objects; codes must differ in letters and digits." $name) }}
{{- end }}
{{- $names = append $names $name }}
{{- if hasKey . "poller" }}
{{- fail (printf "The participant %s has a key poller, but one poller serves all participants. Remove it, and set these options under poller." .code) }}
{{- end }}
{{- $profile := dict }}
{{- if .profile }}
{{- if not (hasKey $config.profiles .profile) }}
{{- fail (printf "The participant %s has the profile %s, which config.profiles does not have. Add the profile there, or correct the name." .code .profile) }}
{{- end }}
{{- $profile = (get $config.profiles .profile).margin | default dict }}
{{- end }}
{{- range $key := list "warning" "breach" "hysteresis" }}
{{- if not (or (hasKey ($participant.margin | default dict) $key) (hasKey $profile $key) (hasKey $shared $key)) }}
{{- fail (printf "The participant %s has no margin.%s. Set it there, in a profile or in config.defaults.margin." $participant.code $key) }}
{{- end }}
{{- end }}
{{- end }}
{{- if not $names }}
{{- fail "participants is empty; name at least one participant with its code." }}
{{- end }}
{{- end }}

{{- /*
Secrets of a participant, as the list `secrets` of a YAML map. Takes root and participant. Each entry has:
  name    name of the Secret
  part    the part of `access` with its files, `settlement` or `token`; `access` itself when unset
  files   key of that part -> key of the Secret and path of the file below the folder of the participants
*/}}
{{- define "ssb.participantSecrets" -}}
{{- $participant := .participant }}
{{- $folder := include "ssb.participantName" $participant.code }}
{{- $secrets := list }}
{{- if .root.Values.sandbox.enabled }}
{{- $files := dict "clientSecretFile" (dict "key" "participant-client.secret" "path" "client-secret") "certFile" (dict "key" "participant.crt" "path" "tls.crt") "keyFile" (dict "key" "participant.key" "path" "tls.key") }}
{{- $secrets = append $secrets (dict "name" (include "ssb.secretName" (dict "root" .root "name" "sandbox-keys")) "files" $files) }}
{{- else }}
{{- $own := printf "%s-participant-%s" (include "ssb.fullname" .root) $folder }}
{{- $files := dict "clientIdFile" (dict "key" "TOKEN_CLIENT_ID" "path" "client-id") "clientSecretFile" (dict "key" "TOKEN_CLIENT_SECRET" "path" "client-secret") }}
{{- $secrets = append $secrets (dict "name" ($participant.tokenClientSecretName | default $own) "files" $files) }}
{{- $certificate := merge (dict) ($participant.certificateSecret | default dict) (dict "name" $own) }}
{{- $secrets = append $secrets (dict "name" $certificate.name "files" (include "ssb.participantCertificate" $certificate | fromYaml)) }}
{{- range $part := list "settlement" "token" }}
{{- $certificate := get $participant (printf "%sCertificateSecret" $part) | default dict }}
{{- if $certificate.name }}
{{- $secrets = append $secrets (dict "name" $certificate.name "part" $part "files" (include "ssb.participantCertificate" $certificate | fromYaml)) }}
{{- end }}
{{- end }}
{{- end }}
{{- range $secret := $secrets }}
{{- range .files }}
{{- $_ := set . "path" (join "/" (compact (list $folder $secret.part .path))) }}
{{- end }}
{{- end }}
{{- toYaml (dict "secrets" $secrets) }}
{{- end }}

{{- /* Files of a client certificate of a participant. Takes the secret (format, passwordKey). The password has a fixed name, because other files are in its folder. */}}
{{- define "ssb.participantCertificate" -}}
{{- range $name, $key := include "ssb.certificateKeys" . | fromYaml }}
{{ $name }}: { key: {{ toJson $key }}, path: {{ ternary "keystore.password" $key (eq $name "pfxPasswordFile") }} }
{{- end }}
{{- end }}

{{- /* `access` of a participant in the configuration file. Takes root and participant. */}}
{{- define "ssb.participantAccess" -}}
{{- $access := dict }}
{{- if .root.Values.sandbox.enabled }}
{{- $_ := set $access "clientId" (lower .participant.code) }}
{{- end }}
{{- range (include "ssb.participantSecrets" . | fromYaml).secrets }}
{{- $paths := dict }}
{{- range $name, $file := .files }}
{{- $_ := set $paths $name (printf "%s/%s" (include "ssb.participantsFolder" $) $file.path) }}
{{- end }}
{{- $access = merge $access (ternary (dict (.part | default "") $paths) $paths (hasKey . "part")) }}
{{- end }}
{{- toYaml $access }}
{{- end }}

{{- /* The files of `access` of all participants in one volume. Takes ctx. */}}
{{- define "ssb.addParticipants" -}}
{{- $ctx := .ctx }}
{{- range $ctx.root.Values.participants }}
{{- range (include "ssb.participantSecrets" (dict "root" $ctx.root "participant" .) | fromYaml).secrets }}
{{- $items := dict }}
{{- range .files }}
{{- $_ := set $items .key .path }}
{{- end }}
{{- include "ssb.mountOptionalSecret" (dict "ctx" $ctx "volume" "participants" "secretName" .name "items" $items) }}
{{- end }}
{{- end }}
{{- end }}
