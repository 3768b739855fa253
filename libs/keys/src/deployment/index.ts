export { composeFiles, type ComposeFiles, type ConfigDids } from './compose-files.js';
export {
  createDeploymentFiles,
  DEPLOYMENT_FILES,
  ensureEncryptedKey,
  readDids,
  SANDBOX_TLS_FOLDER,
  type DeploymentDids,
  type DeploymentOptions,
} from './deployment-files.js';
export { buildSecrets, renderSecrets, type SecretsOptions } from './kubernetes-secrets.js';
export { redisAclLine, REDIS_USERS, type RedisUser } from './redis-users.js';
export {
  ensureSandboxCertificates,
  type CertificateOptions,
  type CredentialFiles,
  type SandboxCertificates,
} from './sandbox-certificates.js';
export { SecretsFolder, toWebhookSecret } from './secrets-folder.js';
