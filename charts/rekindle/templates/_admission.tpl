{{/* Who sends the request, in CEL. Call with (list . "controller"). */}}
{{- define "rekindle.isAccount" -}}
request.userInfo.username == "system:serviceaccount:{{ (index . 0).Release.Namespace }}:{{ include "rekindle.name" (index . 0) }}-{{ index . 1 }}"
{{- end }}

{{/* Head of a policy. Call with (list . NAME COMPONENT FAILURE-POLICY). */}}
{{- define "rekindle.policy" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ include "rekindle.name" (index . 0) }}-{{ index . 1 }}
  labels:
    {{- include "rekindle.labels" (list (index . 0) (index . 2)) | nindent 4 }}
spec:
  failurePolicy: {{ index . 3 }}
{{- end }}

{{/* CEL: a mount is at a plain path, which hides nothing of Rekindle's program and of what its Java runtime reads. The runtime takes
`x`, `//x`, `/./x` and `/y/../x` for `/x`. Call with the CEL of the path; it is the place of the mount and a slash. */}}
{{- define "rekindle.mountsBeside" -}}
{{ . }}.startsWith('/') && !{{ . }}.matches('//|/[.][.]?/') && !({{ . }} in ['/', '/opt/', '/dev/'])
&& ['/app/', '/opt/jre/', '/lib/', '/lib64/', '/usr/', '/etc/', '/proc/', '/sys/'].all(f, !{{ . }}.startsWith(f))
{{- end }}

{{/* The binding that puts a policy in force. Call with (list . NAME COMPONENT). */}}
{{- define "rekindle.policyBinding" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ include "rekindle.name" (index . 0) }}-{{ index . 1 }}
  labels:
    {{- include "rekindle.labels" (list (index . 0) (index . 2)) | nindent 4 }}
spec:
  policyName: {{ include "rekindle.name" (index . 0) }}-{{ index . 1 }}
  validationActions: [Deny]
{{- end }}

{{/* CEL: two maps are equal but for some keys. Call with (list A B KEYS), KEYS being a list in CEL. */}}
{{- define "rekindle.sameBut" -}}
{{- $a := index . 0 }}{{ $b := index . 1 }}{{ $but := index . 2 -}}
({{ $a }}.all(k, k in {{ $but }} || (k in {{ $b }} && {{ $a }}[k] == {{ $b }}[k])) && {{ $b }}.all(k, k in {{ $but }} || k in {{ $a }}))
{{- end }}

{{/* CEL: two maps of annotations or labels are equal but for Rekindle's own, of which those in NOT are none. Call with (list A B NOT). */}}
{{- define "rekindle.sameButMarks" -}}
{{- $a := index . 0 }}{{ $b := index . 1 }}{{ $not := index . 2 -}}
({{ $a }}.all(k, (k.startsWith('rekindle.dev/') && !(k in {{ $not }})) || (k in {{ $b }} && {{ $a }}[k] == {{ $b }}[k])) && {{ $b }}.all(k, (k.startsWith('rekindle.dev/') && !(k in {{ $not }})) || k in {{ $a }}))
{{- end }}

{{/* CEL: metadata is as before, but for Rekindle's own annotations. Call with (list NOT MORE-KEYS). */}}
{{- define "rekindle.metadataKept" -}}
{{ include "rekindle.sameBut" (list "dyn(object.metadata)" "dyn(oldObject.metadata)" (printf "['annotations', 'managedFields', 'resourceVersion', 'generation'%s]" (index . 1))) }}
&& {{ include "rekindle.sameButMarks" (list "dyn(object.metadata).?annotations.orValue({})" "dyn(oldObject.metadata).?annotations.orValue({})" (index . 0)) }}
{{- end }}

{{/* CEL: the end of a NodeFault's name, a function of component and code; see FaultName. Neither part holds a dot. */}}
{{- define "rekindle.faultNameEnd" -}}
'.' + (object.spec.?componentId.orValue('') == '' ? 'node' : object.spec.componentId.replace(':', '-').replace('/', '-').replace('_', '-').replace('.', '-').lowerAscii())
+ '.' + object.spec.code.replace(':', '-').replace('/', '-').replace('_', '-').replace('.', '-').lowerAscii()
{{- end }}

{{/* CEL: a NodeFault has the name of its node, component and code. A name that would be too long is cut and ends its node in a hash,
which CEL cannot compute. Call with the CEL of the node; needs variables.end. */}}
{{- define "rekindle.faultNamed" -}}
object.metadata.name == {{ . }} + variables.end
|| (size({{ . }} + variables.end) > 253 && size(object.metadata.name) == 253 && object.metadata.name.endsWith(variables.end)
&& object.metadata.name.startsWith({{ . }}.substring(0, 244 - size(variables.end)) + '-'))
{{- end }}
