import type { SubscribeRequest } from '@ssb/bus';
import { type Did, lowerCaseAddress } from '@ssb/identity';
import type { PermissionService } from '../permissions/permission.service.js';
import type { Change } from '../storage/redis/change-notifications.js';
import type { SessionStore } from '../storage/redis/session.store.js';
import {
  checkAccess,
  getAccessCheckWeight,
  isAffectedBy,
  type AccessCheckResult,
  type SubscriptionScope,
} from './access-check.js';
import type { ChannelRotation } from './channel-feeds.js';
import type { FrameWriter } from './frame-writer.js';
import { SessionLease } from './session-lease.js';

/** The permissions and the session of one subscription. They are checked at its start, after changes and before the session expires. */
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

  /** Checks once, and updates the channels of the rotation. @param signal aborted when the subscription ends */
  async check(signal: AbortSignal): Promise<AccessCheckResult> {
    this.isCheckDue = false;
    const { did, request, session, rotation, permissions } = this;
    const release = await this.writer.acquireAccessCheck(getAccessCheckWeight(request));
    try {
      return await checkAccess({ did, request, session, rotation, permissions, signal });
    } finally {
      release();
      this.resolveFirstCheck();
    }
  }

  /** Releases the session. @throws EngineUnavailableError */
  async release(): Promise<void> {
    await this.session.release();
  }
}
