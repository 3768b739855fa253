export { formatKeyRing, KeyRing, parseKeyRing, type KeyVersion } from './domain/key-ring.js';
export { activateRing, replaceRing, retireRing, rotateRing, type RingChange } from './domain/rotation.js';
export { FixedKeys, KeyRingFile, type KeySource } from './key-ring-file.js';
export { ContentAuthenticator, type Authentication } from './content-authenticator.js';
export { readAuthenticatedText, toAuthenticatedText } from './authenticated-text.js';
export { KEY_METRICS, observeKeys } from './key-metrics.js';
export { openGatewayPassword, parsePasswordRing, type GatewayPassword } from './gateway-password.js';
export { parseOriginKeyRing } from './origin-keys.js';
export { GATEWAY_ADMIN_NAME, GATEWAY_USER_NAME } from './folder/gateway-users.js';
export { fingerprintOf } from './folder/fingerprint.js';
export { ENCRYPTION_SECRET_FILE, KEY_FILES } from './folder/key-files.js';
export { ACCESS_ROLES, KEY_NAMES, type AccessRole, type KeyName } from './names.js';
export { KeyFolder, KeyFolderError, type KeyReport } from './folder/key-folder.js';
export {
  accessGrantSchema,
  isAccessName,
  type AccessCertificate,
  type AccessFileContent,
  type AccessGrant,
  type AccessToken,
  type OpenIdConnectAccess,
} from './api-access/access-schema.js';
export { AccessFileError, parseAccessFile, parseProfiles, type Profile } from './api-access/access-file.js';
export { addToken, removeToken } from './api-access/edit-access-file.js';
export {
  createAccessToken,
  findAccessToken,
  isExpired,
  isOwnToken,
  type NewToken,
} from './api-access/access-token.js';
export {
  createSignInLink,
  localOperator,
  renewSignInLink,
  signInAddress,
  SIGN_IN_LINK_LIFETIME_MS,
  takeSignInLink,
} from './api-access/sign-in-link.js';
