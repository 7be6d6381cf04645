{{/* The KubeSchedulerConfiguration. */}}
{{- define "berth.configuration" -}}
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection:
  {{- if eq .Values.mode "second" }}
  qps: {{ .Values.clientConnection.qps | default 5000 | toYaml }}
  burst: {{ .Values.clientConnection.burst | default 10000 | toYaml }}
  {{- else }}
  qps: {{ .Values.clientConnection.qps | default 50 | toYaml }}
  burst: {{ .Values.clientConnection.burst | default 100 | toYaml }}
  {{- end }}
leaderElection:
  {{- if eq .Values.mode "shadow" }}
  leaderElect: false
  {{- else }}
  resourceNamespace: {{ include "berth.leaseNamespace" . }}
  resourceName: {{ include "berth.leaseName" . }}
  leaseDuration: {{ .Values.leaderElection.leaseDuration }}
  renewDeadline: {{ .Values.leaderElection.renewDeadline }}
  retryPeriod: {{ .Values.leaderElection.retryPeriod }}
  {{- end }}
{{- if not (hasKey .Values.configuration "profiles") }}
profiles:
- schedulerName: {{ include "berth.schedulerName" . }}
  {{- if .Values.dedicatedNodes.enabled }}
  pluginConfig:
  - name: NodeAffinity
    args:
      addedAffinity:
        requiredDuringSchedulingIgnoredDuringExecution:
          nodeSelectorTerms:
          - matchExpressions:
            - key: {{ .Values.dedicatedNodes.key | quote }}
              operator: In
              values: [{{ .Values.dedicatedNodes.value | quote }}]
  {{- end }}
{{- end }}
{{- with .Values.configuration }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The arguments of berth-scheduler, a YAML list. */}}
{{- define "berth.arguments" -}}
- --config=/etc/berth/config.yaml
{{- if eq .Values.mode "shadow" }}
- --shadow
{{- end }}
- --logging-format={{ .Values.logging.format }}
- --v={{ .Values.logging.verbosity }}
{{- range $gate, $on := .Values.featureGates }}
- --feature-gates={{ $gate }}={{ $on }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}

{{/* Refuses values that contradict each other. Prints nothing. */}}
{{- define "berth.check" -}}
{{- if ne .Values.mode "second" -}}
  {{- if .Values.admission.enabled -}}
  {{- fail "admission.enabled needs mode second: in place of kube-scheduler every pod is Berth's, and shadow mode binds none" -}}
  {{- end -}}
  {{- if .Values.dedicatedNodes.enabled -}}
  {{- fail "dedicatedNodes.enabled needs mode second" -}}
  {{- end -}}
{{- end -}}
{{- if and (eq .Values.mode "second") (eq (include "berth.schedulerName" .) "default-scheduler") -}}
{{- fail "schedulerName: with mode second kube-scheduler has default-scheduler: both would bind the same pods" -}}
{{- end -}}
{{- if and .Values.dedicatedNodes.enabled (hasKey .Values.configuration "profiles") -}}
{{- fail "dedicatedNodes sets the profile: with configuration.profiles write its addedAffinity there yourself" -}}
{{- end -}}
{{- if and .Values.hostNetwork (ne .Values.mode "replace") -}}
{{- fail "hostNetwork needs mode replace: kube-scheduler has port 10259 of its machine" -}}
{{- end -}}
{{- if and (eq .Values.mode "replace") (include "berth.replacesInPlace" .) (not (gt (int .Values.replicas) 1)) -}}
{{- fail "replicas: with hostNetwork or podAntiAffinity required a single scheduler would end before its successor has a node, and nobody else would give it one: set 2" -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled (not .Values.metrics.service) -}}
{{- fail "metrics.serviceMonitor needs metrics.service" -}}
{{- end -}}
{{- end -}}
