import { ALL_PARTICIPANTS, isTestHeartbeat, type DetectedEvent } from '@ssb/events';
import type { FaultReporter } from '@ssb/faults';
import { findHeartbeatRoute, HEARTBEAT_TYPE, type OperatorConfig, type Route } from '@ssb/config';
import type { PublishResult } from '@ssb/redis-queue';
import { deadLetterFault } from './dead-letter-fault.js';

export type Heartbeat = DetectedEvent<typeof HEARTBEAT_TYPE>;

export function isHeartbeat(event: DetectedEvent): event is Heartbeat {
  return event.type === HEARTBEAT_TYPE;
}

/** A heartbeat that is older than this many intervals shows nothing. */
const MAX_INTERVALS = 3;

/** Whether a heartbeat is too old to count as alive. */
export function isTooOld({ detectedat, data }: Heartbeat, now: Date): boolean {
  return now.getTime() - Date.parse(detectedat) > MAX_INTERVALS * data.intervalMs;
}

export interface HeartbeatDependencies {
  readonly config: OperatorConfig;
  readonly faults: Pick<FaultReporter, 'raise' | 'clear'>;
  readonly now: Date;
}

/**
 * `channelMissing`: the gateway refused the message because the channel does not exist. `isRefused`: a heartbeat that is dropped because it
 * can never be published.
 */
export type SendResult = PublishResult & { readonly channelMissing?: boolean; readonly isRefused?: boolean };

/**
 * Publishes a heartbeat on the channel in its data, or drops it. A heartbeat that can never be published is a fault: of the channel when it
 * does not exist, otherwise of the heartbeat. The client of a test reads its result from the queue, so a test raises no fault.
 *
 * @param publishOn makes one attempt to publish the heartbeat on a route
 */
export async function publishHeartbeat(
  event: Heartbeat,
  { config, faults, now }: HeartbeatDependencies,
  publishOn: (route: Route) => Promise<SendResult>,
): Promise<SendResult> {
  const { channel } = event.data;
  if (isTooOld(event, now)) return { outcome: 'dropped', reason: 'it is older than three intervals' };
  const route = findHeartbeatRoute(config, channel);
  // The poller may read a changed CONFIG_FILE earlier or later. The subscriber reports a channel without heartbeats.
  if (route === undefined && !isTestHeartbeat(event)) return { outcome: 'retry', reason: NO_ROUTE };
  const result: SendResult =
    route === undefined ? { outcome: 'dead-letter', reason: NO_ROUTE } : await publishOn(route);
  const topic = { reason: 'channel-not-permitted', participant: ALL_PARTICIPANTS, channel } as const;
  switch (result.outcome) {
    case 'published':
      faults.clear(topic);
      return result;
    case 'dead-letter': {
      const { reason, channelMissing } = result;
      const dropped = { outcome: 'dropped', reason, isRefused: true } as const;
      if (isTestHeartbeat(event)) return dropped;
      if (channelMissing) faults.raise({ ...topic, detail: `Heartbeats cannot be published: ${reason}` });
      else faults.raise(deadLetterFault(config, event, channel, reason));
      return dropped;
    }
    case 'retry':
    case 'dropped':
      return result;
    default:
      return result satisfies never;
  }
}

const NO_ROUTE = 'CONFIG_FILE of the publisher has no route with this channel';
