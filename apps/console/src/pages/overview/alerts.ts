import type { LiveEvent } from '../../api/live.js';

/** An alert that arrived while the page is open. */
export interface Alert {
  readonly eventId: string;
  readonly participant: string;
  readonly severity: 'warning' | 'critical';
  readonly what: string;
  /** As the event has it. */
  readonly at: string;
  readonly margin?: string;
  /** The threshold that the margin is below. */
  readonly threshold?: string;
}

const TYPES: Readonly<Record<string, string>> = {
  'margin.breached': 'margin breached',
  'margin.warning': 'margin below the warning threshold',
  'credit-support.short': 'credit support below the credit limit',
  'margin.breach-forecast': 'breach of the margin forecast',
  'market.unreachable': 'operator unreachable',
};

/** Events that end an alert, and the alerts that they end. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  'margin.restored': ['margin.breached', 'margin.warning'],
  'credit-support.restored': ['credit-support.short'],
  'margin.forecast-cleared': ['margin.breach-forecast'],
  'market.recovered': ['market.unreachable'],
};

/** The alert to show after an event: a new one, the present one, or none once it has ended. */
export function nextAlert(present: Alert | undefined, event: LiveEvent): Alert | undefined {
  const type = shortType(event.type);
  // A late event is not about the present.
  if (TYPES[type] !== undefined && event.severity !== 'info' && !event.marks.includes('late'))
    return isBehind(event, present) ? present : toAlert(type, event);
  const isEnd =
    present?.participant === event.participant &&
    ENDS[type]?.some((ended) => TYPES[ended] === present.what) === true;
  return isEnd ? undefined : present;
}

/** A warning does not hide a critical alert of another participant. */
const isBehind = (event: LiveEvent, present: Alert | undefined): boolean =>
  present?.severity === 'critical' &&
  event.severity !== 'critical' &&
  event.participant !== present.participant;

function toAlert(type: string, { id, participant, severity, time, event }: LiveEvent): Alert {
  const { tradingMargin, thresholds, breach } = (event['data'] ?? {}) as {
    readonly tradingMargin?: string;
    readonly breach?: string;
    readonly thresholds?: { readonly warning: string; readonly breach: string };
  };
  const threshold = type === 'margin.warning' ? thresholds?.warning : (thresholds?.breach ?? breach);
  return {
    eventId: id,
    participant,
    severity: severity === 'critical' ? 'critical' : 'warning',
    what: TYPES[type] ?? type,
    at: time,
    ...(typeof tradingMargin === 'string' && { margin: tradingMargin }),
    ...(typeof threshold === 'string' && { threshold }),
  };
}

const shortType = (type: string): string => type.replace(/^settlementbus\.(.+)\.v\d+$/, '$1');
