import type { Change } from '../storage/redis/change-notifications.js';
import { concerns } from './subscription.js';

const named = { address: '0xab', session: 's', channels: ['a', 'b'] };
const all = { ...named, channels: undefined };

describe('a change', () => {
  it.each<[string, Change | undefined, boolean, boolean]>([
    ['that may have been any', undefined, true, true],
    ['of the identity', { kind: 'role', address: '0xab' }, true, true],
    ['of another identity', { kind: 'role', address: '0xac' }, false, false],
    ['of the session', { kind: 'session', session: 's' }, true, true],
    ['of another session', { kind: 'session', session: 't' }, false, false],
    ['of a named channel', { kind: 'channel', fqcn: 'b' }, true, true],
    ['of another channel', { kind: 'channel', fqcn: 'c' }, false, true],
  ])('%s is looked at by those whom it can concern', (_, change, thoseNamed, everyone) => {
    expect([concerns(change, named), concerns(change, all)]).toEqual([thoseNamed, everyone]);
  });
});
