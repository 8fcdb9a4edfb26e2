{{/* The spec of a runner's pod, whatever makes it. Takes root, component, pool and of. */}}
{{- define "taskyard.runnerPod" -}}
{{- $inContainer := eq .of.isolation "container" -}}
{{- $image := ternary .root.Values.runnerDefaults.image .of.image $inContainer -}}
serviceAccountName: {{ include "taskyard.serviceAccountName" .root }}
{{ include "taskyard.podBasics" . }}
{{- include "taskyard.placement" . }}
{{- if eq .of.isolation "bubblewrap" }}
hostUsers: false
{{- end }}
# Beyond DRAIN_SECS, in which running turns may end.
terminationGracePeriodSeconds: {{ add .of.drainSecs 100 }}
{{- if $inContainer }}
initContainers:
  {{- include "taskyard.cell" . | nindent 2 }}
{{- end }}
containers:
  - name: runner
    image: {{ include "taskyard.image" (dict "root" .root "image" $image) }}
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    env:
      {{- include "taskyard.runnerAddress" . | nindent 6 }}
      {{- include "taskyard.runnerEnv" . | nindent 6 }}
    envFrom:
      {{- include "taskyard.envFrom" .root | nindent 6 }}
    ports:
      - name: http
        containerPort: 8000
      - name: internal
        containerPort: 8002
    {{- include "taskyard.probes" .root | nindent 4 }}
    resources:
      {{- toYaml (ternary .of.serverResources .of.resources $inContainer) | nindent 6 }}
    securityContext:
      {{- include "taskyard.runnerSecurity" .of | nindent 6 }}
    volumeMounts:
      {{- include "taskyard.serverMounts" .root | nindent 6 }}
      - name: data
        mountPath: /data
      {{- if $inContainer }}
      - name: cell
        mountPath: /cell
      {{- else }}
      - name: home
        mountPath: /home/taskyard
      {{- end }}
volumes:
  {{- include "taskyard.serverVolumes" .root | nindent 2 }}
  {{- if or (eq .of.mode "attempt") (not .of.persistence.enabled) }}
  - name: data
    emptyDir:
      sizeLimit: {{ .of.persistence.size }}
  - name: home
    emptyDir:
      sizeLimit: {{ .of.persistence.homeSize }}
  {{- end }}
  {{- if $inContainer }}
  {{- range list "cell" "launcher" "agent-tmp" }}
  - name: {{ . }}
    emptyDir: {}
  {{- end }}
  {{- end }}
{{- end -}}

{{/* Where the others reach it: by name in a StatefulSet, where an ordinal keeps it; a Job's pod has an address. */}}
{{- define "taskyard.runnerAddress" -}}
{{- $byName := ne .of.mode "attempt" -}}
- name: {{ ternary "POD_NAME" "POD_IP" $byName }}
  valueFrom:
    fieldRef:
      fieldPath: {{ ternary "metadata.name" "status.podIP" $byName }}
- name: INTERNAL_ADDRESS
  {{- if $byName }}
  value: $(POD_NAME).{{ include "taskyard.fullname" .root }}-runner:8002
  {{- else }}
  value: $(POD_IP):8002
  {{- end }}
{{- end -}}

{{/* The sandbox of runs (bubblewrap) makes namespaces and mounts a /proc of its own: without rights beyond the pod, but
     with system calls that the profile of the container's runtime refuses. Takes a pool. */}}
{{- define "taskyard.runnerSecurity" -}}
{{ include "taskyard.restricted" . }}
{{- if eq .isolation "bubblewrap" }}
procMount: Unmasked
{{- if eq .podSecurity "baseline" }}
seccompProfile:
  type: Localhost
  localhostProfile: taskyard/bubblewrap.json
{{- else }}
seccompProfile:
  type: Unconfined
appArmorProfile:
  type: Unconfined
{{- end }}
{{- end }}
{{- end -}}
