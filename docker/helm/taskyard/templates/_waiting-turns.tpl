{{/* Turns that wait for a pod of a pool, which must have all labels that a turn needs. A runner with labels takes turns
     without any, too, but none is made for them. Takes the pool; gives SQL. */}}
{{- define "taskyard.waitingTurns" -}}
SELECT coalesce(sum(waiting), 0) FROM waiting_turns WHERE
{{- if .labels }} pool <> 'default' AND string_to_array(pool, ',') <@ ARRAY['{{ join "','" .labels }}']
{{- else }} pool = 'default'
{{- end }}
{{- with .executors }} AND executor IN ('{{ join "','" . }}')
{{- end }}
{{- end -}}
