export {
  findRedisProgram,
  PrivateRedisError,
  startPrivateRedis,
  type PrivateRedis,
} from './private-server.js';
export { ensurePassword, passwordFile } from './server-password.js';
