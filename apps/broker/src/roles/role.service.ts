import { Inject, Injectable } from '@nestjs/common';
import type { RoleClaim, RoleState } from '@ssb/bus';
import { type Did, lowerCaseAddress, isSameIdentity } from '@ssb/identity';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { isRoleName } from '../channels/names.js';
import { BusError } from '../errors/bus-error.js';
import { PermissionService } from '../permissions/permission.service.js';
import type { Settings } from '../settings.js';
import { RoleRepository, TooManyClaimsError } from '../storage/redis/role.repository.js';
import { decisionError, verifyRoleDecision, type DecisionSettings } from './role-decision-token.js';
import {
  claimRole,
  decideRole,
  isClaimDue,
  type ListedClaim,
  type RoleRecord,
  toListedClaim,
} from './role-state.js';

const MAX_CLAIMS_PER_IDENTITY = 32;

/** A longer lifetime would allow a replay after the decision's id is forgotten. */
const MAX_DECISION_LIFETIME_SECONDS = 24 * 3_600;

/** Maximum difference between the clocks of the issuer and the broker. */
const MAX_CLOCK_SKEW_SECONDS = 30;

export type RoleSettings = DecisionSettings &
  Pick<Settings, 'CHANNEL_CREATORS' | 'CLAIM_LIFETIME_MS' | 'MAX_OPEN_CLAIMS'>;

/** Manages role claims. An identity claims a role, and an issuer decides with a signed token. */
@Injectable()
export class RoleService {
  constructor(
    private readonly roles: RoleRepository,
    private readonly permissions: PermissionService,
    @Inject(SETTINGS) private readonly settings: RoleSettings,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Claims a role; idempotent. Any key can log in and claim roles, so claims expire and are limited, per identity and in total.
   * @throws BusError BUS::INVALID_REQUEST, BUS::TOO_MANY_REQUESTS
   */
  async claim(did: Did, role: string): Promise<RoleClaim> {
    if (!isRoleName(role)) throw new BusError('BUS::INVALID_REQUEST', `${role} is not a valid role name.`);
    await this.expireOldClaims();
    const limits = { maxOpen: this.settings.MAX_OPEN_CLAIMS, maxPerIdentity: MAX_CLAIMS_PER_IDENTITY };
    const claim = (before: RoleRecord | undefined) => claimRole(before, did, role, new Date());
    try {
      const record = await this.roles.change(lowerCaseAddress(did), role, claim, limits);
      return { role, state: record?.state ?? 'NO_CLAIM' };
    } catch (error) {
      if (error instanceof TooManyClaimsError) throw tooManyClaimsError(error);
      throw error;
    }
  }

  async listOwnClaims(did: Did): Promise<RoleClaim[]> {
    const records = await this.roles.findByAddress(lowerCaseAddress(did));
    return this.withoutExpiredClaims(records).map(({ role, state, token, published }) => ({
      role,
      state,
      ...(token !== undefined && { token, inDocument: published?.token === token }),
    }));
  }

  /** A page of all claims, for issuers and channel creators. @throws BusError BUS::FORBIDDEN */
  async listClaims(
    caller: Did,
    state: RoleState | undefined,
    maxIdentities: number,
    after: string | undefined,
  ): Promise<{ claims: ListedClaim[]; next: string | undefined }> {
    const allowed = [...this.settings.ROLE_ISSUERS, ...this.settings.CHANNEL_CREATORS];
    if (!allowed.some((each) => isSameIdentity(each, caller))) {
      throw new BusError('BUS::FORBIDDEN', 'Only an issuer or a channel creator may list claims.');
    }
    await this.expireOldClaims();
    const { records, next } = await this.roles.findPage(state, maxIdentities, after);
    return { claims: this.withoutExpiredClaims(records).map(toListedClaim), next };
  }

  /**
   * Applies an issuer's decision once.
   * @throws BusError BUS::INVALID_REQUEST, BUS::FORBIDDEN (not signed by an issuer, or used before), BUS::STALE_DECISION
   */
  async decide(token: string): Promise<RoleRecord> {
    const { did, role, decision, iss, iat, jti } = this.verifyDecision(token);
    const issued = { did, id: JSON.stringify([iss, jti]), role, decision, issuer: iss, issuedAt: iat, token };
    const record = await this.roles.change(lowerCaseAddress(did), role, (before) => {
      const outcome = decideRole(before, issued, new Date());
      if (!outcome.ok) throw notAppliedError(outcome.reason);
      return outcome.record;
    });
    this.permissions.evict({ kind: 'role', address: lowerCaseAddress(did) });
    if (!record) throw new TypeError('no role record after an applied decision');
    this.log.info({ did, role, decision, state: record.state, issuer: iss }, 'role decision applied');
    return record;
  }

  /** One call expires a limited number of claims; `withoutExpiredClaims` hides the others. */
  private async expireOldClaims(): Promise<void> {
    const count = await this.roles.expireClaims(new Date(), this.settings.CLAIM_LIFETIME_MS);
    if (count > 0) this.log.info({ count }, 'undecided claims expired');
  }

  private withoutExpiredClaims(records: readonly RoleRecord[]): RoleRecord[] {
    return records.filter((record) => !isClaimDue(record, new Date(), this.settings.CLAIM_LIFETIME_MS));
  }

  /** @throws BusError when the decision is not signed by an issuer, or is not valid now */
  private verifyDecision(token: string) {
    const decision = verifyRoleDecision(token, this.settings);
    const { iat, exp } = decision;
    const now = new Date().getTime() / 1000;
    if (exp <= now - MAX_CLOCK_SKEW_SECONDS || exp <= iat) throw decisionError('BUS::FORBIDDEN', 'expired');
    if (iat > now + MAX_CLOCK_SKEW_SECONDS) throw decisionError('BUS::FORBIDDEN', 'not-yet-valid');
    if (exp - iat > MAX_DECISION_LIFETIME_SECONDS) throw decisionError('BUS::FORBIDDEN', 'lifetime-too-long');
    return decision;
  }
}

function tooManyClaimsError({ scope }: TooManyClaimsError): BusError {
  const reason =
    scope === 'identity'
      ? `An identity may claim at most ${MAX_CLAIMS_PER_IDENTITY} roles.`
      : 'Too many claims are waiting for a decision. Try again later.';
  return new BusError('BUS::TOO_MANY_REQUESTS', reason);
}

function notAppliedError(reason: 'stale' | 'replayed'): BusError {
  return reason === 'stale'
    ? new BusError('BUS::STALE_DECISION', 'A later decision on this role already exists.')
    : new BusError('BUS::FORBIDDEN', 'This decision was used before.', { reason });
}
