import { addressFromDid, type Did } from '@ssb/identity';
import type { Channel } from './domain/channel.js';
import type { Refusal } from './domain/refusal.js';
import { holdsRight, mayUse, type Right, type Standing } from './domain/rights.js';
import type { ChannelRegister } from './redis/channel-register.js';
import type { RoleRegister } from './redis/role-register.js';

export type Admission =
  { readonly ok: true; readonly channel: Channel } | { readonly ok: false; readonly refusal: Refusal };

export type Readable =
  | { readonly ok: true; readonly channels: readonly Channel[] }
  | { readonly ok: false; readonly refusal: Refusal };

/** An identity as rights are written down: its address in lower case. */
export function identityOf(did: Did): string {
  return addressFromDid(did).toLowerCase();
}

/** Who may use which channel, as it stands at this moment; nothing is remembered between questions. */
export class Directory {
  constructor(
    readonly channels: ChannelRegister,
    private readonly roles: RoleRegister,
    readonly userRole: string,
  ) {}

  async standing(did: Did): Promise<Standing> {
    const address = identityOf(did);
    return { address, roles: await this.roles.approvedOf(address) };
  }

  async admit(did: Did, right: Right, fqcn: string): Promise<Admission> {
    const [standing, channel] = await Promise.all([this.standing(did), this.channels.find(fqcn)]);
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
