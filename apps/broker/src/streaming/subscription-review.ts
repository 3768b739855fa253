import { MOST_NAMED_CHANNELS, type ErrorDetail, type StreamFrame, type SubscribeRequest } from '@ssb/bus';
import { BusError, refusalError } from '../errors/bus-error.js';
import type { Channel } from '../channels/channel.js';
import type { Refusal } from '../errors/refusal.js';
import type { SubscriptionContext } from './subscription.js';

/** What a review found: frames for the client, and whether the subscription ends with them. */
export interface Finding {
  readonly frames: readonly StreamFrame[];
  readonly ends: boolean;
}

const NOTHING: Finding = { frames: [], ends: false };

/** Every channel is found by one query for all of them; that weighs as much as looking for so many by name. */
const WEIGHT_OF_ALL = 100;

/** How many channels a review looks up, at least 1 and at most MOST_NAMED_CHANNELS. */
export function reviewWeight({ fqcn }: SubscribeRequest): number {
  return fqcn ? Math.min(MOST_NAMED_CHANNELS, Math.max(1, fqcn.length)) : WEIGHT_OF_ALL;
}

/**
 * Is this still the newest subscription of its client, and which channels may it read now? Its feeds follow these. Whether it goes on is
 * checked after each wait, as a client may leave while Redis is slow.
 * @throws EngineUnavailableError
 */
export async function review(context: SubscriptionContext): Promise<Finding> {
  const { request, hold, feeds, wanted } = context;
  const { subscription } = request;
  const end = (type: 'closed' | 'error', err: ErrorDetail): Finding => ({
    frames: [{ type, subscription, err }],
    ends: true,
  });
  if (!wanted()) return NOTHING;
  const { channels, refused, ends } = await readableChannels(context);
  if (!wanted()) return NOTHING;
  const [refusal] = refused;
  if (!hold.taken) {
    if (refusal) return end('error', refusalDetail(refusal));
    await hold.take();
  } else if (!(await hold.confirm())) {
    const reason = 'A newer subscription of the same DID and client id took over.';
    return end('closed', new BusError('BUS::SUPERSEDED', reason).body().err);
  }
  if (!wanted()) return NOTHING;
  if (refusal && ends) return end('closed', refusalDetail(refusal));

  const { changed, lost } = await feeds.follow(channels);
  const frames: StreamFrame[] = refused
    .filter((each) => 'fqcn' in each && lost.includes(each.fqcn))
    .map((each) => ({ type: 'error', subscription, err: refusalDetail(each) }));
  if (changed) frames.push({ type: 'subscribed', subscription, channels: feeds.names });
  return { frames, ends: false };
}

function refusalDetail(refusal: Refusal): ErrorDetail {
  return refusalError(refusal).body().err;
}

interface ReadableChannels {
  readonly channels: readonly Channel[];
  /** Why channels that were requested by name (or all of them) may not be read. */
  readonly refused: readonly Refusal[];
  /** Nothing is left to read, nor will a channel made later change that. */
  readonly ends: boolean;
}

/** The channels that a subscription may read at this moment: those named, or every one (then also those made later). */
async function readableChannels({ did, request, parts }: SubscriptionContext): Promise<ReadableChannels> {
  const { directory } = parts;
  if (request.fqcn === undefined) {
    const usable = await directory.usable(did, ['subscribe']);
    if (usable.ok) return { channels: usable.channels, refused: [], ends: false };
    return { channels: [], refused: [usable.refusal], ends: true };
  }
  const admissions = await directory.admitEach(did, 'subscribe', [...new Set(request.fqcn)]);
  const channels = admissions.flatMap((each) => (each.ok ? [each.channel] : []));
  const refused = admissions.flatMap((each) => (each.ok ? [] : [each.refusal]));
  return { channels, refused, ends: channels.length === 0 };
}
