{{/* The container of runs, for isolation: container. It has the pool's image and no secret; it shares with the server,
     whose image is that of runnerDefaults, what an attempt needs, and the socket by which the server starts processes
     in it. Agents lie at the same path in both images. As a sidecar it is there before the server, ends after it, and
     keeps no Job from being done. Takes root and of. */}}
{{- define "taskyard.cell" -}}
# The launcher needs Node alone; the folders are made before they are mounted one by one.
- name: prepare
  image: {{ include "taskyard.image" (dict "root" .root "image" .root.Values.runnerDefaults.image) }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args:
    - sh
    - -c
    - cp dist/bundle/*.mjs /launcher/ && cd /data && mkdir -p -m 0700 worktrees stores lenses repos
  resources:
    {{- toYaml .of.serverResources | nindent 4 }}
  securityContext:
    {{- include "taskyard.restricted" .root | nindent 4 }}
  volumeMounts:
    - name: launcher
      mountPath: /launcher
    - name: data
      mountPath: /data
- name: agent
  image: {{ include "taskyard.image" (dict "root" .root "image" .of.image) }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  restartPolicy: Always
  command: [node, /launcher/cell-program.mjs]
  env:
    - name: CELL_SOCKET
      value: /cell/socket
    - name: HOME
      value: /home/taskyard
    {{- include "taskyard.caEnv" .root | nindent 4 }}
  resources:
    {{- toYaml .of.resources | nindent 4 }}
  securityContext:
    {{- include "taskyard.restricted" .root | nindent 4 }}
  volumeMounts:
    - name: launcher
      mountPath: /launcher
      readOnly: true
    - name: cell
      mountPath: /cell
    - name: agent-tmp
      mountPath: /tmp
    - name: home
      mountPath: /home/taskyard
    - name: data
      mountPath: /data/worktrees
      subPath: worktrees
    {{- range list "stores" "lenses" "repos" }}
    - name: data
      mountPath: /data/{{ . }}
      subPath: {{ . }}
      readOnly: true
    {{- end }}
    {{- include "taskyard.caMount" .root | nindent 4 }}
{{- end -}}
