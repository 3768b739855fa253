export {
  findRedisProgram,
  PrivateRedisError,
  REDIS_PROGRAMS,
  startPrivateRedis,
  type PrivateRedis,
  type ServerObserver,
} from './private-server.js';
export { RefusedPasswordError } from './running-server.js';
export { ensurePassword, passwordFile } from './server-password.js';
