export {
  createAuthority,
  loadAuthority,
  type Authority,
  type AuthorityOptions,
  type CertificateSubject,
  type Credential,
  type IssueOptions,
} from './authority.js';
