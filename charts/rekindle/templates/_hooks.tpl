{{/* The pod of a hook. Call with (list . ROLE), ROLE being one of the image. */}}
{{- define "rekindle.hookPod" -}}
{{- $root := index . 0 -}}
restartPolicy: Never
serviceAccountName: {{ include "rekindle.name" $root }}-hooks
automountServiceAccountToken: true
{{- with include "rekindle.podCommon" $root }}
{{ . }}
{{- end }}
{{- with $root.Values.controller.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $root.Values.controller.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "rekindle.podSecurityContext" $root }}
{{ . }}
{{- end }}
containers:
  - name: check
    image: {{ include "rekindle.image" $root }}
    imagePullPolicy: {{ $root.Values.image.pullPolicy }}
    args: [{{ index . 1 }}]
    env:
      - name: REKINDLE_NAMESPACE
        valueFrom:
          fieldRef:
            fieldPath: metadata.namespace
      {{- if $root.Values.agent.enabled }}
      - name: REKINDLE_AGENTS
        value: {{ include "rekindle.name" $root }}-agent
      {{- end }}
      {{- if and $root.Values.console.enabled (gt (int $root.Values.console.replicas) 0) }}
      - name: REKINDLE_CONSOLE
        value: http://{{ include "rekindle.name" $root }}-console.{{ $root.Release.Namespace }}.svc/readyz
      {{- end }}
      {{- with include "rekindle.watchEnv" $root }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- include "rekindle.logEnv" $root | nindent 6 }}
    resources:
      {{- toYaml $root.Values.hooks.resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: [ALL]
    volumeMounts:
      - name: tmp
        mountPath: /tmp
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 16Mi
{{- end }}
