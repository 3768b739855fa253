import type { Channel } from '../gateway/channel.js';
import type { Enrolment, RoleState } from '../gateway/identity.js';
import {
  concernsAccess,
  evaluateGatewayAccess,
  readGatewayAccess,
  type GatewayResponse,
} from './gateway-access.js';
import { GatewayError, GatewayUnreachableError, InvalidGatewayResponseError } from './gateway-errors.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const DID = `did:ethr:0x${'Ab'.repeat(20)}`;
const OTHER = `did:ethr:0x${'2'.repeat(40)}`;
const required = { channels: [CHANNEL], permission: 'publish' } as const;

const ok = <T>(value: T): GatewayResponse<T> => ({ ok: true, value });
const no = (error: Error): GatewayResponse<never> => ({ ok: false, error });
const refusal = (status: number, code: string) => no(new GatewayError(status, { code, reason: 'because' }));
const proxy = (status: number) => no(new InvalidGatewayResponseError(status, 'not JSON'));
const enrolled = (ready = true, user: RoleState = 'APPROVED') =>
  ok<Enrolment>({
    did: DID,
    state: { ready, waiting: !ready, roles: { user, messagebroker: 'NOT_WANTED' } },
  });
const listed = (...channels: Channel[]) => ok(channels);
const open: Channel = { fqcn: CHANNEL };

interface Case {
  health?: GatewayResponse<void>;
  channels?: GatewayResponse<Channel[]>;
  enrolment?: GatewayResponse<Enrolment>;
}

const evaluate = ({ health = ok(undefined), channels = listed(open), enrolment = enrolled() }: Case) =>
  evaluateGatewayAccess({ health, channels, enrolment }, required);

const ALL_CONFIRMED = [
  { reason: 'gateway-unreachable' },
  { reason: 'gateway-credentials-refused' },
  { reason: 'gateway-not-enrolled' },
  { reason: 'channel-not-permitted', channel: CHANNEL },
];

describe('a gateway permits everything', () => {
  it.each<[string, Case]>([
    ['with a channel for every holder of the user role', {}],
    ['with an empty list of publishers', { channels: listed({ ...open, publishers: [] }) }],
    ['with its identity among the publishers', { channels: listed({ ...open, publishers: [OTHER, DID] }) }],
    [
      'with another case and DID method',
      {
        channels: listed({ ...open, publishers: [`did:ethr:volta:0x${'aB'.repeat(20)}`] }),
      },
    ],
    [
      'with a role among the publishers',
      { channels: listed({ ...open, publishers: [OTHER, 'user.roles'] }) },
    ],
    [
      'to a user without the right "config"',
      {
        enrolment: refusal(403, 'REQ::FORBIDDEN'),
        channels: listed({ ...open, publishers: [OTHER] }),
      },
    ],
    ['without a balance, when the channels are readable', { enrolment: refusal(422, 'ID::NO_BALANCE') }],
    ['while the claims cannot be read', { enrolment: refusal(500, 'ID::FETCH_CLAIMS_FAILED') }],
    ['with another role that is not approved', { enrolment: enrolled(false) }],
    ['with a health response of its own', { health: proxy(200) }],
  ])('%s', (_, responses) => {
    expect(evaluate(responses)).toEqual({ problems: [], confirmed: ALL_CONFIRMED });
  });
});

describe('a clear response is a problem', () => {
  const unreachable = no(new GatewayUnreachableError('no response from the gateway'));
  it.each<[string, Case, string, RegExp]>([
    ['no response', { health: unreachable }, 'gateway-unreachable', /no response/],
    ['no broker', { health: refusal(502, 'BUS::REQUEST_FAILED') }, 'gateway-unreachable', /502/],
    ['a broker with issues', { health: refusal(503, 'BUS::UNHEALTHY') }, 'gateway-unreachable', /503/],
    ['a proxy without its gateway', { health: proxy(502) }, 'gateway-unreachable', /502/],
    [
      'a broker that fails later',
      { channels: refusal(502, 'BUS::REQUEST_FAILED') },
      'gateway-unreachable',
      /502/,
    ],
    [
      'a wrong password',
      { channels: refusal(401, 'REQ::UNAUTHENTICATED') },
      'gateway-credentials-refused',
      /user or password/,
    ],
    [
      'a wrong password at a proxy',
      { channels: proxy(401) },
      'gateway-credentials-refused',
      /user or password/,
    ],
    [
      'a wrong password and no channel list',
      { channels: proxy(404), enrolment: proxy(401) },
      'gateway-credentials-refused',
      /401/,
    ],
    [
      'a user without rights',
      { channels: refusal(403, 'REQ::FORBIDDEN') },
      'gateway-credentials-refused',
      /rights of the user/,
    ],
    [
      'no identity',
      { channels: refusal(403, 'BUS::FORBIDDEN'), enrolment: refusal(400, 'ID::NO_PRIVATE_KEY') },
      'gateway-not-enrolled',
      /has no identity/,
    ],
    [
      'no enrolment',
      { enrolment: enrolled(false, 'AWAITING_APPROVAL') },
      'gateway-not-enrolled',
      /AWAITING_APPROVAL/,
    ],
    ['a 403 of the bus', { channels: refusal(403, 'BUS::FORBIDDEN') }, 'gateway-not-enrolled', /because/],
    [
      'a login that the broker refuses',
      { channels: refusal(401, 'DSB::LOGIN_FAILED') },
      'gateway-not-enrolled',
      /because/,
    ],
    [
      'a login that the broker of the public gateway refuses',
      { channels: refusal(401, 'DSB::UNAUTHORIZED') },
      'gateway-not-enrolled',
      /because/,
    ],
    [
      'no right on a topic',
      { channels: refusal(401, 'DSB::TOPIC_UNAUTHORIZED') },
      'gateway-not-enrolled',
      /because/,
    ],
    [
      'an identity that is not enrolled',
      { channels: refusal(403, 'ID::NOT_ENROLED'), enrolment: refusal(403, 'ID::NOT_ENROLED') },
      'gateway-not-enrolled',
      /does not accept the gateway's identity/,
    ],
    [
      'an identity that is not enrolled, to a user without the right "config"',
      { channels: refusal(403, 'BUS::FORBIDDEN'), enrolment: refusal(403, 'REQ::FORBIDDEN') },
      'gateway-not-enrolled',
      /does not accept the gateway's identity/,
    ],
    [
      'a login that the broker refuses, to a user without the right "config"',
      { channels: refusal(401, 'DSB::UNAUTHORIZED'), enrolment: refusal(403, 'REQ::FORBIDDEN') },
      'gateway-not-enrolled',
      /does not accept the gateway's identity/,
    ],
    [
      'no identity, as the public gateway responds',
      { channels: refusal(403, 'ID::NO_PRIVATE_KEY'), enrolment: refusal(403, 'ID::NO_PRIVATE_KEY') },
      'gateway-not-enrolled',
      /has no identity/,
    ],
    [
      'an identity without balance',
      { channels: proxy(404), enrolment: refusal(422, 'ID::NO_BALANCE') },
      'gateway-not-enrolled',
      /NO_BALANCE/,
    ],
    [
      'a missing channel',
      { channels: listed({ fqcn: 'another' }) },
      'channel-not-permitted',
      /does not list the channel prudential/,
    ],
    [
      'other publishers',
      { channels: listed({ ...open, publishers: [OTHER] }) },
      'channel-not-permitted',
      /do not include/,
    ],
  ])('%s', (_, responses, reason, detail) => {
    const { problems, confirmed } = evaluate(responses);
    expect(problems).toEqual([expect.objectContaining({ reason, detail: expect.stringMatching(detail) })]);
    expect(confirmed.map((topic) => topic.reason)).not.toContain(reason);
  });
});

