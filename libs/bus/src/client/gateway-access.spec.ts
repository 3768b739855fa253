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
  const publishers = (...names: string[]): Case => ({ channels: listed({ ...open, publishers: names }) });
  it.each<[string, Case]>([
    ['with a channel for every holder of the user role', {}],
    ['with an empty list of publishers', publishers()],
    ['with its identity among the publishers', publishers(OTHER, DID)],
    ['with another case and DID method', publishers(`did:ethr:volta:0x${'aB'.repeat(20)}`)],
    ['with a role among the publishers', publishers(OTHER, 'user.roles')],
    ['to a user without "config"', { ...publishers(OTHER), enrolment: refusal(403, 'REQ::FORBIDDEN') }],
    ['without a balance, when the channels are readable', { enrolment: refusal(422, 'ID::NO_BALANCE') }],
    ['while the claims cannot be read', { enrolment: refusal(500, 'ID::FETCH_CLAIMS_FAILED') }],
    ['with another role that is not approved', { enrolment: enrolled(false) }],
    ['with a health response of its own', { health: proxy(200) }],
  ])('%s', (_, responses) => {
    expect(evaluate(responses)).toEqual({ problems: [], confirmed: ALL_CONFIRMED });
  });
});

describe('a clear response is a problem', () => {
  const channels = (status: number, code: string): Case => ({ channels: refusal(status, code) });
  const notAllowed = refusal(403, 'REQ::FORBIDDEN');
  type Row = readonly [detail: RegExp, Case];
  it.each<[reason: string, Readonly<Record<string, Row>>]>([
    [
      'gateway-unreachable',
      {
        'no response': [/no response/, { health: no(new GatewayUnreachableError('no response')) }],
        'no broker': [/502/, { health: refusal(502, 'BUS::REQUEST_FAILED') }],
        'a broker with issues': [/503/, { health: refusal(503, 'BUS::UNHEALTHY') }],
        'a proxy without its gateway': [/502/, { health: proxy(502) }],
        'a broker that fails later': [/502/, channels(502, 'BUS::REQUEST_FAILED')],
      },
    ],
    [
      'gateway-credentials-refused',
      {
        'a wrong password': [/user or password/, channels(401, 'REQ::UNAUTHENTICATED')],
        'the same at a proxy': [/user or password/, { channels: proxy(401) }],
        'the same without a channel list': [/401/, { channels: proxy(404), enrolment: proxy(401) }],
        'a user without rights': [/rights of the user/, channels(403, 'REQ::FORBIDDEN')],
      },
    ],
    [
      'gateway-not-enrolled',
      {
        'no identity': [
          /has no identity/,
          { ...channels(403, 'BUS::FORBIDDEN'), enrolment: refusal(400, 'ID::NO_PRIVATE_KEY') },
        ],
        'no identity, as the public gateway responds': [
          /has no identity/,
          { ...channels(403, 'ID::NO_PRIVATE_KEY'), enrolment: refusal(403, 'ID::NO_PRIVATE_KEY') },
        ],
        'no enrolment': [/AWAITING_APPROVAL/, { enrolment: enrolled(false, 'AWAITING_APPROVAL') }],
        'a 403 of the bus': [/because/, channels(403, 'BUS::FORBIDDEN')],
        'a login that the broker refuses': [/because/, channels(401, 'DSB::LOGIN_FAILED')],
        'the same at the public gateway': [/because/, channels(401, 'DSB::UNAUTHORIZED')],
        'no right on a topic': [/because/, channels(401, 'DSB::TOPIC_UNAUTHORIZED')],
        'an identity that is not enrolled': [
          /does not accept the gateway's identity/,
          { ...channels(403, 'ID::NOT_ENROLED'), enrolment: refusal(403, 'ID::NOT_ENROLED') },
        ],
        'the same, to a user without "config"': [
          /does not accept the gateway's identity/,
          { ...channels(403, 'BUS::FORBIDDEN'), enrolment: notAllowed },
        ],
        'a refused login, to a user without "config"': [
          /does not accept the gateway's identity/,
          { ...channels(401, 'DSB::UNAUTHORIZED'), enrolment: notAllowed },
        ],
        'no balance': [/NO_BALANCE/, { channels: proxy(404), enrolment: refusal(422, 'ID::NO_BALANCE') }],
      },
    ],
    [
      'channel-not-permitted',
      {
        'a missing channel': [/does not list the channel prud/, { channels: listed({ fqcn: 'another' }) }],
        'other publishers': [/do not include/, { channels: listed({ ...open, publishers: [OTHER] }) }],
      },
    ],
  ])('%s', (reason, rows) => {
    for (const [name, [detail, responses]] of Object.entries(rows)) {
      const { problems, confirmed } = evaluate(responses);
      const expected = expect.objectContaining({ reason, detail: expect.stringMatching(detail) });
      expect([name, problems]).toEqual([name, [expected]]);
      expect(confirmed.map((topic) => topic.reason)).not.toContain(reason);
    }
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
