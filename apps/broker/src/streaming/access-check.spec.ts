import type { Change } from '../storage/redis/change-notifications.js';
import { isAffectedBy } from './access-check.js';

const named = { address: '0xab', session: 's', channels: ['a', 'b'] };
const all = { ...named, channels: undefined };

describe('a change', () => {
  it.each<[string, Change | undefined, boolean, boolean]>([
    ['of anything', undefined, true, true],
    ['of the identity', { kind: 'role', address: '0xab' }, true, true],
    ['of another identity', { kind: 'role', address: '0xac' }, false, false],
    ['of the session', { kind: 'session', session: 's' }, true, true],
    ['of another session', { kind: 'session', session: 't' }, false, false],
    ['of a named channel', { kind: 'channel', fqcn: 'b' }, true, true],
    ['of another channel', { kind: 'channel', fqcn: 'c' }, false, true],
  ])('%s affects the subscriptions that depend on it', (_, change, affectsNamed, affectsAll) => {
    expect([isAffectedBy(change, named), isAffectedBy(change, all)]).toEqual([affectsNamed, affectsAll]);
  });
});
