export {
  createAuthority,
  loadAuthority,
  type Authority,
  type AuthorityOptions,
  type CertificateSubject,
  type Credential,
  type IssueOptions,
} from './authority.js';
export { createPkcs12 } from './pkcs12.js';
