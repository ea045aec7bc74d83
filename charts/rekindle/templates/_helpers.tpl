{{- define "rekindle.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "rekindle.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- end }}

{{/* Call with (list . "controller"). */}}
{{- define "rekindle.selector" -}}
app.kubernetes.io/name: rekindle
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "rekindle.labels" -}}
{{ include "rekindle.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{/* How controller and agent log. */}}
{{- define "rekindle.logEnv" -}}
- name: REKINDLE_LOG_FORMAT
  value: {{ .Values.logFormat }}
- name: REKINDLE_LOG_LEVEL
  value: {{ .Values.logLevel }}
{{- end }}

{{/* A mount of a host path. Call with (list MOUNT VALUES READONLY). */}}
{{- define "rekindle.hostMount" -}}
- name: {{ index . 0 }}
  mountPath: {{ index . 1 }}
  {{- with (index . 2).subPathExpr }}
  subPathExpr: {{ . | quote }}
  {{- end }}
  {{- if index . 3 }}
  readOnly: true
  {{- end }}
{{- end }}
