import { MAX_NAMED_CHANNELS, type ErrorDetail, type StreamFrame, type SubscribeRequest } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import type { Channel } from '../channels/channel.js';
import { BusError } from '../errors/bus-error.js';
import { refusalError, type Refusal } from '../errors/refusal.js';
import type { PermissionService } from '../permissions/permission.service.js';
import type { Change } from '../storage/redis/change-notifications.js';
import type { ChannelRotation } from './channel-feeds.js';
import type { SessionLease } from './session-lease.js';

/** The subscription to check. */
export interface AccessCheckContext {
  readonly did: Did;
  readonly request: SubscribeRequest;
  readonly session: SessionLease;
  readonly rotation: ChannelRotation;
  readonly permissions: PermissionService;
  /** Aborted when the subscription ends. */
  readonly signal: AbortSignal;
}

export interface AccessCheckResult {
  /** Frames for the client. */
  readonly frames: readonly StreamFrame[];
  /** Whether the subscription ends with these frames. */
  readonly ends: boolean;
}

const NO_CHANGE: AccessCheckResult = { frames: [], ends: false };

/** The one query that finds all channels costs about as much as this many lookups by name. */
const WEIGHT_OF_ALL_CHANNELS = 100;

/** Number of channels that a check looks up, from 1 to the maximum of a request. */
export function getAccessCheckWeight({ fqcn }: SubscribeRequest): number {
  return fqcn ? Math.min(MAX_NAMED_CHANNELS, Math.max(1, fqcn.length)) : WEIGHT_OF_ALL_CHANNELS;
}

/**
 * Checks the permissions and the session of a subscription, and updates its channels.
 * The signal is checked after each wait, because the client may leave while Redis is slow.
 * @throws EngineUnavailableError
 */
export async function checkAccess(context: AccessCheckContext): Promise<AccessCheckResult> {
  const { request, session, rotation, signal } = context;
  const { subscription } = request;
  const end = (type: 'closed' | 'error', err: ErrorDetail): AccessCheckResult => ({
    frames: [{ type, subscription, err }],
    ends: true,
  });
  if (signal.aborted) return NO_CHANGE;
  const { channels, refusals, isFinal } = await findReadableChannels(context);
  if (signal.aborted) return NO_CHANGE;

  const [refusal] = refusals;
  if (!session.isTaken) {
    if (refusal) return end('error', toErrorDetail(refusal));
    await session.take();
  } else if (!(await session.confirm())) {
    const reason = 'A newer subscription of the same DID and client id took over.';
    return end('closed', new BusError('BUS::SUPERSEDED', reason).body().err);
  }
  if (signal.aborted) return NO_CHANGE;
  if (refusal && isFinal) return end('closed', toErrorDetail(refusal));

  const { changed, removed } = await rotation.setChannels(channels);
  const frames: StreamFrame[] = refusals
    .filter((each) => 'fqcn' in each && removed.includes(each.fqcn))
    .map((each) => ({ type: 'error', subscription, err: toErrorDetail(each) }));
  if (changed) frames.push({ type: 'subscribed', subscription, channels: rotation.names });
  return { frames, ends: false };
}

function toErrorDetail(refusal: Refusal): ErrorDetail {
  return refusalError(refusal).body().err;
}

interface ReadableChannels {
  readonly channels: readonly Channel[];
  /** Why requested channels may not be read. */
  readonly refusals: readonly Refusal[];
  /** Whether the subscription must end: it has no readable channel, and a new channel would not change that. */
  readonly isFinal: boolean;
}

/** The channels that the identity may read now: of those named in the request, or of all. */
async function findReadableChannels({
  did,
  request,
  permissions,
}: AccessCheckContext): Promise<ReadableChannels> {
  if (request.fqcn === undefined) {
    const usable = await permissions.findUsableChannels(did, ['subscribe']);
    if (usable.ok) return { channels: usable.channels, refusals: [], isFinal: false };
    return { channels: [], refusals: [usable.refusal], isFinal: true };
  }
  const authorizations = await permissions.authorizeEach(did, 'subscribe', [...new Set(request.fqcn)]);
  const channels = authorizations.flatMap((each) => (each.ok ? [each.channel] : []));
  const refusals = authorizations.flatMap((each) => (each.ok ? [] : [each.refusal]));
  return { channels, refusals, isFinal: channels.length === 0 };
}

/** The data that a subscription depends on. */
export interface SubscriptionScope {
  /** Address of the identity, in lower case. */
  readonly address: string;
  readonly session: string;
  /** Undefined: every channel. */
  readonly channels: readonly string[] | undefined;
}

/** Whether a change can affect a subscription. Undefined: anything may have changed. */
export function isAffectedBy(change: Change | undefined, scope: SubscriptionScope): boolean {
  switch (change?.kind) {
    case undefined:
      return true;
    case 'role':
      return change.address === scope.address;
    case 'session':
      return change.session === scope.session;
    case 'channel':
      return scope.channels === undefined || scope.channels.includes(change.fqcn);
  }
}
