{{/* What pods may reach: names, the database, this release, and public addresses, never the network of the cluster or a
     cloud's metadata. Takes the chart's scope. */}}
{{- define "taskyard.egress" -}}
{{- $egress := .Values.networkPolicy.egress -}}
- ports:
    - {port: 53, protocol: UDP}
    - {port: 53, protocol: TCP}
{{- with $egress.databasePorts }}
- ports:
    {{- range . }}
    - port: {{ . }}
    {{- end }}
{{- end }}
- to:
    - podSelector:
        matchLabels:
          {{- include "taskyard.selector" (dict "root" .) | nindent 10 }}
  ports:
    - port: 8000
    - port: 8002
{{- with $egress.publicPorts }}
- to:
    - ipBlock:
        cidr: 0.0.0.0/0
        except:
          {{- toYaml $egress.privateRanges | nindent 10 }}
    - ipBlock:
        cidr: "::/0"
        except: ["fc00::/7", "fe80::/10"]
  ports:
    {{- range . }}
    - port: {{ . }}
    {{- end }}
{{- end }}
{{- with $egress.more }}
{{ toYaml . }}
{{- end }}
{{- end -}}
