import type { Channel } from '../channels/channel.js';
import type { Fqcn } from '../channels/names.js';
import { canManage, memberHasAddress, hasPermission } from './permissions.js';

const role = 'feed.roles.b.apps.c.iam.d';
const base: Channel = {
  fqcn: 'a.channels.b.apps.c.iam.d' as Fqcn,
  topics: [],
  admins: ['did:ethr:0xAD'],
  maxMsgAge: 1,
  maxMsgSize: 1,
  createdBy: 'did:ethr:0xCE',
  createdDateTime: '2026-01-01T00:00:00.000Z',
};

describe('the permission on a channel', () => {
  it.each<[string, readonly string[] | undefined, readonly string[], boolean]>([
    ['there is no list of members', undefined, [], true],
    ['its DID is listed', ['did:ethr:0xab'], [], true],
    ['its DID is listed in another case', ['did:ethr:0xAB'], [], true],
    ['its DID is listed with a network part', ['did:ethr:volta:0xAb'], [], true],
    ['another DID is listed', ['did:ethr:0xabc'], [], false],
    ['a role that it holds is listed', ['did:ethr:0x01', role], [role], true],
    ['a role that it does not hold is listed', [role], ['other'], false],
  ])('when %s', (_, publishers, roles, expected) => {
    const channel = { ...base, ...(publishers && { publishers }) };
    expect(hasPermission({ address: '0xab', roles: new Set(roles) }, 'publish', channel)).toBe(expected);
  });

  it('differs between publishing and subscribing', () => {
    const channel = { ...base, publishers: ['did:ethr:0xab'], subscribers: ['did:ethr:0xcd'] };
    const principal = { address: '0xab', roles: new Set<string>() };
    expect([
      hasPermission(principal, 'publish', channel),
      hasPermission(principal, 'subscribe', channel),
    ]).toEqual([true, false]);
  });

  it.each([
    ['its creator', '0xce', true],
    ['an admin', '0xad', true],
    ['another identity', '0xab', false],
  ])('to manage it: %s', (_, address, expected) => {
    expect(canManage({ address, roles: new Set() }, base)).toBe(expected);
  });

  it('does not take a role name that ends in an address for a DID', () => {
    expect(memberHasAddress('role:0xab', '0xab')).toBe(false);
  });
});
