import type { Channel } from '../channels/channel.js';
import type { Fqcn } from '../channels/names.js';
import { holdsRight, isDidOf, mayManage } from './permissions.js';

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

describe('the right on a channel', () => {
  it.each<[string, readonly string[] | undefined, readonly string[], boolean]>([
    ['nobody is named', undefined, [], true],
    ['its DID is named', ['did:ethr:0xab'], [], true],
    ['its DID is named in another case', ['did:ethr:0xAB'], [], true],
    ['its DID is named with a network part', ['did:ethr:volta:0xAb'], [], true],
    ['another DID is named', ['did:ethr:0xabc'], [], false],
    ['a role that it holds is named', ['did:ethr:0x01', role], [role], true],
    ['a role that it does not hold is named', [role], ['other'], false],
  ])('when %s', (_, publishers, roles, holds) => {
    const channel = { ...base, ...(publishers && { publishers }) };
    expect(holdsRight({ address: '0xab', roles: new Set(roles) }, 'publish', channel)).toBe(holds);
  });

  it('is one for publishing and another for subscribing', () => {
    const channel = { ...base, publishers: ['did:ethr:0xab'], subscribers: ['did:ethr:0xcd'] };
    const who = { address: '0xab', roles: new Set<string>() };
    expect([holdsRight(who, 'publish', channel), holdsRight(who, 'subscribe', channel)]).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    ['its creator', '0xce', true],
    ['an admin', '0xad', true],
    ['anybody else', '0xab', false],
  ])('to manage is for %s', (_, address, may) => {
    expect(mayManage({ address, roles: new Set() }, base)).toBe(may);
  });

  it('does not take a role name that ends in an address for a DID', () => {
    expect(isDidOf('role:0xab', '0xab')).toBe(false);
  });
});
