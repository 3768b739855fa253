export { API_ACCESS_FILE, API_TOKEN_FILE, ensureApiAccess, SIGN_IN_LINK_FILE } from './api-access.js';
export { ALERT_RECEIVERS, composeFiles, type ComposeFiles } from './compose-files.js';
export {
  createDeploymentFiles,
  DEPLOYMENT_FILES,
  ensureEncryptedKey,
  readDids,
  SANDBOX_TLS_FOLDER,
} from './deployment-files.js';
export { buildSecrets, renderSecrets, type SecretsOptions } from './kubernetes-secrets.js';
export {
  ensureSandboxCertificates,
  type CredentialFiles,
  type SandboxCertificates,
} from './sandbox-certificates.js';
export { SecretsFolder, toWebhookSecret } from './secrets-folder.js';