describe('an unclear response is not a problem', () => {
  it.each<[string, Case]>([
    ['a channel without a name', { channels: listed({ publishers: [OTHER] }) }],
    ['no operation for channels', { channels: proxy(404), enrolment: proxy(404) }],
  ])('%s', (_, responses) => {
    const { problems, confirmed } = evaluate(responses);
    expect(problems).toEqual([]);
    expect(confirmed).not.toContainEqual(expect.objectContaining({ channel: CHANNEL }));
  });

  it('a pause after wrong passwords', () => {
    const access = evaluate({ channels: refusal(429, 'REQ::TOO_MANY_REQUESTS') });
    expect(access).toEqual({
      problems: [],
      confirmed: [{ reason: 'gateway-unreachable' }],
      postponed: expect.stringContaining('429'),
    });
  });
});

it.each([
  ['the needed topic', [{ namespace: 'margin', schema: 'true' }], undefined],
  ['another topic only', [{ namespace: 'other', schema: 'true' }], /market has no topic margin/],
  ['no list of topics', undefined, undefined],
  ['an empty list of topics', [], undefined],
])('a channel with %s', (_name, topics, detail) => {
  const channel = { ...open, ...(topics && { topics }) };
  const topicsNeeded = [{ channel: CHANNEL, topic: 'margin' }];
  const { problems } = evaluateGatewayAccess(
    { health: ok(undefined), channels: listed(channel), enrolment: enrolled() },
    { ...required, topics: topicsNeeded },
  );
  expect(problems).toEqual(
    detail === undefined
      ? []
      : [
          {
            reason: 'channel-not-permitted',
            channel: CHANNEL,
            detail: expect.stringMatching(detail),
            isPartial: true,
          },
        ],
  );
});

it('evaluates the subscribers of a subscriber', () => {
  const channels = listed({ ...open, publishers: [DID], subscribers: [OTHER] });
  const responses = { health: ok(undefined), channels, enrolment: enrolled() };
  expect(evaluateGatewayAccess(responses, { ...required, permission: 'subscribe' }).problems).toHaveLength(1);
});

it('sends no second request with a password that was refused', async () => {
  const requests: string[] = [];
  const access = await readGatewayAccess(
    {
      health: async () => void requests.push('health'),
      channels: async () => {
        requests.push('channels');
        throw new GatewayError(401, { code: 'REQ::UNAUTHENTICATED', reason: 'no' });
      },
      enrolment: () => Promise.reject(new Error('not expected')),
    },
    required,
  );
  expect(requests).toEqual(['health', 'channels']);
  expect(access.problems[0]?.reason).toBe('gateway-credentials-refused');
});

describe('a failed request', () => {
  it.each<[string, unknown, boolean]>([
    ['without a response', new GatewayUnreachableError('x'), true],
    ['with an empty 401', new InvalidGatewayResponseError(401, 'x'), true],
    ['of an identity without balance', new GatewayError(422, { code: 'ID::NO_BALANCE', reason: 'r' }), true],
    ['that is refused', new GatewayError(422, { code: 'DSB::INVALID_PAYLOAD', reason: 'r' }), false],
    ['to a missing channel', new GatewayError(404, { code: 'DSB::CHANNEL_NOT_FOUND', reason: 'r' }), false],
  ])('%s is a reason to read the access again: %s', (_, error, expected) => {
    expect(concernsAccess(error)).toBe(expected);
  });
});
