export { runApp } from './lifecycle/run-app.js';
export { ConfigurationError, type StartFault } from './lifecycle/configuration-error.js';
export { EXIT_CONFIGURATION } from './lifecycle/start-failure.js';
export {
  buildApp,
  type AppOptions,
  type BuiltApp,
  type ListenOptions,
  type SecondaryServer,
} from './lifecycle/build-app.js';
export { SETTINGS } from './platform.module.js';

export {
  defineSettings,
  readSettings,
  SettingsError,
  type SettingDefinition,
  type SettingsDefinition,
  type SettingsOf,
} from './settings/settings.js';
export * from './settings/schemas.js';
export {
  clockSettings,
  commonSettings,
  configFileSettings,
  databaseSettings,
  gatewayClientSettings,
  operationsWebhookSettings,
  optionalTlsServerSettings,
  queueSettings,
  redisSettings,
  tlsReloadSettings,
  tlsServerSettings,
  type CommonSettings,
} from './settings/common.js';

export { createLogger, LOGGER, type Logger, type LoggerOptions } from './logging/logger.js';
export type { LogFields } from './logging/log-fields.js';
export { Degradations, type Degradation } from './observability/degradations.js';
export { Metrics } from './observability/metrics.js';
export {
  Readiness,
  withProbeTimeout,
  type ReadinessCheck,
  type ReadinessReport,
} from './observability/readiness.js';

export { InvalidRequestError, ProblemException, type RequestFault } from './http-errors/problem-exception.js';
export {
  describeError,
  problemResponder,
  type ErrorDescription,
  type ErrorResponder,
  type HttpReply,
} from './http-errors/error-responses.js';
export { refuseUpgrade, type UpgradeRefusal } from './http-errors/refuse-upgrade.js';
export { RequestValidationPipe } from './validation/request-validation.pipe.js';
export { readServerTls, ServerTlsError, type ServerTlsSettings } from './tls/server-tls.js';
export { ServerTlsReload } from './tls/server-tls-reload.js';

export { writeFileAtomically } from './files/atomic-write.js';
export {
  ConfiguredFileError,
  parseConfiguredFile,
  readCaFile,
  readConfiguredFile,
  requireCertificate,
} from './files/configured-file.js';
export {
  decrypt,
  encrypt,
  EncryptedFileError,
  readEncryptedFile,
  readSecretFile,
  SecretFileError,
  writeEncryptedFile,
  type EncryptionContext,
} from './files/encrypted-file.js';
export { FileWatcher, type FileWatcherOptions } from './files/file-watcher.js';

export { ConcurrencyLimiter, TooManyTasksError } from './secrets/concurrency-limiter.js';
export { LOGIN_LIMITS, LoginThrottle, type LoginThrottleOptions } from './secrets/login-throttle.js';
export {
  generateSecret,
  hashSecret,
  verifySecret,
  secretHashSchema,
  VerifiedSecretCache,
  type SecretHash,
} from './secrets/secret-hash.js';

export { exitWhenOutputCloses, renderRow, renderTable } from './cli/output.js';
