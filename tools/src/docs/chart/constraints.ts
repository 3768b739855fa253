import { detectionSchema, operatorConfigSchema } from '@ssb/config';
import {
  anyObject,
  choice,
  matching,
  object,
  objects,
  ports,
  ref,
  string,
  strings,
  texts,
  toJsonSchema,
  type JsonSchema,
} from './json-schema.js';

const configuration = operatorConfigSchema.shape;
const ofParticipant = configuration.participants.element.shape;
const ofAlerts = configuration.alerts.shape;

const HTTP_URL = matching(String.raw`^(https?://[^\s@]+)?$`);
const VARIABLE_NAME = matching('^[A-Z][A-Z0-9_]*$');
const DIDS: JsonSchema = { type: 'array', items: matching('^did:[a-z0-9]{1,32}:0x[0-9a-fA-F]{40}$') };
const HOST_AND_PORT: JsonSchema = { type: 'array', items: matching(String.raw`^(rediss?://)?[^\s@/]+:\d+$`) };
const NETWORKS: JsonSchema = { type: 'array', items: matching('^[0-9a-fA-F.:]+/[0-9]{1,3}$') };
const DURATION = matching('^[0-9]+(ms|s|m|h)$');
const SERVER_URL = matching(String.raw`^((nats|tls)://[^\s@]+)?$`);

/** Labels that the chart does not set itself. */
const ownLabels: JsonSchema = {
  ...texts,
  propertyNames: { not: { pattern: String.raw`^(app\.kubernetes\.io|helm\.sh)/` } },
};
const integerOrText: JsonSchema = { type: ['integer', 'string'] };

/** A certificate in a Secret: `tls.crt` and `tls.key`, or `keystore.p12`. */
const certificateSecret = object({ name: string, format: choice('pem', 'pkcs12'), passwordKey: string });

const participants: JsonSchema = {
  type: 'array',
  items: object(
    {
      code: matching('^[A-Za-z0-9]([A-Za-z0-9._-]{0,58}[A-Za-z0-9])?$'),
      alertsSince: toJsonSchema(ofParticipant.alertsSince),
      profile: toJsonSchema(ofParticipant.profile),
      ...Object.fromEntries(
        Object.entries(detectionSchema.shape).map(([name, schema]) => [name, toJsonSchema(schema)]),
      ),
      tokenClientSecretName: string,
      certificateSecret,
      settlementCertificateSecret: certificateSecret,
      tokenCertificateSecret: certificateSecret,
      poller: {
        description: 'Refused by the templates, with what to do: one poller serves all participants.',
      },
    },
    ['code'],
  ),
};

const secretKeys: JsonSchema = {
  type: 'object',
  propertyNames: VARIABLE_NAME,
  additionalProperties: ref('secretKey'),
};

/** Names of the Secrets with keys, as `busbridge keys secrets` writes them. */
export const KEY_SECRETS = [
  'poller-keys',
  'bus-publisher-keys',
  'subscriber-keys',
  'gateway-publisher-keys',
  'gateway-subscriber-keys',
  'broker-keys',
  'provisioning-keys',
  'busbridge-keys',
  'sandbox-keys',
  'redis',
  'postgresql',
  'nats',
];

/** Options of a pod that are as in Kubernetes. */
const podOptions: Readonly<Record<string, JsonSchema>> = {
  resources: object({ requests: anyObject, limits: anyObject, claims: objects }),
  podSecurityContext: anyObject,
  containerSecurityContext: anyObject,
  strategy: object({
    type: choice('RollingUpdate', 'Recreate'),
    rollingUpdate: object({ maxSurge: integerOrText, maxUnavailable: integerOrText }),
  }),
  startupProbe: anyObject,
  livenessProbe: anyObject,
  readinessProbe: anyObject,
  topologySpreadConstraints: objects,
  nodeSelector: texts,
  tolerations: objects,
  affinity: anyObject,
  annotations: texts,
  podAnnotations: texts,
  podLabels: ownLabels,
  extraEnv: objects,
  extraEnvFrom: objects,
  extraVolumes: objects,
  extraVolumeMounts: objects,
  initContainers: objects,
  extraContainers: objects,
  'networkPolicy.extraIngress': objects,
  'networkPolicy.extraEgress': objects,
  'podDisruptionBudget.maxUnavailable': integerOrText,
  'service.type': choice('ClusterIP', 'NodePort', 'LoadBalancer'),
  'service.annotations': texts,
  'image.digest': matching('^(sha256:[0-9a-f]{64})?$'),
};

