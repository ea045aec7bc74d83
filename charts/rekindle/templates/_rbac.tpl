{{/* Rights of the controller on what belongs to jobs: in all namespaces, or in those of watchNamespaces. */}}
{{- define "rekindle.controllerJobRules" -}}
- apiGroups: [kubeflow.org]
  resources: [pytorchjobs]
  verbs: [get, list, watch, patch]
- apiGroups: [kubeflow.org]
  resources: [pytorchjobs/status]
  verbs: [patch]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, patch, delete{{ if .Values.spares.enabled }}, create{{ end }}]
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
- apiGroups: [rekindle.dev]
  resources: [rankreports]
  verbs: [list, watch]
- apiGroups: [rekindle.dev]
  resources: [recoveries]
  verbs: [get, list, watch, create, delete]
- apiGroups: [rekindle.dev]
  resources: [recoveries/status]
  verbs: [update]
- apiGroups: [rekindle.dev]
  resources: [restartorders]
  verbs: [get, list, watch, create, update, delete]
- apiGroups: [rekindle.dev]
  resources: [restartreports]
  verbs: [list, watch]
- apiGroups: [""]
  resources: [persistentvolumeclaims]
  verbs: [get]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, create, delete]
# Where Kueue, Coscheduling or Spiderpool is not installed these say nothing.
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads]
  verbs: [get, list, watch, patch]
- apiGroups: [scheduling.x-k8s.io]
  resources: [podgroups]
  verbs: [get, patch]
- apiGroups: [spiderpool.spidernet.io]
  resources: [spiderendpoints]
  verbs: [list, watch]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end }}

{{/* Rights of agents on what belongs to jobs. */}}
{{- define "rekindle.agentJobRules" -}}
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
- apiGroups: [kubeflow.org]
  resources: [pytorchjobs]
  verbs: [get]
- apiGroups: [rekindle.dev]
  resources: [rankreports]
  verbs: [get, create]
- apiGroups: [rekindle.dev]
  resources: [rankreports/status]
  verbs: [update]
- apiGroups: [rekindle.dev]
  resources: [restartorders]
  verbs: [list, watch]
- apiGroups: [rekindle.dev]
  resources: [restartreports]
  verbs: [get, create, update]
{{- end }}

{{/* Rights of the console on what belongs to jobs. */}}
{{- define "rekindle.consoleJobRules" -}}
- apiGroups: [rekindle.dev]
  resources: [recoveries]
  verbs: [list, watch]
{{- end }}

{{/* Rights of the hooks on what belongs to jobs. */}}
{{- define "rekindle.hooksJobRules" -}}
- apiGroups: [rekindle.dev]
  resources: [recoveries]
  verbs: [list]
{{- end }}

{{/*
Rights by role in each watched namespace; nothing where all are watched. Call with (list . COMPONENT RULES), RULES
being the name of a template.
*/}}
{{- define "rekindle.jobRoles" -}}
{{- $root := index . 0 }}{{ $component := index . 1 }}{{ $rules := index . 2 }}
{{- range $namespace := $root.Values.watchNamespaces }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ include "rekindle.name" $root }}-{{ $component }}-jobs
  namespace: {{ $namespace }}
  labels:
    {{- include "rekindle.labels" (list $root $component) | nindent 4 }}
rules:
  {{- include $rules $root | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ include "rekindle.name" $root }}-{{ $component }}-jobs
  namespace: {{ $namespace }}
  labels:
    {{- include "rekindle.labels" (list $root $component) | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ include "rekindle.name" $root }}-{{ $component }}-jobs
subjects:
  - kind: ServiceAccount
    name: {{ include "rekindle.name" $root }}-{{ $component }}
    namespace: {{ $root.Release.Namespace }}
{{- end }}
{{- end }}

{{/* To see whether a watched namespace is still there: the rights in it go with it. */}}
{{- define "rekindle.watchedNamespacesRule" -}}
{{- with .Values.watchNamespaces }}
- apiGroups: [""]
  resources: [namespaces]
  resourceNames: {{ toJson . }}
  verbs: [get]
{{- end }}
{{- end }}

{{/* Which namespaces are watched, as an environment variable; none where all are. */}}
{{- define "rekindle.watchEnv" -}}
{{- with .Values.watchNamespaces }}
- name: REKINDLE_WATCH_NAMESPACES
  value: {{ join "," . | quote }}
{{- end }}
{{- end }}
