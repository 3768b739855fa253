import { ALERT_REASONS, isAlertReason, type EventType, type MarketAccessCause } from '@ssb/events';
import { deeperBy } from '../figures/figure-definitions.js';
import { formatAmount } from '../formats.js';
import type { Variant } from './text-variant.js';

const NOT_A_MARGIN_CALL = 'This is not a margin call of the operator.';
const CHANGED_THRESHOLDS = 'Your own thresholds have changed.';

const warning: Variant = ({ cause }) =>
  cause === 'thresholds'
    ? {
        title: 'Trading margin below the changed warning threshold',
        explanation: `${CHANGED_THRESHOLDS} By the new thresholds, the trading margin is below the warning threshold.`,
      }
    : {};

const breached: Variant = (data) => {
  switch (data.cause) {
    case 'deepened': {
      const amount = deeperBy(data);
      const fell = amount === undefined ? 'further' : `by another ${formatAmount(amount)}`;
      return {
        title: 'Breach of the trading margin has become deeper',
        explanation: `The trading margin was below your own breach threshold already, and has fallen ${fell} since it was announced. ${NOT_A_MARGIN_CALL}`,
        action: 'Provide more cash or credit support.',
      };
    }
    case 'thresholds':
      return {
        title: 'Trading margin below the changed breach threshold',
        explanation: `${CHANGED_THRESHOLDS} By the new thresholds, the trading margin is below the breach threshold. ${NOT_A_MARGIN_CALL}`,
      };
    default:
      return {};
  }
};

/** A margin that leaves the breach can still be a warning. Because of the hysteresis, it need not be below the warning threshold then. */
const restored: Variant = ({ level, cause }) => {
  const isChanged = cause === 'thresholds';
  const because = isChanged ? `${CHANGED_THRESHOLDS} There is no new calculation. ` : '';
  if (level === 'WARNING')
    return {
      title: isChanged
        ? 'Trading margin no longer a breach by the changed thresholds, still a warning'
        : 'Trading margin no longer a breach, still a warning',
      explanation: `${because}The trading margin has left the level of a breach for that of a warning.`,
      action: 'Continue to prepare cash or credit support.',
    };
  return isChanged
    ? {
        title: 'Trading margin above the changed warning threshold',
        explanation: `${because}By the new thresholds, the trading margin is above the warning threshold.`,
      }
    : {};
};

/** The explanation of a forecast, or of its end, for each method. */
const byMethod =
  (explanations: Readonly<Record<string, string>>): Variant =>
  ({ method = '' }) => {
    const explanation = explanations[method];
    return explanation === undefined ? {} : { explanation };
  };

const calculated: Variant = ({ isForecast }) =>
  isForecast
    ? {
        title: 'Prudential position forecast',
        explanation: 'The operator has calculated a forecast of the prudential position.',
      }
    : {};

const stale: Variant = ({ neverCalculated }) =>
  neverCalculated
    ? {
        title: 'No prudential calculation yet',
        explanation: 'The bridge has read no calculation of the operator since its first poll.',
        action:
          'Check the address and the account of the prudential interface. Request the reason from the operator.',
      }
    : {};

const resumed: Variant = ({ neverCalculated }) =>
  neverCalculated
    ? {
        title: 'First prudential calculation',
        explanation: 'The bridge has read the first calculation of the operator.',
        action: 'Rely on the margin from now on.',
      }
    : {};

const CAUSES: Readonly<Record<MarketAccessCause, string>> = {
  certificate:
    'An interface of the operator refuses the client certificate of the bridge, or that certificate has expired.',
  token: 'The bridge gets no access token for an interface of the operator.',
  forbidden: 'An interface of the operator refuses the bridge.',
  'server-error': 'An interface of the operator responds with errors.',
  'rate-limited': 'An interface of the operator refuses the bridge because of too many requests.',
  'no-response': 'An interface of the operator does not respond.',
  'unusable-response': 'The responses of an interface of the operator cannot be used.',
};

const unreachable: Variant = ({ cause = '' }) =>
  Object.hasOwn(CAUSES, cause)
    ? { explanation: `${CAUSES[cause as MarketAccessCause]} Nothing new of it is read.` }
    : {};

const fault: Variant = ({ reason, count = 1 }) => {
  const isOneFact = isAlertReason(reason) && !ALERT_REASONS[reason].clears;
  const occurred = count > 1 ? `, which has occurred ${count} times since it began` : '';
  const end = isOneFact ? 'It stays until a person closes it.' : 'Facts may arrive late until it has ended.';
  return { explanation: `The bridge itself has a fault${occurred}. ${end}` };
};

/** Of the events about the position, the access to the operator and the bridge. */
export const POSITION_VARIANTS: Readonly<Partial<Record<EventType, Variant>>> = {
  'settlementbus.position.calculated.v1': calculated,
  'settlementbus.position.stale.v1': stale,
  'settlementbus.position.resumed.v1': resumed,
  'settlementbus.margin.warning.v1': warning,
  'settlementbus.margin.breached.v1': breached,
  'settlementbus.margin.restored.v1': restored,
  'settlementbus.margin.breach-forecast.v1': byMethod({
    operator: 'A forecast calculation of the operator has a trading margin below your own breach threshold.',
    trend: 'By the trend of the last calculations, the trading margin falls below your own breach threshold.',
  }),
  'settlementbus.margin.forecast-cleared.v1': byMethod({
    operator: 'The bridge no longer forecasts a breach by the forecast calculations of the operator.',
    trend: 'The bridge no longer forecasts a breach by the trend of the last calculations.',
  }),
  'settlementbus.market.unreachable.v1': unreachable,
  'settlementbus.bridge.alert.raised.v1': fault,
};