/**
 * Schemas of values whose default does not say what is allowed, by path; `*` stands for one part of it.
 * Texts, numbers and booleans need none.
 */
export const CONSTRAINTS: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(Object.entries(podOptions).map(([name, schema]) => [`defaults.${name}`, schema])),
  commonLabels: ownLabels,
  commonAnnotations: texts,
  'global.imagePullSecrets': strings,
  'image.pullSecrets': strings,
  'image.pullPolicy': choice('Always', 'IfNotPresent', 'Never'),
  'serviceAccount.annotations': texts,
  secretNames: object(Object.fromEntries(KEY_SECRETS.map((name) => [name, string]))),
  participants,
  'config.trusted.gateways': { type: 'array', items: string },
  'config.trusted.origins': { type: 'array', items: string },
  'config.defaults': toJsonSchema(detectionSchema),
  'config.profiles': toJsonSchema(configuration.profiles),
  'config.businessDays': toJsonSchema(configuration.businessDays),
  'config.holidays': toJsonSchema(configuration.holidays),
  'config.routes': toJsonSchema(configuration.routes),
  'config.senders': toJsonSchema(configuration.senders),
  'config.ignore': toJsonSchema(configuration.ignore),
  'config.alerts.sinks': toJsonSchema(ofAlerts.sinks),
  'config.alerts.rules': toJsonSchema(ofAlerts.rules),
  'config.variables': { type: 'object', propertyNames: VARIABLE_NAME, additionalProperties: string },
  'config.secretVariables': secretKeys,
  'operator.tokenUrl': HTTP_URL,
  'operator.prudentialUrl': HTTP_URL,
  'operator.settlementUrl': HTTP_URL,
  'redis.url': matching(String.raw`^(rediss?://[^\s@]+)?$`),
  'redis.sentinel.nodes': HOST_AND_PORT,
  'redis.cluster.nodes': HOST_AND_PORT,
  'nats.url': SERVER_URL,
  'proxy.url': matching(String.raw`^(http://[^\s@]+)?$`),
  'proxy.noProxy': strings,
  'webhooks.allowedNetworks': NETWORKS,
  '*.certificateSecret.format': choice('pem', 'pkcs12'),
  'traces.exporter': choice('none', 'otlp'),
  'traces.endpoint': HTTP_URL,
  'traces.sampleRatio': { type: 'number', minimum: 0, maximum: 1 },
  'gatewayPublisher.url': HTTP_URL,
  'gatewaySubscriber.url': HTTP_URL,
  'broker.url': HTTP_URL,
  'broker.issuers': DIDS,
  'broker.channelCreators': DIDS,
  'broker.logEngine': choice('redis', 'nats'),
  'broker.redis': { $ref: '#/properties/redis' },
  'migration.mode': choice('hook', 'init', 'none'),
  '*.image': ref('options/properties/image'),
  'busPublisher.keda.minReplicas': { type: 'integer', minimum: 1 },
  'busPublisher.keda.prometheusUrl': HTTP_URL,
  'trialRedis.maxMemory': matching('^[0-9]+(mb|gb)$'),
  '*.persistence.size': matching('^[0-9]+(Mi|Gi|Ti)$'),
  'monitoring.*.labels': texts,
  'monitoring.podMonitor.interval': DURATION,
  'monitoring.podMonitor.scrapeTimeout': DURATION,
  'monitoring.podMonitor.relabelings': objects,
  'monitoring.podMonitor.metricRelabelings': objects,
  'monitoring.prometheusRule.runbookBaseUrl': matching(String.raw`^(https?://\S+/)?$`),
  'monitoring.prometheusRule.disabledRules': strings,
  'monitoring.prometheusRule.additionalGroups': objects,
  'monitoring.dashboards.annotations': texts,
  'networkPolicy.metricsFrom': objects,
  'networkPolicy.dnsTo': objects,
  'networkPolicy.dnsPorts': ports,
  'networkPolicy.external.*.cidrs': NETWORKS,
  'networkPolicy.external.*.peers': objects,
  'networkPolicy.external.*.ports': ports,
};
