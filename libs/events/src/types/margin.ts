import type { EventGuide, FactDefinition } from '../definition.js';
import type { IdentityTemplates } from '../identity.js';
import { decimal, described, integer, MAX_INT32, object, oneOf, type ValueOf } from './json-schema.js';
import {
  ACTUAL_CALCULATION_KEY,
  calculatedAt,
  orderOfCalculation,
  outstandingAmount,
  rowDigest,
  thresholdTransition,
  tradingDay,
  tradingMargin,
} from './position-properties.js';

/** Level of a trading margin against the participant's own thresholds, best first. It is not the market's margin call. */
export const MARGIN_LEVELS = ['OK', 'WARNING', 'BREACHED'] as const;
export type MarginLevel = (typeof MARGIN_LEVELS)[number];

type MarginEventType =
  | 'settlementbus.margin.warning.v1'
  | 'settlementbus.margin.breached.v1'
  | 'settlementbus.margin.restored.v1';

/** How urgent the participant wants an event to be. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

const thresholds = object(
  {
    warning: described(decimal, 'Below this the margin is a warning, AUD.'),
    breach: described(decimal, 'Below this the margin is breached, AUD.'),
    hysteresis: described(decimal, 'How far above a threshold the margin must rise to leave its level, AUD.'),
    method: described(
      oneOf('amount', 'share'),
      'amount: all thresholds are set as amounts. share: at least one is a share of the trading limit.',
    ),
    tradingLimit: described(
      decimal,
      'The trading limit that shares were computed from, AUD.',
      'operation 1, tradingLimit',
    ),
    deepeningStep: described(decimal, 'A breach is announced again when the margin fell by so much, AUD.'),
    minDurationSeconds: described(
      integer(0, MAX_INT32),
      'How long a worse level must last before it is announced, seconds.',
    ),
  },
  ['method', 'tradingLimit', 'deepeningStep', 'minDurationSeconds'],
);

const properties = {
  tradingDay,
  calculatedAt,
  level: oneOf(...MARGIN_LEVELS),
  previousLevel: oneOf(...MARGIN_LEVELS),
  tradingMargin,
  outstandingAmount,
  thresholds: described(thresholds, 'The thresholds in force, as amounts.'),
  digest: rowDigest,
  transition: thresholdTransition,
  cause: described(
    oneOf('calculation', 'thresholds', 'deepened'),
    'calculation: a calculation reached the level. thresholds: the thresholds changed. deepened: a breach became deeper.',
  ),
  previousMargin: described(
    decimal,
    'The margin that was announced before, AUD; only when a breach deepened.',
  ),
  severity: described(oneOf(...SEVERITIES), 'How urgent the participant wants this event to be.'),
} as const;

const OPTIONAL = [
  'outstandingAmount',
  'digest',
  'transition',
  'cause',
  'previousMargin',
  'severity',
] as const;

const marginData = object(properties, OPTIONAL);

/** The trading margin crossed a threshold, or a breach deepened. Amounts are AUD decimal strings; times are zone-less market time. */
export type MarginData = ValueOf<typeof marginData>;

/**
 * A worse level gives the type of that level; every better level gives `restored`. A breach may be announced again.
 * @throws RangeError when a level other than BREACHED did not change
 */
export function marginEventType(previous: MarginLevel, level: MarginLevel): MarginEventType {
  if (level === 'BREACHED') return 'settlementbus.margin.breached.v1';
  if (level === previous) throw new RangeError(`The margin level did not change: ${level}`);
  if (MARGIN_LEVELS.indexOf(level) < MARGIN_LEVELS.indexOf(previous))
    return 'settlementbus.margin.restored.v1';
  return 'settlementbus.margin.warning.v1';
}

/** One event for each level that a calculation reaches under the thresholds in force. Rereading the calculation gives the same id. */
const identity: IdentityTemplates = {
  key: ACTUAL_CALCULATION_KEY,
  version:
    '{level}|{thresholds.warning:amount}|{thresholds.breach:amount}|{thresholds.hysteresis:amount}|[{thresholds.method}]|{transition:count}',
  subject: '{participant}/prudential',
};

const LEVELS: Readonly<
  Record<MarginEventType, { readonly from: readonly MarginLevel[]; readonly to: readonly MarginLevel[] }>
> = {
  'settlementbus.margin.warning.v1': { from: ['OK'], to: ['WARNING'] },
  'settlementbus.margin.breached.v1': { from: ['OK', 'WARNING', 'BREACHED'], to: ['BREACHED'] },
  'settlementbus.margin.restored.v1': { from: ['WARNING', 'BREACHED'], to: ['OK', 'WARNING'] },
};

function defineMargin(
  type: MarginEventType,
  guide: Pick<EventGuide, 'when' | 'response'>,
): FactDefinition<MarginData> {
  const { from, to } = LEVELS[type];
  return {
    schema: object(
      {
        ...properties,
        level: described(
          oneOf(...to),
          "Level against the participant's own thresholds. It is not a margin call.",
        ),
        previousLevel: described(oneOf(...from), 'The level before.'),
      },
      OPTIONAL,
    ),
    identity,
    // A later calculation has a higher sequence.
    order: (data) => orderOfCalculation(data, data.transition),
    announcesProblem: ({ level }) => level !== 'OK',
    ...(type === 'settlementbus.margin.breached.v1' && { urgent: true as const }),
    guide: {
      ...guide,
      notRecovered:
        'Changes that were decided on calculations before the trading days that a start without saved state reads (PRUDENTIAL_RECOVERY_DAYS), and changes of thresholds: they are not facts of the operator. A breach or warning that began earlier is announced with the first calculation that is read, so under another id. After a loss of the state, a change that thresholds cause can have an id that was used before, so it may be dropped as a duplicate.',
    },
  };
}

export const marginWarning = defineMargin('settlementbus.margin.warning.v1', {
  when: 'The trading margin is below the warning threshold and was not before, by a new calculation or new thresholds. With `margin.minDuration`, once that has lasted for this duration.',
  response: 'Check the coming trading days, and prepare cash or credit support.',
});
export const marginBreached = defineMargin('settlementbus.margin.breached.v1', {
  when: 'The trading margin is below the breach threshold, or a breach became deeper by the configured step.',
  response:
    'Provide cash or credit support. The threshold is your own: this event is not a demand of the operator.',
});
export const marginRestored = defineMargin('settlementbus.margin.restored.v1', {
  when: 'The trading margin left a level for a better one.',
  response:
    'At level OK, end the measures that the earlier event started. At level WARNING, continue with those of a warning.',
});
