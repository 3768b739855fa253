export { NoPostgresError, PostgresVersionError, PrivatePostgresError, RootRefusedError } from './errors.js';
export { findPostgresPrograms, programsFor, type PostgresPrograms } from './programs.js';
export { removePostgresVariables } from './environment.js';
export { isAlive } from './lock-file.js';
export {
  startPrivatePostgres,
  stopServerOn,
  type PrivatePostgres,
  type PrivatePostgresOptions,
} from './private-server.js';
