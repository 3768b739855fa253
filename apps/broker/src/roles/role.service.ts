import { Inject, Injectable } from '@nestjs/common';
import type { RoleClaim, RoleState } from '@ssb/bus';
import { type Did, identityOf, sameIdentity } from '@ssb/identity';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { BusError } from '../errors/bus-error.js';
import { isRoleName } from '../channels/names.js';
import {
  claimRole,
  decideRole,
  isDue,
  type ListedClaim,
  listedClaim,
  type RoleRecord,
} from './role-state.js';
import { Directory } from '../permissions/permission.service.js';
import { decisionRefused, issuedDecision, type DecisionSettings } from '../identity/signed-token.js';
import { RoleRegister, TooManyClaimsError } from '../storage/redis/role.repository.js';
import type { Settings } from '../settings.js';

/** Claims of one identity, so that nobody fills the register. */
const MAX_CLAIMS = 32;

/** A decision may live this long; a longer one could be replayed after its id was forgotten. */
const MAX_DECISION_LIFE_S = 24 * 3_600;

/** Clocks of issuer and broker may differ by this much. */
const CLOCK_SKEW_S = 30;

export type RoleSettings = DecisionSettings &
  Pick<Settings, 'CHANNEL_CREATORS' | 'CLAIM_LIFE_MS' | 'MOST_OPEN_CLAIMS'>;

/** Roles: claimed by an identity, decided by an issuer's signed word, and told to everyone who waits. */
@Injectable()
export class Roles {
  constructor(
    private readonly register: RoleRegister,
    private readonly directory: Directory,
    @Inject(SETTINGS) private readonly settings: RoleSettings,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Asks for a role; harmless when repeated. Whoever logs in may ask, so claims are bounded, for one and for all, and end undecided.
   * @throws BusError BUS::INVALID_REQUEST, BUS::TOO_MANY_REQUESTS
   */
  async claim(did: Did, role: string): Promise<RoleClaim> {
    if (!isRoleName(role)) throw new BusError('BUS::INVALID_REQUEST', `${role} is not the name of a role.`);
    await this.endDueClaims();
    const { MOST_OPEN_CLAIMS: mostOpen } = this.settings;
    const bounds = { mostOpen, mostOfOne: MAX_CLAIMS };
    const claim = (before: RoleRecord | undefined) => claimRole(before, did, role, new Date());
    const record = await this.register.change(identityOf(did), role, claim, bounds).catch(refuseClaim);
    return { role, state: record?.state ?? 'NO_CLAIM' };
  }

  async own(did: Did): Promise<RoleClaim[]> {
    const records = await this.register.of(identityOf(did));
    return records.filter(this.stands).map(({ role, state, token, published }) => ({
      role,
      state,
      ...(token !== undefined && { token, inDocument: published?.token === token }),
    }));
  }

  /** Everybody's claims in pages, for those who decide on them or set up channels. @throws BusError BUS::FORBIDDEN */
  async list(
    caller: Did,
    state: RoleState | undefined,
    identities: number,
    after: string | undefined,
  ): Promise<{ claims: ListedClaim[]; next: string | undefined }> {
    const allowed = [...this.settings.ROLE_ISSUERS, ...this.settings.CHANNEL_CREATORS];
    if (!isOneOf(caller, allowed)) {
      throw new BusError('BUS::FORBIDDEN', 'Only an issuer may see the claims of others.');
    }
    await this.endDueClaims();
    const { records, next } = await this.register.page(state, identities, after);
    return { claims: records.filter(this.stands).map(listedClaim), next };
  }

  /**
   * Believes an issuer's decision once.
   * @throws BusError BUS::INVALID_REQUEST, BUS::FORBIDDEN (not an issuer, or used before), BUS::STALE_DECISION
   */
  async decide(token: string): Promise<RoleRecord> {
    const { did, role, decision, iss, iat, jti } = this.verified(token);
    const issued = { did, id: JSON.stringify([iss, jti]), role, decision, issuer: iss, issuedAt: iat, token };
    const record = await this.register.change(identityOf(did), role, (before) => {
      const outcome = decideRole(before, issued, new Date());
      if (!outcome.ok) throw undecided(outcome.reason);
      return outcome.record;
    });
    this.directory.forget({ kind: 'role', address: identityOf(did) });
    if (!record) throw new TypeError('a decision that counts leaves a record');
    this.log.info({ did, role, decision, state: record.state, issuer: iss }, 'role decided');
    return record;
  }

  /** Some of the claims that are due; others are not shown until it is their turn. */
  private async endDueClaims(): Promise<void> {
    const count = await this.register.expire(new Date(), this.settings.CLAIM_LIFE_MS);
    if (count > 0) this.log.info({ count }, 'claims that nobody decided on have ended');
  }

  private readonly stands = (record: RoleRecord): boolean =>
    !isDue(record, new Date(), this.settings.CLAIM_LIFE_MS);

  /** @throws BusError when it is no issuer's word, or not of this time */
  private verified(token: string) {
    const issued = issuedDecision(token, this.settings);
    const { iat, exp } = issued;
    const now = new Date().getTime() / 1000;
    if (exp <= now - CLOCK_SKEW_S || exp <= iat) throw decisionRefused('BUS::FORBIDDEN', 'expired');
    if (iat > now + CLOCK_SKEW_S) throw decisionRefused('BUS::FORBIDDEN', 'not-yet-valid');
    if (exp - iat > MAX_DECISION_LIFE_S) throw decisionRefused('BUS::FORBIDDEN', 'lives-too-long');
    return issued;
  }
}

function refuseClaim(error: unknown): never {
  if (!(error instanceof TooManyClaimsError)) throw error;
  const reason =
    error.whose === 'identity'
      ? `An identity may claim ${MAX_CLAIMS} roles.`
      : 'Too many claims of others wait for a decision.';
  throw new BusError('BUS::TOO_MANY_REQUESTS', reason);
}

function undecided(reason: 'stale' | 'replayed'): BusError {
  return reason === 'stale'
    ? new BusError('BUS::STALE_DECISION', 'A later decision on this role stands already.')
    : new BusError('BUS::FORBIDDEN', 'This decision was used before.', { reason });
}

function isOneOf(did: Did, dids: readonly string[]): boolean {
  return dids.some((each) => sameIdentity(each, did));
}
