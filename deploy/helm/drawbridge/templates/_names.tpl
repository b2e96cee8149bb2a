{{/* A pod's name is its node's in the audit log, and a label may have 63 characters: the set's own leave room for more. */}}
{{- define "drawbridge.name" -}}
{{- if contains "drawbridge" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-drawbridge" (.Release.Name | trunc 29 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "drawbridge.selector" -}}
app.kubernetes.io/name: drawbridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "drawbridge.labels" -}}
{{ include "drawbridge.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "drawbridge.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* Files of the data folder that are copied out of the secret. */}}
{{- define "drawbridge.files" -}}
{{- $files := .Values.secret.files }}
{{- if .Values.settings.redis }}{{ $files = append $files "redis-password" | uniq }}{{ end }}
{{- toJson $files }}
{{- end }}

{{/* The settings file. */}}
{{- define "drawbridge.settings" -}}
{{- $settings := deepCopy .Values.settings }}
{{- $issuer := $settings.issuer | default "" }}
{{- $console := (($settings.admin | default dict).origin) | default "" }}
{{- if not .Values.sharedOrigin }}
{{- range $name, $origin := dict "settings.issuer" $issuer "settings.admin.origin" $console }}
{{- if or (not $origin) (eq $origin $settings.public_origin) }}
{{- fail (printf "%s must be an origin of its own, apart from settings.public_origin: a script in a page of the website would get at what it shows (docs/operations.md). sharedOrigin: true allows it." $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- $_ := set $settings "listen" "0.0.0.0:8080" }}
{{- $_ := set $settings "management_listen" "0.0.0.0:8081" }}
{{- $_ := set $settings "data_directory" "/var/lib/drawbridge" }}
{{- /* Longer than the pods need to hear that this one is going; the pod's own patience below is longer still. */}}
{{- $_ := set $settings "shutdown_grace" "20s" }}
{{- if $settings.redis }}
{{- $_ := set $settings.redis "password_file" "/var/lib/drawbridge/redis-password" }}
{{- end }}
{{- toYaml $settings }}
{{- end }}
