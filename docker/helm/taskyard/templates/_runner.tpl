{{/* Pools of runners: what they are, and what their processes are told. */}}

{{/* A pool: what it says, over runnerDefaults. Takes root and pool; gives YAML. */}}
{{- define "taskyard.pool" -}}
{{- $own := index .root.Values.runners .pool | default dict -}}
{{- toYaml (mergeOverwrite (deepCopy .root.Values.runnerDefaults) (deepCopy $own)) -}}
{{- end -}}

{{/* Pools by name whose pods a StatefulSet keeps: those of mode set, and the keeper beside those of mode attempt. Takes
     the chart's scope; gives YAML. */}}
{{- define "taskyard.sets" -}}
{{- $sets := dict -}}
{{- $isKept := false -}}
{{- range $pool, $_ := .Values.runners -}}
{{- $of := include "taskyard.pool" (dict "root" $ "pool" $pool) | fromYaml -}}
{{- if eq $of.mode "set" -}}
{{- $_ := set $sets $pool $of -}}
{{- else -}}
{{- $isKept = true -}}
{{- end -}}
{{- end -}}
{{- if $isKept -}}
{{- $unscaled := dict "mode" "keeper" "autoscaling" (dict "enabled" false) -}}
{{- $keeper := mergeOverwrite (deepCopy .Values.runnerDefaults) (deepCopy .Values.keeper) $unscaled -}}
{{- $_ := set $sets "keeper" $keeper -}}
{{- end -}}
{{- toYaml $sets -}}
{{- end -}}

{{/* Takes root and of. */}}
{{- define "taskyard.runnerEnv" -}}
- name: ROLE
  value: runner
# A user that OpenShift chooses has none.
- name: HOME
  value: /home/taskyard
{{- if ne .of.mode "set" }}
- name: RUNNER_LIFE
  value: {{ .of.mode }}
{{- end }}
{{- if eq .of.mode "attempt" }}
- name: RUNNER_IDLE_SECS
  value: {{ .of.attempt.idleSecs | quote }}
- name: RUNNER_UNUSED_SECS
  value: {{ .of.attempt.unusedSecs | quote }}
{{- end }}
{{- with .of.labels }}
- name: RUNNER_LABELS
  value: {{ join "," . | quote }}
{{- end }}
- name: ISOLATION
  value: {{ .of.isolation }}
{{- if eq .of.isolation "container" }}
- name: CELL_SOCKET
  value: /cell/socket
{{- end }}
- name: MAX_CONCURRENT_EXECUTIONS
  value: {{ ternary 1 .of.slots (eq .of.mode "attempt") | quote }}
- name: DRAIN_SECS
  value: {{ .of.drainSecs | quote }}
- name: AGENT_API_URL
  value: http://{{ include "taskyard.fullname" .root }}-api:{{ .root.Values.service.port }}
{{- with .of.executors }}
- name: EXECUTORS
  value: {{ join "," . | quote }}
{{- end }}
{{- include "taskyard.agentKeys" .root.Values.agentKeys }}
{{ include "taskyard.serverEnv" .root }}
{{- range $name, $value := .of.settings }}
- name: {{ $name }}
  value: {{ include "taskyard.settingText" $value }}
{{- end }}
{{- end -}}

{{- define "taskyard.agentKeys" -}}
{{- if .names }}
- name: AGENT_ENV
  value: {{ join "," .names | quote }}
{{- end }}
{{- range .names }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $.existingSecret }}
      key: {{ . }}
{{- end }}
{{- end -}}

{{/* A pod with work is not moved for the sake of a node. Takes the chart's scope. */}}
{{- define "taskyard.runnerAnnotations" -}}
{{ include "taskyard.settingsChecksum" . }}
cluster-autoscaler.kubernetes.io/safe-to-evict: "false"
{{- end -}}
