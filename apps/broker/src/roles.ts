import { ROLE_DECISION_TYPE, roleDecision, type RoleClaim, type RoleState } from '@ssb/bus';
import { parseDid, sameIdentity, type Did } from '@ssb/identity';
import type { Logger } from '@ssb/platform';
import { BusError } from './bus-error.js';
import { isRoleName } from './domain/names.js';
import { claimRole, decideRole, type RoleRecord } from './domain/role-state.js';
import { identityOf } from './directory.js';
import { verifyIssued } from './identity/issued-claims.js';
import type { RoleRegister } from './redis/role-register.js';
import type { UsedOnce } from './redis/used-once.js';
import type { Settings } from './settings.js';

/** Claims of one identity, so that nobody fills the register. */
const MOST_CLAIMS = 32;

/** A decision may live this long; a longer one could be replayed after its id was forgotten. */
const LONGEST_DECISION_S = 24 * 3_600;

/** Clocks of issuer and broker may differ by this much. */
const CLOCK_SKEW_S = 30;

export type RoleSettings = Pick<Settings, 'BROKER_AUDIENCE' | 'ROLE_ISSUERS' | 'CHANNEL_CREATORS'>;

/** Roles: claimed by an identity, decided by an issuer's signed word, and told to everyone who waits. */
export class Roles {
  constructor(
    private readonly register: RoleRegister,
    private readonly usedOnce: UsedOnce,
    private readonly settings: RoleSettings,
    private readonly now: () => Date,
    private readonly log: Logger,
  ) {}

  /** Asks for a role; harmless when repeated. */
  async claim(did: Did, role: string): Promise<RoleClaim> {
    if (!isRoleName(role)) throw new BusError('BUS::INVALID_REQUEST', `${role} is not the name of a role.`);
    const own = await this.register.of(identityOf(did));
    if (own.length >= MOST_CLAIMS && !own.some((record) => record.role === role)) {
      throw new BusError('BUS::TOO_MANY_REQUESTS', `An identity may claim ${MOST_CLAIMS} roles.`);
    }
    const record = await this.register.change(identityOf(did), role, (before) =>
      claimRole(before, did, role, this.now()),
    );
    return { role, state: record?.state ?? 'NO_CLAIM' };
  }

  async own(did: Did): Promise<RoleClaim[]> {
    return (await this.register.of(identityOf(did))).map(({ role, state }) => ({ role, state }));
  }

  /** Every identity's claims, for those who decide on them or set up channels. */
  async list(caller: Did, state: RoleState | undefined): Promise<RoleRecord[]> {
    const allowed = [...this.settings.ROLE_ISSUERS, ...this.settings.CHANNEL_CREATORS];
    if (!isOneOf(caller, allowed)) {
      throw new BusError('BUS::FORBIDDEN', 'Only an issuer may see the claims of others.');
    }
    return this.register.list(state);
  }

  /**
   * Believes an issuer's decision once.
   * @throws BusError BUS::INVALID_REQUEST, BUS::FORBIDDEN (not an issuer, or used before), BUS::STALE_DECISION
   */
  async decide(token: string): Promise<RoleRecord> {
    const issued = this.verified(token);
    const { did, role, decision, iss, iat, exp, jti } = issued;
    const expiresAt = new Date((exp + CLOCK_SKEW_S) * 1000);
    if (!(await this.usedOnce.take('decision', JSON.stringify([iss, jti]), expiresAt))) {
      throw new BusError('BUS::FORBIDDEN', 'This decision was used before.', { reason: 'replayed' });
    }
    const record = await this.register.change(identityOf(did), role, (before) => {
      const outcome = decideRole(before, { did, role, decision, issuer: iss, issuedAt: iat }, this.now());
      return outcome.ok ? outcome.record : undefined;
    });
    if (!record) throw new BusError('BUS::STALE_DECISION', 'A later decision on this role stands already.');
    this.log.info({ did, role, decision, state: record.state, issuer: iss }, 'role decided');
    return record;
  }

  private verified(token: string) {
    const verdict = verifyIssued(token);
    if (!verdict.ok) throw refused('BUS::INVALID_REQUEST', verdict.reason);
    if (verdict.header['typ'] !== ROLE_DECISION_TYPE) throw refused('BUS::INVALID_REQUEST', 'wrong-type');
    const parsed = roleDecision.safeParse(verdict.claims);
    if (!parsed.success || !isRoleName(parsed.data.role)) throw refused('BUS::INVALID_REQUEST', 'malformed');
    const { aud, iat, exp, did } = parsed.data;
    const now = this.now().getTime() / 1000;
    if (!isOneOf(verdict.issuer, this.settings.ROLE_ISSUERS))
      throw refused('BUS::FORBIDDEN', 'not-an-issuer');
    if (aud !== this.settings.BROKER_AUDIENCE) throw refused('BUS::FORBIDDEN', 'wrong-audience');
    if (exp <= now - CLOCK_SKEW_S || exp <= iat) throw refused('BUS::FORBIDDEN', 'expired');
    if (iat > now + CLOCK_SKEW_S) throw refused('BUS::FORBIDDEN', 'not-yet-valid');
    if (exp - iat > LONGEST_DECISION_S) throw refused('BUS::FORBIDDEN', 'lives-too-long');
    return { ...parsed.data, did: didOrRefuse(did) };
  }
}

function didOrRefuse(text: string): Did {
  try {
    return parseDid(text);
  } catch {
    throw refused('BUS::INVALID_REQUEST', 'subject-is-not-a-did');
  }
}

function isOneOf(did: Did, dids: readonly string[]): boolean {
  return dids.some((each) => sameIdentity(each, did));
}

function refused(code: 'BUS::INVALID_REQUEST' | 'BUS::FORBIDDEN', reason: string): BusError {
  return new BusError(code, 'The decision is not accepted.', { reason });
}
