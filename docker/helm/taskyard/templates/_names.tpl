{{/* Names and labels. Most helpers take a dict: root (the chart's scope), component, and pool where it has one. */}}

{{/* At most 30 characters: with -runner-, a pool of 14 and an ordinal it still is a label. */}}
{{- define "taskyard.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 30 | trimSuffix "-" }}
{{- else if contains "taskyard" .Release.Name -}}
{{ .Release.Name | trunc 30 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-taskyard" (.Release.Name | trunc 21 | trimSuffix "-") }}
{{- end -}}
{{- end -}}

{{/* What selects the pods of a component; without a component, everything of the release. It never changes: selectors
     and claims of a StatefulSet are immutable. */}}
{{- define "taskyard.selector" -}}
app.kubernetes.io/name: taskyard
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- with .pool }}
taskyard/pool: {{ . }}
{{- end }}
{{- end -}}

{{- define "taskyard.labels" -}}
{{ include "taskyard.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "taskyard.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "taskyard.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}

{{/* The Secret of the cluster secret and the service token. */}}
{{- define "taskyard.secretName" -}}
{{ .Values.secrets.existingSecret | default (printf "%s-secrets" (include "taskyard.fullname" .)) }}
{{- end -}}

{{/* An image: what it leaves open is taken from the server's. Takes root and image. */}}
{{- define "taskyard.image" -}}
{{- $image := .image -}}
{{- $server := .root.Values.image -}}
{{- $registry := $image.registry | default $server.registry -}}
{{- $name := printf "%s/%s" $registry ($image.repository | default $server.repository) -}}
{{- if $image.digest -}}
{{ $name }}@{{ $image.digest }}
{{- else -}}
{{ $name }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}
