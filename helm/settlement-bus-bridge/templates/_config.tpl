{{- /* The operator's configuration file. */}}
{{- define "ssb.bridgeYaml" -}}
{{- include "ssb.checkParticipants" . }}
{{- $config := .Values.config }}
{{- $participants := list }}
{{- range .Values.participants }}
{{- $own := pick . "code" "alertsSince" "profile" "margin" "forecast" "position" "settlement" "payments" "discrepancies" "market" }}
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
{{- toYaml (merge $calendar (dict "defaults" $config.defaults "profiles" $config.profiles "participants" $participants "routes" $config.routes "senders" $senders "ignore" $config.ignore "alerts" $config.alerts)) }}
{{- end }}

{{- /* The file and its variables. The apps read a changed file again. Takes ctx. */}}
{{- define "ssb.addConfig" -}}
{{- $ctx := .ctx }}
{{- $env := $ctx.env }}
{{- $config := $ctx.root.Values.config }}
{{- range $name, $value := $config.variables }}
{{- include "ssb.refuseSetting" (dict "env" $env "name" $name) }}
{{- $_ := set $env $name $value }}
{{- end }}
{{- range $name, $ref := $config.secretVariables }}
{{- include "ssb.refuseSetting" (dict "env" $env "name" $name) }}
{{- $_ := set $env $name (dict "secretKeyRef" $ref) }}
{{- end }}
{{- $source := dict "configMap" (dict "name" (printf "%s-config" (include "ssb.fullname" $ctx.root))) }}
{{- $_ := set $ctx.files "config" (dict "path" "/etc/settlement-bus-bridge/config" "source" $source) }}
{{- $_ := set $env "CONFIG_FILE" "/etc/settlement-bus-bridge/config/bridge.yaml" }}
{{- end }}

{{- define "ssb.refuseSetting" -}}
{{- if hasKey .env .name }}
{{- fail (printf "The variable %s of config.variables or config.secretVariables is set elsewhere; choose another name." .name) }}
{{- end }}
{{- end }}
