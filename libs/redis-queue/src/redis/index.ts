// An entry point of its own, for apps that need no queue.
export {
  AuthenticatedHash,
  type DiscardedValue,
  type Fence,
  type HashReading,
} from './authenticated-hash.js';
export { connectRedis, type ConnectOptions } from './connect.js';
export { onConnectionError, watchServer } from './connection-events.js';
export { type RedisConnection, type RedisSettings, settingOf } from './servers.js';
export {
  explainConnectionError,
  isWrongTypeError,
  type RedisConnectionError,
  RedisDatabaseError,
  RedisUnavailableError,
} from './connection-errors.js';
export { assertDatabase, checkDurability, UnsafeRedisError } from './durability.js';
export { assertWritableRedis } from './writable.js';
export { readRedisClock } from './redis-clock.js';
export { reportUnreadableRedis } from './unreadable-redis.js';
