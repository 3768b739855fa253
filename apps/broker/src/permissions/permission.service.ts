import { Inject, Injectable } from '@nestjs/common';
import { identityOf, type Did } from '@ssb/identity';
import { SETTINGS } from '@ssb/platform';
import type { Channel } from '../channels/channel.js';
import type { Refusal } from '../errors/refusal.js';
import { holdsRight, mayUse, type Right, type Standing } from './permissions.js';
import { ChannelRegister } from '../storage/redis/channel.repository.js';
import { Notices, type Change } from '../storage/redis/change-notifications.js';
import { RoleRegister } from '../storage/redis/role.repository.js';
import { Remembered } from './ttl-cache.js';
import type { Settings } from '../settings.js';

export type Admission =
  | { readonly ok: true; readonly channel: Channel }
  | { readonly ok: false; readonly refusal: Refusal };

export type Readable =
  | { readonly ok: true; readonly channels: readonly Channel[] }
  | { readonly ok: false; readonly refusal: Refusal };

/** What a right is judged by: the roles of an identity, and a channel. */
export interface Grounds {
  readonly standing: Standing;
  readonly channel: Channel | undefined;
}

/**
 * Who may use which channel. Every question is put to Redis, but for `recentGrounds` and `admitAgain`: what these go by is remembered
 * until a broker tells of a change, and for a second at most.
 */
@Injectable()
export class Directory {
  readonly userRole: string;
  private readonly recentRoles: Remembered<ReadonlySet<string>>;
  private readonly recentChannels: Remembered<Channel | undefined>;

  constructor(
    readonly channels: ChannelRegister,
    private readonly roles: RoleRegister,
    notices: Notices,
    @Inject(SETTINGS) settings: Pick<Settings, 'USER_ROLE'>,
  ) {
    this.userRole = settings.USER_ROLE;
    const informed = () => notices.alive;
    this.recentRoles = new Remembered((address) => roles.approvedOf(address), informed);
    this.recentChannels = new Remembered((fqcn) => channels.find(fqcn), informed);
    notices.onChanged((change) => this.forget(change));
  }

  /** Something changed, or (undefined) may have: here, before the answer to whoever changed it, or at another broker. */
  forget(change: Change | undefined): void {
    if (change === undefined || change.kind === 'role') this.recentRoles.forget(change?.address);
    if (change === undefined || change.kind === 'channel') this.recentChannels.forget(change?.fqcn);
  }

  /** As they stood a moment ago. Good enough to let somebody do what he could do then; a refusal is for `grounds` to confirm. */
  async recentGrounds(did: Did, fqcn: string): Promise<Grounds> {
    const address = identityOf(did);
    const [roles, channel] = await Promise.all([
      this.recentRoles.get(address),
      this.recentChannels.get(fqcn),
    ]);
    return { standing: { address, roles }, channel };
  }

  /** As they stand now. */
  async grounds(did: Did, fqcn: string): Promise<Grounds> {
    const [standing, channel] = await Promise.all([this.standing(did), this.channels.find(fqcn)]);
    return { standing, channel };
  }

  async standing(did: Did): Promise<Standing> {
    const address = identityOf(did);
    return { address, roles: await this.roles.approvedOf(address) };
  }

  async admit(did: Did, right: Right, fqcn: string): Promise<Admission> {
    return this.admission(await this.grounds(did, fqcn), right, fqcn);
  }

  /** The same right on several channels. Who lacks the user role is refused once, and no channel is looked up for him. */
  async admitEach(did: Did, right: Right, fqcns: readonly string[]): Promise<readonly Admission[]> {
    const standing = await this.standing(did);
    if (!standing.roles.has(this.userRole)) {
      return [{ ok: false, refusal: { kind: 'not-enrolled', role: this.userRole } }];
    }
    return Promise.all(
      fqcns.map(async (fqcn) =>
        this.admission({ standing, channel: await this.channels.find(fqcn) }, right, fqcn),
      ),
    );
  }

  /** By the rights as they stood a moment ago, for whoever does the same again and again; who would be refused is judged anew. */
  async admitAgain(did: Did, right: Right, fqcn: string): Promise<Admission> {
    const recent = this.admission(await this.recentGrounds(did, fqcn), right, fqcn);
    return recent.ok ? recent : this.admit(did, right, fqcn);
  }

  private admission({ standing, channel }: Grounds, right: Right, fqcn: string): Admission {
    const refusal = mayUse(standing, right, fqcn, channel, this.userRole);
    if (refusal) return { ok: false, refusal };
    if (!channel) return { ok: false, refusal: { kind: 'channel-unknown', fqcn } };
    return { ok: true, channel };
  }

  /** The channels on which an identity holds any of the rights. */
  async usable(did: Did, rights: readonly Right[]): Promise<Readable> {
    const [standing, channels] = await Promise.all([this.standing(did), this.channels.all()]);
    if (!standing.roles.has(this.userRole)) {
      return { ok: false, refusal: { kind: 'not-enrolled', role: this.userRole } };
    }
    return {
      ok: true,
      channels: channels.filter((channel) => rights.some((right) => holdsRight(standing, right, channel))),
    };
  }
}
