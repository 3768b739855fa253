import { createHash } from 'node:crypto';

const BRIDGE_COMMANDS =
  '-@all +@connection +@string +@hash +@list +@set +@sortedset +@stream -@dangerous +del +exists +pexpire +pttl +multi +exec +eval +evalsha +info +time +cluster|slots +cluster|info';

/** What each user of Redis may do, with the default prefixes. docs/operate/databases.md shows the same lines. */
const RIGHTS = {
  poller: `resetchannels ~{bridge}:poller:* ~{bridge}:backfill:* ~{bridge}:budget:* ~{bridge}:records:* ~{bridge}:alerts:poller* ~{bridge}:settlement-events:* ${BRIDGE_COMMANDS}`,
  'bus-publisher': `resetchannels ~{bridge}:settlement-events:* ~{bridge}:settlement-events-dead:* ~{bridge}:settlement-events-unverified:* ~{bridge}:alerts:bus-publisher* ~{bridge}:writable:bus-publisher ${BRIDGE_COMMANDS}`,
  broker:
    'resetchannels &broker:* ~broker:* -@all +@connection +@string +@hash +@sortedset +@stream -@dangerous +del +exists +pexpire +pttl +multi +exec +eval +evalsha +subscribe +unsubscribe +publish +info +time +cluster|slots +cluster|info',
  busbridge: `resetchannels %R~{bridge}:records:* ~{bridge}:settlement-events:* ${BRIDGE_COMMANDS}`,
  administrator: '~* &* +@all',
} as const;

export type RedisUser = keyof typeof RIGHTS;

export const REDIS_USERS = Object.keys(RIGHTS) as readonly RedisUser[];

/** The line of a user in an ACL file. It has the hash of the password. */
export function redisAclLine(user: RedisUser, password: string): string {
  const hash = createHash('sha256').update(password).digest('hex');
  return `user ${user} on #${hash} ${RIGHTS[user]}`;
}
