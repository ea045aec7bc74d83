{{- define "rekindle.name" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "rekindle.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- end -}}
{{- end }}

{{/* Labels of a pod: those of the values never replace our own. Call with (list . "controller"). */}}
{{- define "rekindle.podLabels" -}}
{{ include "rekindle.labels" . }}
{{- $own := fromYaml (include "rekindle.labels" .) }}
{{- $more := dict }}
{{- range $key, $value := (index . 0).Values.podLabels }}
{{- if hasKey $own $key }}{{ fail (printf "podLabels: %s is a label of the chart" $key) }}{{ end }}
{{- $_ := set $more $key $value }}
{{- end }}
{{- with $more }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What pods of all components share. */}}
{{- define "rekindle.podCommon" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/* Of pods that need nothing of their node. */}}
{{- define "rekindle.podSecurityContext" -}}
{{- with .Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
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
