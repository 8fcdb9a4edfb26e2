{{/* The server in a container: its settings, its secrets as files, its volumes. All take the chart's scope. */}}

{{- define "taskyard.serverEnv" -}}
- name: HOST
  value: 0.0.0.0
- name: DATABASE_URL_FILE
  value: /run/secrets/taskyard/database-url
- name: CLUSTER_SECRET_FILE
  value: /run/secrets/taskyard/cluster-secret
{{- if .Values.secrets.serviceTokenKey }}
- name: TASKFLOW_SERVICE_TOKEN_FILE
  value: /run/secrets/taskyard/service-token
{{- end }}
{{- range $name, $_ := .Values.secretSettings }}
- name: {{ trimSuffix "_FILE" $name }}_FILE
  value: /run/secrets/taskyard/{{ $name }}
{{- end }}
{{- include "taskyard.caEnv" . }}
{{- end -}}

{{/* The text of a setting. Helm reads each number as a float, and would write a large one as 4e+09. */}}
{{- define "taskyard.settingText" -}}
{{- if kindIs "float64" . }}{{ printf "%.0f" . | quote }}{{ else }}{{ toString . | quote }}{{ end -}}
{{- end -}}

{{/* Pods are replaced when the settings that they read at their start change. */}}
{{- define "taskyard.settingsChecksum" -}}
checksum/settings: {{ .Values.settings | toJson | sha256sum }}
{{- end -}}

{{- define "taskyard.envFrom" -}}
- configMapRef:
    name: {{ include "taskyard.fullname" . }}
{{- end -}}

{{- define "taskyard.serverMounts" -}}
- name: secrets
  mountPath: /run/secrets/taskyard
  readOnly: true
- name: tmp
  mountPath: /tmp
{{- include "taskyard.caMount" . }}
{{- end -}}

{{- define "taskyard.serverVolumes" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- include "taskyard.databaseSource" . | nindent 6 }}
      - secret:
          name: {{ include "taskyard.secretName" . }}
          items:
            - key: {{ .Values.secrets.clusterSecretKey }}
              path: cluster-secret
            {{- with .Values.secrets.serviceTokenKey }}
            - key: {{ . }}
              path: service-token
            {{- end }}
      {{- range $name, $from := .Values.secretSettings }}
      - secret:
          name: {{ $from.secret }}
          items:
            - key: {{ $from.key }}
              path: {{ $name }}
      {{- end }}
- name: tmp
  emptyDir: {}
{{- include "taskyard.caVolume" . }}
{{- end -}}

{{- define "taskyard.databaseSource" -}}
- secret:
    name: {{ .Values.database.existingSecret }}
    items:
      - key: {{ .Values.database.urlKey }}
        path: database-url
{{- end -}}

{{/* Node adds the bundle to its own; other programs read it in place of the image's. */}}
{{- define "taskyard.caEnv" -}}
{{- if .Values.caBundle.configMap }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/ssl/certs/ca-certificates.crt
- name: SSL_CERT_FILE
  value: /etc/ssl/certs/ca-certificates.crt
{{- end }}
{{- end -}}

{{- define "taskyard.caMount" -}}
{{- with .Values.caBundle }}
{{- if .configMap }}
- name: ca-bundle
  mountPath: /etc/ssl/certs/ca-certificates.crt
  subPath: {{ .key }}
  readOnly: true
{{- end }}
{{- end }}
{{- end -}}

{{- define "taskyard.caVolume" -}}
{{- with .Values.caBundle.configMap }}
- name: ca-bundle
  configMap:
    name: {{ . }}
{{- end }}
{{- end -}}
