{{- /* The operator's configuration file. */}}
{{- define "ssb.bridgeYaml" -}}
{{- include "ssb.checkParticipants" . }}
{{- include "ssb.checkAlerts" . }}
{{- $config := .Values.config }}
{{- $participants := list }}
{{- range .Values.participants }}
{{- $own := pick . "code" "alertsSince" "profile" "margin" "forecast" "position" "settlement" "payments" "disagreement" "discrepancies" "market" }}
{{- $_ := set $own "access" (include "ssb.participantAccess" (dict "root" $ "participant" .) | fromYaml) }}
{{- $participants = append $participants $own }}
{{- end }}
{{- $senders := $config.senders }}
{{- if not $senders }}
{{- $trusted := $config.trusted }}
{{- if not (and $trusted.gateways $trusted.origins) }}
{{- fail "No sender is trusted. Set config.trusted.gateways and config.trusted.origins to the DIDs of gateway and bridge, or set config.senders." }}
{{- end }}
{{- range $config.routes | default list }}
{{- $senders = append $senders (dict "channel" .channel "gateways" $trusted.gateways "origins" $trusted.origins) }}
{{- end }}
{{- $senders = uniq $senders }}
{{- end }}
{{- $calendar := dict "businessDays" $config.businessDays "holidays" $config.holidays }}
{{- $alerts := ternary $config.alerts (omit $config.alerts "consoleUrl") (ne $config.alerts.consoleUrl "") }}
{{- /* Pods of the previous release, which read the new file too, refuse the key. */}}
{{- $revoked := ternary (dict "revoked" $config.revoked) dict (gt (len $config.revoked) 0) }}
{{- toYaml (merge $calendar $revoked (dict "defaults" $config.defaults "profiles" $config.profiles "participants" $participants "routes" $config.routes "senders" $senders "ignore" $config.ignore "alerts" $alerts)) }}
{{- end }}

{{- /* A margin breach must reach a person, except in the sandbox. `config check` of the hook examines every problem and every matcher. */}}
{{- define "ssb.checkAlerts" -}}
{{- $alerts := .Values.config.alerts }}
{{- if and .Values.subscriber.enabled (not .Values.sandbox.enabled) }}
{{- if $alerts.unattended }}
{{- fail "config.alerts.unattended is true, and sandbox.enabled is false. Only the sandbox may run without a person who is alerted. Remove it, and add a sink of another kind than log to config.alerts." }}
{{- end }}
{{- $attended := list }}
{{- range $alerts.sinks }}
{{- if not (has .kind (list "log" "console")) }}
{{- $attended = append $attended .name }}
{{- end }}
{{- end }}
{{- $reached := false }}
{{- range $rule := $alerts.rules }}
{{- $matches := and (not $rule.types) (or (not $rule.problems) (has "margin" $rule.problems)) }}
{{- range $rule.types }}
{{- $pattern := printf "^%s$" (. | replace "." "[.]" | replace "*" ".*") }}
{{- if and (regexMatch $pattern "settlementbus.margin.breached.v1") (or (not $rule.problems) (has "margin" $rule.problems)) }}
{{- $matches = true }}
{{- end }}
{{- end }}
{{- range $rule.sinks }}
{{- if and $matches (has . $attended) }}
{{- $reached = true }}
{{- end }}
{{- end }}
{{- end }}
{{- if not $reached }}
{{- fail "config.alerts gives settlementbus.margin.breached.v1 only to the log, which alerts no person. Add a sink of another kind than log to config.alerts.sinks, and to the rule of this type; only with sandbox.enabled this is optional." }}
{{- end }}
{{- end }}
{{- end }}

{{- /*
The file and its variables. The apps read a changed file again. Takes ctx, and optionally configMap, optional: the Secrets may be missing, and alerts:
the app reads `alerts`. Others get no secret that only `alerts` uses.
*/}}
{{- define "ssb.addConfig" -}}
{{- $ctx := .ctx }}
{{- $optional := .optional | default false }}
{{- $env := $ctx.env }}
{{- $config := $ctx.root.Values.config }}
{{- range $name, $value := $config.variables }}
{{- include "ssb.refuseSetting" (dict "env" $env "name" $name) }}
{{- $_ := set $env $name $value }}
{{- end }}
{{- $used := "" }}
{{- if and $config.secretVariables (not .alerts) }}
{{- $used = omit (include "ssb.bridgeYaml" $ctx.root | fromYaml) "alerts" | toJson }}
{{- end }}
{{- $alerts := .alerts | default false }}
{{- range $name, $ref := $config.secretVariables }}
{{- include "ssb.refuseSetting" (dict "env" $env "name" $name) }}
{{- if or $alerts (contains (printf "${%s}" $name) $used) }}
{{- $_ := set $env $name (dict "secretKeyRef" (ternary (merge (dict "optional" true) $ref) $ref $optional)) }}
{{- end }}
{{- end }}
{{- $name := .configMap | default (printf "%s-config" (include "ssb.fullname" $ctx.root)) }}
{{- $source := dict "configMap" (dict "name" $name) }}
{{- $_ := set $ctx.files "config" (dict "path" "/etc/settlement-bus-bridge/config" "source" $source) }}
{{- $_ := set $env "CONFIG_FILE" "/etc/settlement-bus-bridge/config/bridge.yaml" }}
{{- end }}

{{- /* The files of sinks in one volume. A missing Secret does not stop the pod: the subscriber reports the sink. Takes ctx. */}}
{{- define "ssb.addSinkSecrets" -}}
{{- $ctx := .ctx }}
{{- range $folder, $secret := $ctx.root.Values.config.sinkSecrets }}
{{- $items := dict }}
{{- range $secret.keys }}
{{- $_ := set $items . (printf "%s/%s" $folder .) }}
{{- end }}
{{- include "ssb.mountOptionalSecret" (dict "ctx" $ctx "volume" "sinks" "secretName" $secret.name "items" $items) }}
{{- end }}
{{- end }}

{{- define "ssb.refuseSetting" -}}
{{- if hasKey .env .name }}
{{- fail (printf "The variable %s of config.variables or config.secretVariables is set elsewhere; choose another name." .name) }}
{{- end }}
{{- end }}
