{{/* The volumes of a StatefulSet's pods: what is saved in the database needs no volume once a runner is gone. Takes
     root, component, pool and of. */}}
{{- define "taskyard.claims" -}}
{{- $stored := ne (.root.Values.settings.WORKSPACE_STORE | default "database") "none" -}}
persistentVolumeClaimRetentionPolicy:
  whenScaled: {{ .of.persistence.whenScaled | default (ternary "Delete" "Retain" $stored) }}
  whenDeleted: {{ .of.persistence.whenDeleted }}
volumeClaimTemplates:
  {{- include "taskyard.claim" (dict "at" . "name" "data" "size" .of.persistence.size) | nindent 2 }}
  # Logins and sessions of agents, which DATA_DIR would hide from them.
  {{- include "taskyard.claim" (dict "at" . "name" "home" "size" .of.persistence.homeSize) | nindent 2 }}
{{- end -}}

{{- define "taskyard.claim" -}}
- metadata:
    name: {{ .name }}
    labels:
      {{- include "taskyard.selector" .at | nindent 6 }}
  spec:
    accessModes: [ReadWriteOnce]
    {{- with .at.of.persistence.storageClass }}
    storageClassName: {{ . }}
    {{- end }}
    resources:
      requests:
        storage: {{ .size }}
{{- end -}}
