export { createAuthority, loadAuthority, type Authority, type Credential } from './authority.js';
export { createPkcs12 } from './pkcs12.js';
