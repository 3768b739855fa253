import type { ReceivedHeartbeat } from './heartbeat.js';

export interface ReadingContext {
  readonly now: Date;
  /** When this replica began to read the channels. */
  readonly readingSince: Date;
  /** Whether the stream of the subscriber's gateway is connected. */
  readonly connected: boolean;
}

export interface HeartbeatLimits {
  /** Longest time without a heartbeat. */
  readonly timeoutMs: number;
  /** How far the clock of a poller may be behind the subscriber's. */
  readonly clockToleranceMs: number;
}

export interface HeartbeatVerdict {
  readonly participant: string;
  readonly channel: string;
  /** `awaited`: this replica has not read long enough to decide. */
  readonly status: 'alive' | 'awaited' | 'missing';
  /** For `missing`: the last hop that is known to work. */
  readonly detail: string;
}

/** Evaluates every participant and channel of the configuration. */
export function evaluateHeartbeats(
  participants: readonly string[],
  channels: readonly string[],
  heartbeats: readonly ReceivedHeartbeat[],
  context: ReadingContext,
  limits: HeartbeatLimits,
): HeartbeatVerdict[] {
  const alive = heartbeats.filter((heartbeat) => isAlive(heartbeat, context.now, limits));
  const hasReadLongEnough = elapsedMs(context.readingSince, context.now) > limits.timeoutMs;
  return participants.flatMap((participant) =>
    channels.map((channel): HeartbeatVerdict => {
      const isOwn = (each: ReceivedHeartbeat): boolean =>
        each.participant === participant && each.channel === channel;
      if (alive.some(isOwn)) return { participant, channel, status: 'alive', detail: '' };
      if (!hasReadLongEnough) return { participant, channel, status: 'awaited', detail: '' };
      const newest = heartbeats.find(isOwn);
      const detail = describeLastHop({ participant, channel, newest, alive }, context, limits);
      return { participant, channel, status: 'missing', detail };
    }),
  );
}

/** The heartbeat's own time decides, so one that arrives late does not count. */
export function isAlive(
  { at, receivedAt }: Pick<ReceivedHeartbeat, 'at' | 'receivedAt'>,
  now: Date,
  { timeoutMs, clockToleranceMs }: HeartbeatLimits,
): boolean {
  return elapsedMs(receivedAt, now) <= timeoutMs && elapsedMs(at, now) <= timeoutMs + clockToleranceMs;
}

interface MissingHeartbeat {
  readonly participant: string;
  readonly channel: string;
  readonly newest: ReceivedHeartbeat | undefined;
  readonly alive: readonly ReceivedHeartbeat[];
}

function describeLastHop(
  { participant, channel, newest, alive }: MissingHeartbeat,
  { now, connected }: ReadingContext,
  { timeoutMs }: HeartbeatLimits,
): string {
  if (!connected)
    return "The stream of the subscriber's gateway is interrupted; the last hop that works is the subscriber.";
  if (newest !== undefined && elapsedMs(newest.receivedAt, now) <= timeoutMs) {
    const seconds = Math.round(elapsedMs(newest.at, now) / 1_000);
    return `Heartbeats arrive late, the newest is ${seconds} s old; messages wait between poller and subscriber, or the clock of the poller is behind.`;
  }
  if (alive.some((each) => each.participant === participant))
    return 'Other channels receive heartbeats, so poller, publisher and gateway work; check the rights and the route of this channel.';
  if (alive.some((each) => each.channel === channel))
    return 'Heartbeats of other participants arrive on this channel, so publisher, bus and gateway work; check the poller of this participant.';
  if (alive.length > 0)
    return 'Heartbeats of other participants arrive on other channels, so publisher, bus and gateway work; check the poller of this participant and the rights of this channel.';
  return "The gateway is connected, nothing arrives on any channel; the last hop that works is the subscriber's gateway.";
}

function elapsedMs(from: Date, to: Date): number {
  return to.getTime() - from.getTime();
}
