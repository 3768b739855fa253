export {
  createAuthority,
  loadAuthority,
  type Authority,
  type AuthorityOptions,
  type Credential,
  type Holder,
  type IssueOptions,
} from './authority.js';
