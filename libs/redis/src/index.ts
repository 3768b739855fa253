export { connectRedis, type ConnectOptions } from './connect.js';
export {
  explainConnectionError,
  RedisDatabaseError,
  RedisRefusedError,
  RedisUnavailableError,
} from './connection-errors.js';
export { checkDurability, UnsafeRedisError } from './durability.js';
export { requireDatabase } from './require-database.js';
export { RedisNotWritableError, requireWritableRedis } from './writable.js';
export { readRedisClock } from './redis-clock.js';
