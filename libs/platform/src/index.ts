export {
  defineSettings,
  type SettingDefinition,
  type SettingsDefinition,
  type SettingsOf,
} from './settings/define.js';
export { readSettings, SettingsError } from './settings/read.js';
export * from './settings/schemas.js';
export {
  commonSettings,
  configFileSettings,
  databaseSettings,
  gatewayClientSettings,
  optionalTlsServerSettings,
  queueSettings,
  redisSettings,
  tlsReloadSettings,
  tlsServerSettings,
  type CommonSettings,
} from './settings/common.js';
export { createLogger, LOGGER, type Logger, type LoggerOptions } from './logging/logger.js';
export type { LogFields } from './logging/log-fields.js';
export { ProblemException, type ProblemBody } from './http/problem.js';
export { InvalidRequestError, type RequestFault } from './http/invalid-request-error.js';
export { RequestValidationPipe } from './http/request-validation.pipe.js';
export type { AnswerFailure, FailureReply } from './http/answer-failure.js';
export { problemAnswers } from './http/problem-answers.js';
export { refuseUpgrade, type UpgradeRefusal } from './http/refuse-upgrade.js';
export { describeFailure, type FailureDescription } from './http/describe-failure.js';
export { answerInTime } from './observability/answer-in-time.js';
export { Metrics } from './observability/metrics.js';
export { Readiness, type ReadinessCheck, type ReadinessReport } from './observability/readiness.js';
export { sealToFile, unsealFromFile, SealedFileError } from './files/sealed-file.js';
export { seal, unseal, type Sealing } from './files/seal.js';
export { readSecretFile, SecretFileError } from './files/secret-file.js';
export { writeFileAtomically } from './files/atomic-write.js';
export { WatchedFiles, type WatchedFilesOptions } from './files/watched-files.js';
export { readServerTls, ServerTlsError, type ServerTlsSettings } from './http/server-tls.js';
export { ServerTlsReload } from './http/server-tls-reload.js';
export { GuessLimit, GUESS_LIMITS, type GuessLimitOptions } from './secrets/guess-limit.js';
export {
  generateSecret,
  hashSecret,
  isSecret,
  secretHashSchema,
  type SecretHash,
} from './secrets/secret-hash.js';
export { VerifiedSecrets } from './secrets/verified-secrets.js';
export { NoSlotError, WorkSlots } from './secrets/work-slots.js';
export { renderRow, renderTable } from './text/table.js';
export { whenOutputCloses } from './text/when-output-closes.js';
export { SETTINGS } from './platform.module.js';
export { runApp } from './lifecycle/run-app.js';
export {
  buildApp,
  type AppOptions,
  type BuiltApp,
  type Companion,
  type Listener,
} from './lifecycle/build-app.js';
