import { findAccess, mergeChannel } from './channels.js';

const wanted = {
  fqcn: 'c.channels.a.apps.o.iam.market',
  topics: [{ namespace: 'ours.v1', schema: '{"type":"object","required":["a"]}' }],
  publishers: ['did:ethr:0xAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  subscribers: ['did:ethr:0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb'],
  maxMsgSize: 1_000,
};
const others = { namespace: 'others.v1', schema: '{}' };

describe('an existing channel', () => {
  it.each([
    ['has everything, written in another way', {}],
    [
      'permits every user and a larger message',
      { publishers: [], subscribers: undefined, maxMsgSize: 2_000 },
    ],
  ])('stays as it is when it %s', (_, differences) => {
    const existing = {
      ...wanted,
      topics: [others, { namespace: 'ours.v1', schema: '{ "required": ["a"], "type": "object" }' }],
      publishers: ['did:ethr:volta:0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'did:ethr:0x1'],
      ...differences,
    };
    expect(mergeChannel(existing, wanted)).toBeUndefined();
  });

  it.each([
    ['without them', '{"type":"object"}', true],
    ['with the same', '{"$id":"urn:a","$schema":"draft-07","type":"object"}', true],
    ['with another $id', '{"$id":"urn:b","type":"object"}', false],
    ['with another type', '{"type":"array"}', false],
  ])('of a bus that removes $schema and $id has the schema %s: %s', (_, schema, isSame) => {
    const own = '{"$schema":"draft-07","$id":"urn:a","type":"object"}';
    const topics = [{ namespace: 'ours.v1', schema: own }];
    const existing = { ...wanted, topics: [{ namespace: 'ours.v1', schema }] };
    expect(mergeChannel(existing, { ...wanted, topics }) === undefined).toBe(isSame);
  });

  it('without topics still accepts any payload on its only topic', () => {
    expect(mergeChannel({ ...wanted, topics: [] }, wanted)).toEqual({
      fqcn: wanted.fqcn,
      topics: [{ namespace: 'default', schema: 'true' }, ...wanted.topics],
    });
  });

  it('gets a topic with another schema, a member and a limit, and keeps those of others', () => {
    const existing = {
      fqcn: wanted.fqcn,
      topics: [{ namespace: 'ours.v1', schema: '{}' }, others],
      publishers: ['did:ethr:0x1'],
      subscribers: wanted.subscribers,
      maxMsgSize: 999,
    };
    expect(mergeChannel(existing, wanted)).toEqual({
      fqcn: wanted.fqcn,
      topics: [others, ...wanted.topics],
      publishers: ['did:ethr:0x1', ...wanted.publishers],
      maxMsgSize: 1_000,
    });
  });
});

describe('a reader', () => {
  const did = 'did:ethr:0xAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  it.each([
    ['member', [did.toLowerCase(), 'did:ethr:0x1']],
    ['missing', ['did:ethr:0x1']],
    ['open', []],
    ['open', undefined],
  ])('is %s on a channel with the subscribers %j', (access, subscribers) => {
    expect(findAccess({ subscribers }, did)).toBe(access);
  });
});
