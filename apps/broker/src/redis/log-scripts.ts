import { LuaScript } from './lua-script.js';

/**
 * Append: repeat? → add and trim → remember → wake.
 * KEYS: log, sent, newest. ARGV: duplicate window ms, retention ms, log's life ms, newest's life ms, pub/sub topic, fqcn, fields…
 * Each entry names the one before it (`after`), so that a reader sees whether anything between went. The newest id outlives the log.
 * Returns {id, 1 when repeated}. Trimming is approximate (whole nodes), so reading hides what is too old.
 */
export const APPEND = new LuaScript(`
local first = redis.call('GET', KEYS[2])
if first then return {first, 1} end
local time = redis.call('TIME')
local oldest = time[1] * 1000 + math.floor(time[2] / 1000) - ARGV[2]
local before = redis.call('GET', KEYS[3]) or '0-0'
local id = redis.call('XADD', KEYS[1], 'MINID', '~', string.format('%d', math.max(0, oldest)), '*', 'after', before, unpack(ARGV, 7))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[3], id, 'PX', ARGV[4])
redis.call('SET', KEYS[2], id, 'PX', ARGV[1])
redis.call('PUBLISH', ARGV[5], ARGV[6])
return {id, 0}
`);

/**
 * Moves a reader's position forward only.
 * KEYS: positions. ARGV: reader, stream id, key life ms. Returns 1 when it moved.
 */
export const MOVE_POSITION = new LuaScript(`
local function parts(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end
local current = redis.call('HGET', KEYS[1], ARGV[1])
if current then
  local oldMs, oldSeq = parts(current)
  local newMs, newSeq = parts(ARGV[2])
  if newMs < oldMs or (newMs == oldMs and newSeq <= oldSeq) then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`);
