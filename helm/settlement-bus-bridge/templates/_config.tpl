{{- /* The operator's configuration file. */}}
{{- define "ssb.bridgeYaml" -}}
{{- $config := .Values.config }}
{{- $participants := list }}
{{- range .Values.participants }}
{{- $participants = append $participants (pick . "code" "alertsSince" "margin") }}
{{- end }}
{{- if not $participants }}
{{- fail "participants is empty; name at least one participant with code and margin." }}
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
{{- toYaml (dict "participants" $participants "routes" $config.routes "senders" $senders "ignore" $config.ignore "alerts" $config.alerts) }}
{{- end }}

{{- /* The file, its variables, and the checksum that restarts the pods when it changes. Takes ctx. */}}
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
{{- $_ := set $ctx.checksums "config" (include "ssb.bridgeYaml" $ctx.root) }}
{{- end }}

{{- define "ssb.refuseSetting" -}}
{{- if hasKey .env .name }}
{{- fail (printf "The variable %s of config.variables or config.secretVariables is set elsewhere; choose another name." .name) }}
{{- end }}
{{- end }}
