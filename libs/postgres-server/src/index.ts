export {
  findPostgresPrograms,
  NoPostgresError,
  PostgresVersionError,
  programsFor,
  type PostgresPrograms,
} from './programs.js';
export { isAlive } from './lock-file.js';
export {
  PrivatePostgresError,
  startPrivatePostgres,
  stopServerOn,
  type PrivatePostgres,
  type PrivatePostgresOptions,
} from './private-server.js';
