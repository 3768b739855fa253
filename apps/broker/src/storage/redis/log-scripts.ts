import { LuaScript } from './redis-engine.js';

/** Removes whole stream nodes that are past the retention, some thousand entries at most. */
const TRIM = `
local function trim(log, retention)
  local time = redis.call('TIME')
  local oldest = time[1] * 1000 + math.floor(time[2] / 1000) - retention
  return redis.call('XTRIM', log, 'MINID', '~', string.format('%d', math.max(0, oldest)))
end
`;

/**
 * Appends messages in one step, then trims the log and publishes a notification.
 * Each entry names the one before it (`after`), so that a reader detects removed entries.
 *
 * - KEYS: log, newest; for each message: `sent`
 * - ARGV: retention ms, lifetime of log ms, lifetime of newest ms, pub/sub topic, fqcn;
 *   for each message: duplicate window ms, number of field names and values, field names and values
 * - Returns for each message: {id, 1 when repeated}
 */
export const APPEND = new LuaScript(`${TRIM}
local newest = redis.call('GET', KEYS[2]) or '0-0'
local replies = {}
local added = false
local at = 6
for number = 3, #KEYS do
  local window, count = ARGV[at], tonumber(ARGV[at + 1])
  local id = redis.call('GET', KEYS[number])
  if id then
    replies[#replies + 1] = {id, 1}
  else
    id = redis.call('XADD', KEYS[1], '*', 'after', newest, unpack(ARGV, at + 2, at + 1 + count))
    redis.call('SET', KEYS[number], id, 'PX', window)
    replies[#replies + 1] = {id, 0}
    newest = id
    added = true
  end
  at = at + 2 + count
end
if added then
  trim(KEYS[1], ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('SET', KEYS[2], newest, 'PX', ARGV[3])
  redis.call('PUBLISH', ARGV[4], ARGV[5])
end
return replies
`);

/**
 * Removes entries past the retention from a log. KEYS: log. ARGV: retention ms.
 * A full Redis refuses APPEND at its first write but allows this script, so it runs before APPEND is retried.
 */
export const TRIM_LOG = new LuaScript(`${TRIM}
return trim(KEYS[1], ARGV[1])
`);

/** Offsets that one move checks for expiry. */
const EXPIRY_SAMPLE = 8;

/**
 * Moves a reader's offset forward only, and removes some expired offsets.
 * An offset is stored as `<stream id>|<expiry, epoch ms>`.
 *
 * - KEYS: offsets
 * - ARGV: reader, stream id, lifetime of an offset ms
 * - Returns 1 when it moved
 */
export const MOVE_OFFSET = new LuaScript(`
-- A stream id as two numbers, as Redis compares them.
local function split(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function id(stored) return string.match(stored, '^[^|]+') end
local function expired(stored) return tonumber(string.match(stored, '%d+$')) <= now end
local current = redis.call('HGET', KEYS[1], ARGV[1])
if current and not expired(current) then
  local oldMs, oldSeq = split(id(current))
  local newMs, newSeq = split(ARGV[2])
  if newMs < oldMs or (newMs == oldMs and newSeq <= oldSeq) then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. '|' .. string.format('%d', now + ARGV[3]))
local sample = redis.call('HRANDFIELD', KEYS[1], ${EXPIRY_SAMPLE}, 'WITHVALUES')
for at = 1, #sample, 2 do
  if expired(sample[at + 1]) then redis.call('HDEL', KEYS[1], sample[at]) end
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`);
