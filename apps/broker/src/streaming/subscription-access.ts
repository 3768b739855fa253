import { MAX_NAMED_CHANNELS, type ErrorDetail, type StreamFrame, type SubscribeRequest } from '@ssb/bus';
import { type Did, lowerCaseAddress } from '@ssb/identity';
import type { Channel } from '../channels/channel.js';
import { BusError } from '../errors/bus-error.js';
import { refusalError, type Refusal } from '../errors/refusal.js';
import type { PermissionService } from '../permissions/permission.service.js';
import { isAffectedBy, type Change, type SubscriptionScope } from '../storage/redis/change-notifications.js';
import { MAX_STARTS, TooManyStartsError } from '../storage/redis/reader-start.store.js';
import type { SessionStore } from '../storage/redis/session.store.js';
import type { ChannelRotation } from './channel-feeds.js';
import type { FrameWriter } from './frame-writer.js';
import { SessionLease } from './session-lease.js';

export interface ChannelUpdate {
  /** Frames for the client. */
  readonly frames: readonly StreamFrame[];
  /** Whether the subscription ends with these frames. */
  readonly ends: boolean;
}

const NO_UPDATE: ChannelUpdate = { frames: [], ends: false };

const TOO_MANY_STARTS = `This identity has ${MAX_STARTS} client ids that began with from. Use one of them again, or leave from out.`;

/** The one query that finds all channels costs about as much as this many lookups by name. */
const WEIGHT_OF_ALL_CHANNELS = 100;

/**
 * Decides which channels a subscription has: those that its identity may read, while it holds the session of its client id. Checked at the
 * start, after changes and before the session expires.
 */
export class SubscriptionAccess {
  /** Resolves after the first check, even if that failed and is retried. */
  readonly firstCheck: Promise<void>;
  isCheckDue = true;
  private readonly scope: SubscriptionScope;
  private readonly session: SessionLease;
  private resolveFirstCheck: () => void = () => undefined;

  constructor(
    private readonly did: Did,
    private readonly request: SubscribeRequest,
    private readonly rotation: ChannelRotation,
    private readonly writer: FrameWriter,
    private readonly permissions: PermissionService,
    sessions: SessionStore,
    private readonly onCheckDue: () => void,
  ) {
    const address = lowerCaseAddress(did);
    const session = JSON.stringify([address, request.clientId]);
    this.scope = { address, session, channels: request.fqcn };
    this.session = new SessionLease(sessions, session, () => this.requestCheck());
    this.firstCheck = new Promise((resolve) => (this.resolveFirstCheck = resolve));
  }

  requestCheck(): void {
    this.isCheckDue = true;
    this.onCheckDue();
  }

  /** Called after each change at any broker; undefined when anything may have changed. */
  notifyChanged(change: Change | undefined): void {
    if (isAffectedBy(change, this.scope)) this.requestCheck();
  }

  /**
   * Checks the permissions and the session, and sets the channels of the rotation.
   * @param signal aborted when the subscription ends
   * @throws EngineUnavailableError
   */
  async updateChannels(signal: AbortSignal): Promise<ChannelUpdate> {
    this.isCheckDue = false;
    const release = await this.writer.acquireAccessCheck(countLookups(this.request));
    try {
      return await this.checkAndSetChannels(signal);
    } finally {
      release();
      this.resolveFirstCheck();
    }
  }

  /** Releases the session. @throws EngineUnavailableError */
  async release(): Promise<void> {
    await this.session.release();
  }

  /** The signal is checked after each wait, because the client may leave while Redis is slow. */
  private async checkAndSetChannels(signal: AbortSignal): Promise<ChannelUpdate> {
    const { session, rotation } = this;
    const { subscription } = this.request;
    const end = (type: 'closed' | 'error', err: ErrorDetail): ChannelUpdate => ({
      frames: [{ type, subscription, err }],
      ends: true,
    });
    if (signal.aborted) return NO_UPDATE;
    const { channels, refusals, isFinal } = await this.findReadableChannels();
    if (signal.aborted) return NO_UPDATE;

    const [refusal] = refusals;
    if (!session.isTaken) {
      if (refusal) return end('error', toErrorDetail(refusal));
      await session.take();
    } else if (!(await session.confirm())) {
      const reason = 'A newer subscription of the same DID and client id took over.';
      return end('closed', new BusError('BUS::SUPERSEDED', reason).body().err);
    }
    if (signal.aborted) return NO_UPDATE;
    if (refusal && isFinal) return end('closed', toErrorDetail(refusal));

    let update: Awaited<ReturnType<ChannelRotation['setChannels']>>;
    try {
      update = await rotation.setChannels(channels);
    } catch (error) {
      if (!(error instanceof TooManyStartsError)) throw error;
      return end('error', new BusError('BUS::TOO_MANY_REQUESTS', TOO_MANY_STARTS).body().err);
    }
    const { changed, removed } = update;
    const frames: StreamFrame[] = refusals
      .filter((each) => 'fqcn' in each && removed.includes(each.fqcn))
      .map((each) => ({ type: 'error', subscription, err: toErrorDetail(each) }));
    if (changed) frames.push({ type: 'subscribed', subscription, channels: rotation.names });
    return { frames, ends: false };
  }

  /** The channels that the identity may read now: of those named in the request, or of all. */
  private async findReadableChannels(): Promise<ReadableChannels> {
    const { did, request, permissions } = this;
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
}

interface ReadableChannels {
  readonly channels: readonly Channel[];
  /** Why requested channels may not be read. */
  readonly refusals: readonly Refusal[];
  /** Whether the subscription must end: it has no readable channel, and a new channel would not change that. */
  readonly isFinal: boolean;
}

/** Number of channels that a check looks up, from 1 to the maximum of a request. */
function countLookups({ fqcn }: SubscribeRequest): number {
  return fqcn ? Math.min(MAX_NAMED_CHANNELS, Math.max(1, fqcn.length)) : WEIGHT_OF_ALL_CHANNELS;
}

function toErrorDetail(refusal: Refusal): ErrorDetail {
  return refusalError(refusal).body().err;
}
