export { connectRedis, type ConnectOptions } from './connect.js';
export { checkDurability, UnsafeRedisError } from './durability.js';
