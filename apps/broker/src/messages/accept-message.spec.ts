import type { PublishRequest } from '@ssb/bus';
import { accept, type AcceptContext } from './accept-message.js';
import type { Channel } from '../channels/channel.js';
import type { Fqcn } from '../channels/names.js';
import type { Principal } from '../permissions/permissions.js';

const fqcn = 'a.channels.b.apps.c.iam.d' as Fqcn;
const userRole = 'user.roles.b.apps.c.iam.d';
const sender: Principal = { address: '0xab', roles: new Set([userRole]) };
const message: PublishRequest = { fqcn, topic: 't', payload: '12345678', signature: '0x01' };
const channel: Channel = {
  fqcn,
  topics: [{ namespace: 't', schema: '{}' }],
  admins: [],
  publishers: ['did:ethr:0xAB'],
  maxMsgAge: 1,
  maxMsgSize: 8,
  createdBy: 'did:ethr:0xcd',
  createdDateTime: '2026-01-01T00:00:00.000Z',
};
const did = 'did:ethr:0xAB';
const context: AcceptContext = {
  userRole,
  channel,
  did,
  check: () => Promise.resolve([]),
  signatureProblem: () => Promise.resolve(undefined),
};

// In the order of the checks: each case breaks one thing, and every later check would fail as well.
const notEnrolled = { who: { ...sender, roles: new Set<string>() } };
const noChannel = { context: { channel: undefined } };
const noRight = { channel: { publishers: ['did:ethr:0xef'] } };
const noTopic = { message: { topic: 'other' } };
const tooLarge = { channel: { maxMsgSize: 7 } };
const mismatch = { context: { check: () => Promise.resolve([{ path: '/a', message: 'is missing' }]) } };
const forged = { context: { signatureProblem: () => Promise.resolve('signer-mismatch') } };

interface Break {
  readonly who?: Principal;
  readonly message?: Partial<PublishRequest>;
  readonly channel?: Partial<Channel>;
  readonly context?: Partial<AcceptContext>;
}

function decide(...breaks: Break[]) {
  const whole = Object.assign({}, channel, ...breaks.map((each) => each.channel)) as Channel;
  const posted = Object.assign({}, message, ...breaks.map((each) => each.message)) as PublishRequest;
  const around = Object.assign(
    {},
    context,
    { channel: whole },
    ...breaks.map((each) => each.context),
  ) as AcceptContext;
  return accept(posted, breaks.find(({ who }) => who)?.who ?? sender, around);
}

describe('accepting a message', () => {
  it('takes one that breaks nothing', async () => {
    expect(await decide()).toEqual({ ok: true, channel, topic: 't' });
  });

  it.each<[string, Break, object]>([
    ['a sender who is not enrolled', notEnrolled, { kind: 'not-enrolled', role: userRole }],
    ['an unknown channel', noChannel, { kind: 'channel-unknown', fqcn }],
    ['a sender without the right', noRight, { kind: 'no-right', right: 'publish', fqcn }],
    ['an unknown topic', noTopic, { kind: 'topic-unknown', fqcn, topic: 'other' }],
    ['a payload that is too large', tooLarge, { kind: 'too-large', size: 8, limit: 7 }],
    [
      'a payload against the schema',
      mismatch,
      { kind: 'schema-mismatch', topic: 't', problems: [{ path: '/a', message: 'is missing' }] },
    ],
    ['a wrong signature', forged, { kind: 'bad-signature', reason: 'signer-mismatch', sender: did }],
  ])('refuses %s', async (_, broken, refusal) => {
    expect(await decide(broken)).toEqual({ ok: false, refusal });
  });

  it.each<[string, Break[]]>([
    ['not-enrolled', [notEnrolled, noRight, noTopic, tooLarge, mismatch, forged]],
    ['no-right', [noRight, noTopic, tooLarge, mismatch, forged]],
    ['topic-unknown', [noTopic, tooLarge, mismatch, forged]],
    ['too-large', [tooLarge, mismatch, forged]],
    ['schema-mismatch', [mismatch, forged]],
  ])('names %s when all that comes later is wrong as well', async (kind, breaks) => {
    expect(await decide(...breaks)).toMatchObject({ refusal: { kind } });
  });

  it('counts bytes of UTF-8, not characters', async () => {
    expect(await decide({ message: { payload: 'äöüß€' } })).toMatchObject({
      refusal: { kind: 'too-large', size: 11 },
    });
  });

  it.each<[string, Partial<Channel>, boolean]>([
    [
      'the topic default of a channel that has it',
      { topics: [{ namespace: 'default', schema: '{}' }] },
      true,
    ],
    ['the free topic default of a channel without topics', { topics: [] }, true],
    ['no topic of a channel that has others alone', {}, false],
  ])('takes a message without a topic for %s', async (_, change, ok) => {
    expect((await decide({ message: { topic: undefined }, channel: change })).ok).toBe(ok);
  });
});
