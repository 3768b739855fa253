import type { PublishRequest } from '@ssb/bus';
import { parseDid } from '@ssb/identity';
import type { Channel } from '../channels/channel.js';
import type { Fqcn } from '../channels/names.js';
import type { PermissionContext } from '../permissions/permissions.js';
import { acceptMessage, type MessageChecks } from './accept-message.js';

const fqcn = 'a.channels.b.apps.c.iam.d' as Fqcn;
const userRole = 'user.roles.b.apps.c.iam.d';
const sender = parseDid(`did:ethr:0x${'ab'.repeat(20)}`);
const principal = { address: `0x${'ab'.repeat(20)}`, roles: new Set([userRole]) };
const message: PublishRequest = { fqcn, topic: 't', payload: '12345678', signature: '0x01' };
const channel: Channel = {
  fqcn,
  topics: [{ namespace: 't', schema: '{}' }],
  admins: [],
  publishers: [sender],
  maxMsgAge: 1,
  maxMsgSize: 8,
  createdBy: 'did:ethr:0xcd',
  createdDateTime: '2026-01-01T00:00:00.000Z',
};
const checks: MessageChecks = {
  validatePayload: () => Promise.resolve([]),
  verifySignature: () => Promise.resolve({ ok: true }),
};

/** The changes that make a valid message invalid. */
interface Fault {
  readonly message?: Partial<PublishRequest>;
  readonly context?: Partial<PermissionContext>;
  readonly channel?: Partial<Channel>;
  readonly checks?: Partial<MessageChecks>;
}

// One fault for each check, in the order of the checks.
const notEnrolled: Fault = { context: { principal: { ...principal, roles: new Set<string>() } } };
const noChannel: Fault = { context: { channel: undefined } };
const noPermission: Fault = { channel: { publishers: ['did:ethr:0xef'] } };
const noTopic: Fault = { message: { topic: 'other' } };
const tooLarge: Fault = { channel: { maxMsgSize: 7 } };
const mismatch: Fault = {
  checks: { validatePayload: () => Promise.resolve([{ path: '/a', message: 'is missing' }]) },
};
const forged: Fault = {
  checks: { verifySignature: () => Promise.resolve({ ok: false, reason: 'signer-mismatch' }) },
};

function accept(...faults: Fault[]) {
  const context = Object.assign(
    { principal, userRole, channel: Object.assign({}, channel, ...faults.map((each) => each.channel)) },
    ...faults.map((each) => each.context),
  ) as PermissionContext;
  const posted = Object.assign({}, message, ...faults.map((each) => each.message)) as PublishRequest;
  const applied = Object.assign({}, checks, ...faults.map((each) => each.checks)) as MessageChecks;
  return acceptMessage(posted, sender, context, applied);
}

describe('a posted message', () => {
  it('is accepted when every check succeeds', async () => {
    expect(await accept()).toEqual({ ok: true, channel, topic: 't' });
  });

  it.each<[string, Fault, object]>([
    ['a sender who is not enrolled', notEnrolled, { kind: 'not-enrolled', role: userRole }],
    ['an unknown channel', noChannel, { kind: 'channel-unknown', fqcn }],
    ['a sender without the permission', noPermission, { kind: 'no-right', right: 'publish', fqcn }],
    ['an unknown topic', noTopic, { kind: 'topic-unknown', fqcn, topic: 'other' }],
    ['a payload that is too large', tooLarge, { kind: 'too-large', size: 8, limit: 7 }],
    [
      'a payload that breaks the schema',
      mismatch,
      { kind: 'schema-mismatch', topic: 't', problems: [{ path: '/a', message: 'is missing' }] },
    ],
    ['a wrong signature', forged, { kind: 'bad-signature', reason: 'signer-mismatch', sender }],
  ])('is refused for %s', async (_, fault, refusal) => {
    expect(await accept(fault)).toEqual({ ok: false, refusal });
  });

  it.each<[string, Fault[]]>([
    ['not-enrolled', [notEnrolled, noPermission, noTopic, tooLarge, mismatch, forged]],
    ['no-right', [noPermission, noTopic, tooLarge, mismatch, forged]],
    ['topic-unknown', [noTopic, tooLarge, mismatch, forged]],
    ['too-large', [tooLarge, mismatch, forged]],
    ['schema-mismatch', [mismatch, forged]],
  ])('is refused as %s when every later check fails as well', async (kind, faults) => {
    expect(await accept(...faults)).toMatchObject({ refusal: { kind } });
  });

  it.each<[string, Partial<Channel>, boolean]>([
    [
      'is accepted without a topic on a channel with the topic `default`',
      { topics: [{ namespace: 'default', schema: '{}' }] },
      true,
    ],
    ['is accepted without a topic on a channel without topics', { topics: [] }, true],
    ['is refused without a topic on a channel with other topics only', {}, false],
  ])('%s', async (_, change, ok) => {
    expect((await accept({ message: { topic: undefined }, channel: change })).ok).toBe(ok);
  });
});
