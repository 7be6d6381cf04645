{{/* The name of all objects: that of the release with "-scheduler". */}}
{{- define "berth.name" -}}
{{- printf "%s-scheduler" (.Release.Name | trunc 53 | trimSuffix "-" | trimSuffix "-scheduler") -}}
{{- end -}}

{{- define "berth.selectorLabels" -}}
app.kubernetes.io/name: berth-scheduler
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* The component is the job in Prometheus: see servicemonitor.yaml. */}}
{{- define "berth.labels" -}}
{{ include "berth.selectorLabels" . }}
app.kubernetes.io/component: scheduler
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{- define "berth.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "berth.name" .) -}}
{{- else -}}
{{- required "serviceAccount.name is needed when serviceAccount.create is false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "berth.schedulerName" -}}
{{- if .Values.schedulerName -}}
{{- .Values.schedulerName -}}
{{- else if eq .Values.mode "second" -}}
berth-scheduler
{{- else -}}
default-scheduler
{{- end -}}
{{- end -}}

{{/* In place of kube-scheduler its lease is used, so that only one of the two leads. */}}
{{- define "berth.leaseNamespace" -}}
{{- if eq .Values.mode "replace" }}kube-system{{ else }}{{ .Release.Namespace }}{{ end -}}
{{- end -}}

{{- define "berth.leaseName" -}}
{{- if eq .Values.mode "replace" }}kube-scheduler{{ else }}{{ include "berth.name" . }}{{ end -}}
{{- end -}}
