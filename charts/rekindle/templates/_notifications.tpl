{{/* Environment of the controller: where notifications go. */}}
{{- define "rekindle.notificationsEnv" -}}
{{- with .Values.notifications.webhooks }}
{{- $webhooks := list -}}
{{- range . }}
{{- $url := default "" .url -}}
{{- $events := default (list) .events -}}
{{- $webhooks = append $webhooks (dict "name" .name "url" $url "format" .format "events" $events) -}}
{{- end }}
{{- $all := dict "cluster" $.Values.notifications.cluster "maxAge" $.Values.notifications.maxAge -}}
- name: REKINDLE_NOTIFICATIONS
  value: {{ set $all "webhooks" $webhooks | toJson | quote }}
{{- end }}
{{- end }}

{{/* Where the controller finds the Secrets of webhooks. */}}
{{- define "rekindle.notificationsMounts" -}}
{{- range .Values.notifications.webhooks }}
- name: webhook-{{ .name }}
  mountPath: /etc/rekindle/webhooks/{{ .name }}
  readOnly: true
{{- end }}
{{- end }}

{{/* The Secrets of webhooks. One that is missing keeps no controller from starting: its webhook waits for it. */}}
{{- define "rekindle.notificationsVolumes" -}}
{{- range .Values.notifications.webhooks }}
- name: webhook-{{ .name }}
  secret:
    secretName: {{ .secretName }}
    optional: true
{{- end }}
{{- end }}
