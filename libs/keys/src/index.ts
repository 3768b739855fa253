export {
  formatKeyRing,
  KeyRing,
  KeyRingError,
  MAX_KEYS,
  MIN_SECRET_LENGTH,
  parseKeyRing,
  type KeyVersion,
} from './domain/key-ring.js';
export {
  activateRing,
  replaceRing,
  retireRing,
  rotateRing,
  type KeyState,
  type RingChange,
  type RotationOptions,
} from './domain/rotation.js';
export { FixedKeys, KeyRingFile, type KeyRingFileOptions, type KeySource } from './key-ring-file.js';
export { ContentAuthenticator, type Authentication } from './content-authenticator.js';
export { readAuthenticatedText, toAuthenticatedText, type AuthenticatedText } from './authenticated-text.js';
export { KEY_METRICS, observeKeys, type KeyFileName } from './key-metrics.js';
export {
  openGatewayPassword,
  parsePasswordRing,
  type GatewayPassword,
  type GatewayPasswordSettings,
} from './gateway-password.js';
export { parseOriginKeyRing } from './origin-keys.js';
export { ensureGatewayAdmin, GATEWAY_ADMIN_NAME, GATEWAY_USER_NAME } from './folder/gateway-users.js';
export { fingerprintOf } from './folder/fingerprint.js';
export { ENCRYPTION_SECRET_FILE, KEY_FILES, KEY_NAMES, type KeyName } from './folder/key-files.js';
export { KeyFolder, KeyFolderError, type KeyReport, type VersionReport } from './folder/key-folder.js';
