export { createAuthority, loadAuthority, type Authority, type Credential } from './authority.js';
