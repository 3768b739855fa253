export { NoPostgresError, PostgresVersionError, PrivatePostgresError, RootRefusedError } from './errors.js';
export { findPostgresPrograms } from './programs.js';
export { removePostgresVariables } from './environment.js';
export { isAlive } from '../server-process.js';
export {
  startPrivatePostgres,
  STOP_SIGNALS,
  stopServerOn,
  type PrivatePostgres,
  type PrivatePostgresOptions,
} from './private-server.js';
