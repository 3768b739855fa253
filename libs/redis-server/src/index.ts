export { findRedisProgram, REDIS_PROGRAMS } from './find-program.js';
export { PrivateRedisError, startPrivateRedis, type PrivateRedis } from './private-server.js';
