import { isTestHeartbeat, MARKET_INTERFACES, type MarketInterface, type SignedEvent } from '@ssb/events';
import { HEARTBEAT_TYPE, listChannels, type OperatorConfig } from '@ssb/config';

/** How old the last successful poll of an interface was when the heartbeat was created. */
export interface PollAge {
  readonly intervalMs: number;
  /** Absent before the first successful poll. */
  readonly ageMs?: number;
}

export type PollAges = Readonly<Record<MarketInterface, PollAge>>;

/** What a heartbeat says. Both times of a poll's age are from the poller's clock. */
export interface Heartbeat {
  readonly at: Date;
  readonly polls: PollAges;
}

/** The newest heartbeat of a participant on a channel. */
export interface ReceivedHeartbeat extends Heartbeat {
  readonly participant: string;
  readonly channel: string;
  readonly receivedAt: Date;
}

export interface HeartbeatAge {
  readonly participant: string;
  readonly channel: string;
  readonly seconds: number;
}

/** Reads a verified event. @returns undefined unless it is a poller's heartbeat of a configured participant and channel */
export function readHeartbeat(event: SignedEvent, config: OperatorConfig): Heartbeat | undefined {
  if (isTestHeartbeat(event)) return undefined;
  const at = readHeartbeatTime(event, config);
  if (at === undefined) return undefined;
  const { polls } = (event as SignedEvent<typeof HEARTBEAT_TYPE>).data;
  const ages = MARKET_INTERFACES.map((name): [MarketInterface, PollAge] => {
    const { intervalMs, lastSuccess = '' } = polls[name];
    const ageMs = at.getTime() - Date.parse(lastSuccess);
    return [name, { intervalMs, ...(!Number.isNaN(ageMs) && { ageMs: Math.max(0, ageMs) }) }];
  });
  return { at, polls: Object.fromEntries(ages) as PollAges };
}

/** The time of a verified heartbeat that a test of the pipeline sent, of a configured participant and channel. */
export function readTestHeartbeat(event: SignedEvent, config: OperatorConfig): Date | undefined {
  return isTestHeartbeat(event) ? readHeartbeatTime(event, config) : undefined;
}

function readHeartbeatTime(event: SignedEvent, config: OperatorConfig): Date | undefined {
  if (event.type !== HEARTBEAT_TYPE) return undefined;
  if (!config.participants.some(({ code }) => code === event.participant)) return undefined;
  if (!listChannels(config).includes(event.channel)) return undefined;
  const at = new Date(event.time);
  return Number.isNaN(at.getTime()) ? undefined : at;
}
