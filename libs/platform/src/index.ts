export { runApp } from './lifecycle/run-app.js';
export { ConfigurationError } from './lifecycle/configuration-error.js';
export { describeStartFailure, EXIT_CONFIGURATION } from './lifecycle/start-failure.js';
export {
  buildApp,
  type AppOptions,
  type BuiltApp,
  type ListenOptions,
  type SecondaryServer,
} from './lifecycle/build-app.js';
export { SETTINGS } from './platform.module.js';
export { managementAddress } from './management/management-address.js';

export {
  defineSettings,
  readSettings,
  SettingsError,
  type SettingDefinition,
  type SettingsDefinition,
  type SettingsOf,
} from './settings/settings.js';
export { toUrlHost } from './network/url-host.js';
export * from './settings/schemas.js';
export {
  businessMetricsSettings,
  clockSettings,
  commonSettings,
  configFileSettings,
  reloadedConfigSettings,
  databaseSettings,
  gatewayClientSettings,
  integrityKeysSettings,
  managementActionSettings,
  managementPortSettings,
  migrationSettings,
  operationsWebhookSettings,
  optionalTlsServerSettings,
  queueSettings,
  retentionSettings,
  tlsServerSettings,
  trustedProxySettings,
} from './settings/common.js';
export {
  clientCertificateSettings,
  clientTlsSettings,
  outgoingConnectionSettings,
} from './settings/connection-settings.js';
export { redisCredentialSettings, redisSettings } from './settings/redis-settings.js';

export { createLogger, LOGGER, type Logger } from './logging/logger.js';
export type { LogFields } from './logging/log-fields.js';
export { Degradations, type Degradation } from './observability/degradations.js';
export { Liveness } from './observability/liveness.js';
export { Metrics, type Gauge } from './observability/metrics.js';
export {
  clientTlsMetrics,
  COMMON_METRICS,
  DATA_FOLDER_METRICS,
  serverTlsMetrics,
} from './observability/common-metrics.js';
export {
  BoundedLabel,
  LATENCY_BUCKETS,
  OTHER,
  secondsSince,
  type GaugeDefinition,
  type MetricDefinition,
} from './observability/metric-definitions.js';
export { observeDataFolder } from './observability/observe-data-folder.js';
export { ScrapeReading } from './observability/scrape-reading.js';
export { Readiness, withProbeTimeout, type ReadinessReport } from './observability/readiness.js';

export { ManagementAccess } from './management/management-access.js';
export { OperateGuard, StatusGuard } from './management/management-guards.js';
export {
  InvalidRequestError,
  ProblemException,
  unknownField,
  type RequestFault,
} from './http-errors/problem-exception.js';
export {
  describeError,
  problemResponder,
  type ErrorResponder,
  type HttpReply,
} from './http-errors/error-responses.js';
export { refuseUpgrade } from './http-errors/refuse-upgrade.js';
export { parseRequest } from './validation/parse-request.js';
export { RequestValidationPipe } from './validation/request-validation.pipe.js';
export { readServerTls } from './tls/server-tls.js';
export {
  GATEWAY_CONNECTION,
  gatewayConnectionProvider,
  outgoingConnectionProviders,
  WEBHOOK_CONNECTION,
} from './connections/connection-providers.js';
export {
  clientTlsFiles,
  OutgoingConnections,
  type FileConnection,
  type WebhookTarget,
} from './connections/outgoing-connections.js';
export { assertUsableTlsFiles } from './connections/client-tls-files.js';
export { ServerTlsReload } from './tls/server-tls-reload.js';

export { decompressText } from './files/compressed-text.js';
export { syncFolder, writeFileAtomically, writeFileDurably } from './files/atomic-write.js';
export {
  ensureDataFolder,
  ensureDataFolderOf,
  ensurePrivateFolder,
  findOpenFolder,
  findOpenPath,
  PRIVATE_FILE_MODE,
  PRIVATE_FOLDER_MODE,
  type OpenPath,
} from './files/private-folder.js';
export {
  ConfiguredFileError,
  parseConfiguredFile,
  readCaFile,
  readConfiguredFile,
  readConfiguredFiles,
  readConfiguredText,
  assertCertificate,
} from './files/configured-file.js';
export {
  decrypt,
  decryptFile,
  encrypt,
  EncryptedFileError,
  readEncryptedFile,
  readSecretFile,
  SecretFileError,
  writeEncryptedFile,
  type EncryptionContext,
} from './files/encrypted-file.js';
export { FileWatcher } from './files/file-watcher.js';
export {
  FolderInUseError,
  acceptsConnections,
  lockFolder,
  lockSocketOf,
  withFolderLock,
  type Unlock,
} from './files/folder-lock.js';
export { readIfThere, readSystemFile, SYSTEM_FILE, type SystemDescription } from './files/system-file.js';

export { formatPasswordHash, parsePasswordHash } from './secrets/password-hash.js';
export { ClientAddressReader, toNetwork } from './network/client-address.js';
export type { LoginVerdict } from './secrets/attempt-scheduler.js';
export { RETRY_AFTER_MS, SecretVerifier } from './secrets/secret-verifier.js';
export { TokenBuckets } from './secrets/token-buckets.js';
export {
  generatedSecretHashSchema,
  generateSecret,
  hashGeneratedSecret,
  hashSecret,
  matchesSha256,
  verifySecret,
  secretHashSchema,
  type SecretHash,
} from './secrets/secret-hash.js';

export * from './cli/index.js';
export {
  eventAttributes,
  isTracing,
  startSpan,
  startTrace,
  type SpanAttributes,
  type TraceSpan,
} from './tracing/spans.js';
export { startTracing, type Tracing } from './tracing/start-tracing.js';
export { AgreedClock } from './clock/agreed-clock.js';
export {
  clockMetric,
  ClockMonitor,
  type ClockFaults,
  type ClockMonitorOptions,
} from './clock/clock-monitor.js';
