import { Inject, Injectable } from '@nestjs/common';
import { lowerCaseAddress, type Did } from '@ssb/identity';
import { SETTINGS } from '@ssb/platform';
import type { Channel } from '../channels/channel.js';
import type { Refusal } from '../errors/refusal.js';
import type { Settings } from '../settings.js';
import { ChangeNotifications, type Change } from '../storage/redis/change-notifications.js';
import { ChannelRepository } from '../storage/redis/channel.repository.js';
import { RoleRepository } from '../storage/redis/role.repository.js';
import {
  checkPermission,
  hasPermission,
  type Authorization,
  type Permission,
  type PermissionContext,
  type Principal,
} from './permissions.js';
import { TtlCache } from './ttl-cache.js';

export type UsableChannels =
  | { readonly ok: true; readonly channels: readonly Channel[] }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Decides who may use which channel. The methods with `Cached` use a cache that is at most a second old.
 * All other methods read Redis.
 */
@Injectable()
export class PermissionService {
  readonly userRole: string;
  private readonly cachedRoles: TtlCache<ReadonlySet<string>>;
  private readonly cachedChannels: TtlCache<Channel | undefined>;

  constructor(
    private readonly channels: ChannelRepository,
    private readonly roles: RoleRepository,
    notifications: ChangeNotifications,
    @Inject(SETTINGS) settings: Pick<Settings, 'USER_ROLE'>,
  ) {
    this.userRole = settings.USER_ROLE;
    const isNotified = () => notifications.isSubscribed;
    this.cachedRoles = new TtlCache((address) => roles.findApprovedRoles(address), isNotified);
    this.cachedChannels = new TtlCache((fqcn) => channels.find(fqcn), isNotified);
    notifications.onChanged((change) => this.evict(change));
  }

  /** Evicts what a change at any broker affects; undefined evicts every entry. */
  evict(change: Change | undefined): void {
    if (change === undefined || change.kind === 'role') this.cachedRoles.evict(change?.address);
    if (change === undefined || change.kind === 'channel') this.cachedChannels.evict(change?.fqcn);
  }

  async getPrincipal(did: Did): Promise<Principal> {
    const address = lowerCaseAddress(did);
    return { address, roles: await this.roles.findApprovedRoles(address) };
  }

  async getContext(did: Did, fqcn: string): Promise<PermissionContext> {
    const [principal, channel] = await Promise.all([this.getPrincipal(did), this.channels.find(fqcn)]);
    return { principal, userRole: this.userRole, channel };
  }

  /** May lack a recent change, so the caller confirms a refusal with `getContext`. */
  async getCachedContext(did: Did, fqcn: string): Promise<PermissionContext> {
    const address = lowerCaseAddress(did);
    const [roles, channel] = await Promise.all([
      this.cachedRoles.get(address),
      this.cachedChannels.get(fqcn),
    ]);
    return { principal: { address, roles }, userRole: this.userRole, channel };
  }

  async authorize(did: Did, permission: Permission, fqcn: string): Promise<Authorization> {
    return checkPermission(await this.getContext(did, fqcn), permission, fqcn);
  }

  /** Uses the cached context, and confirms a refusal with `authorize`. */
  async authorizeCached(did: Did, permission: Permission, fqcn: string): Promise<Authorization> {
    const cached = checkPermission(await this.getCachedContext(did, fqcn), permission, fqcn);
    return cached.ok ? cached : this.authorize(did, permission, fqcn);
  }

  /** Checks one permission on each channel. Without the user role it returns one refusal and reads no channel. */
  async authorizeEach(
    did: Did,
    permission: Permission,
    fqcns: readonly string[],
  ): Promise<readonly Authorization[]> {
    const principal = await this.getPrincipal(did);
    if (!principal.roles.has(this.userRole)) return [this.notEnrolled()];
    return Promise.all(
      fqcns.map(async (fqcn) => {
        const channel = await this.channels.find(fqcn);
        return checkPermission({ principal, userRole: this.userRole, channel }, permission, fqcn);
      }),
    );
  }

  /** The channels on which the identity has any of the permissions. */
  async findUsableChannels(did: Did, permissions: readonly Permission[]): Promise<UsableChannels> {
    const [principal, channels] = await Promise.all([this.getPrincipal(did), this.channels.findAll()]);
    if (!principal.roles.has(this.userRole)) return this.notEnrolled();
    return {
      ok: true,
      channels: channels.filter((channel) =>
        permissions.some((permission) => hasPermission(principal, permission, channel)),
      ),
    };
  }

  private notEnrolled() {
    return { ok: false, refusal: { kind: 'not-enrolled', role: this.userRole } } as const;
  }
}
