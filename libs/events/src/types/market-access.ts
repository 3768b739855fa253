import { toMarketTime } from '../envelope/market-time.js';
import type { FactDefinition } from '../definition.js';
import type { IdentityTemplates } from '../identity.js';
import { described, instant, integer, MAX_INT32, object, oneOf, text, type ValueOf } from './json-schema.js';
import { MARKET_INTERFACES } from './heartbeat.js';

/** Why an interface of the operator cannot be used. */
export const MARKET_ACCESS_CAUSES = [
  'certificate',
  'token',
  'forbidden',
  'server-error',
  'rate-limited',
  'no-response',
  'unusable-response',
] as const;
export type MarketAccessCause = (typeof MARKET_ACCESS_CAUSES)[number];

const properties = {
  interface: described(oneOf(...MARKET_INTERFACES), 'Interface of the operator.'),
  since: described(instant, 'The first of the failed polls; UTC.'),
  cause: described(
    oneOf(...MARKET_ACCESS_CAUSES),
    'certificate: the client certificate is refused or expired. token: no access token. forbidden: 401 or 403. server-error: 5xx. rate-limited: 429. no-response: no connection or no response in time. unusable-response: a response that breaks document 000.',
  ),
  detail: described(text(300), 'One sentence about the latest failure.'),
  allowedSeconds: described(
    integer(0, MAX_INT32),
    'How long the bridge waits before it announces this, seconds.',
  ),
} as const;

const unreachableData = object(properties);
const recoveredData = object({
  ...properties,
  recoveredAt: described(instant, 'The first successful poll; UTC.'),
});

export type MarketUnreachableData = ValueOf<typeof unreachableData>;
export type MarketRecoveredData = ValueOf<typeof recoveredData>;

const identity: IdentityTemplates = {
  key: '{interface}',
  version: '{since}',
  subject: '{participant}/market/{interface}',
};

export const marketUnreachable: FactDefinition<MarketUnreachableData> = {
  schema: unreachableData,
  identity,
  order: ({ since, allowedSeconds }) => ({
    sequence: BigInt(Date.parse(since)) * 10n,
    marketTime: toMarketTime(new Date(Date.parse(since) + allowedSeconds * 1_000)),
  }),
  announcesProblem: () => true,
  guide: {
    when: 'An interface of the operator refuses the bridge, or cannot be reached, for longer than allowed.',
    response:
      'Nothing new of this interface is read meanwhile: check the position or the settlement in another way. Fix the cause.',
    notRecovered: 'The start of an outage: after a loss of state it begins with the next failed poll.',
  },
};

export const marketRecovered: FactDefinition<MarketRecoveredData> = {
  schema: recoveredData,
  identity,
  order: ({ since, recoveredAt }) => ({
    sequence: BigInt(Date.parse(since)) * 10n + 1n,
    marketTime: toMarketTime(new Date(recoveredAt)),
  }),
  announcesProblem: () => false,
  guide: {
    when: 'After market.unreachable a request to the interface succeeded.',
    response: 'Facts that the operator published meanwhile follow as events of their own.',
    notRecovered: 'As for market.unreachable.',
  },
};
