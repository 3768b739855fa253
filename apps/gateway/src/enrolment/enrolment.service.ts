import { Inject, Injectable } from '@nestjs/common';
import type { Enrolment, RoleClaim, RoleState } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { BrokerClient } from '../broker/broker-client.js';
import { toGatewayException } from '../broker/broker-error.js';
import { BrokerStream } from '../broker/broker-stream.js';
import { IdentityService, type SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';
import { METRICS } from '../metrics.js';

/**
 * Enrolment as a user of the bus (document 002, "States and transitions"). The broker sends the decision on the stream.
 * A decision can be missed, so the state is also read on every connection.
 */
@Injectable()
export class EnrolmentService {
  private readonly enrolledGauge;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly identities: IdentityService,
    private readonly broker: BrokerClient,
    private readonly stream: BrokerStream,
    metrics: Metrics,
  ) {
    this.enrolledGauge = metrics.gauge(METRICS.enrolled);
    identities.onChange(() => this.enrolledGauge.set(0));
    stream.onClaim((claim) => this.onDecision(claim));
    stream.onOpen(() => void this.refresh());
  }

  /** Requests the role; idempotent. @throws GatewayException */
  async enrol(): Promise<Enrolment> {
    try {
      const identity = this.identities.require();
      const claim = await this.broker.claimRole(identity, this.settings.USER_ROLE);
      this.stream.connectNow();
      // Only the list of claims contains `inDocument`.
      const claims = claim.state === 'APPROVED' ? await this.broker.listClaims(identity) : [claim];
      return await this.update(identity, claims);
    } catch (error) {
      throw toGatewayException(error, 'enrol');
    }
  }

  /** Reads the state from the broker. @throws GatewayException */
  async getEnrolment(): Promise<Enrolment> {
    try {
      const identity = this.identities.require();
      return await this.update(identity, await this.broker.listClaims(identity));
    } catch (error) {
      throw toGatewayException(error, 'enrol');
    }
  }

  private async update(identity: SigningIdentity, claims: readonly RoleClaim[]): Promise<Enrolment> {
    await this.addToDidDocument(identity, claims);
    const enrolment = toEnrolment(identity.did, this.settings.USER_ROLE, claims);
    if (this.identities.current() === identity) this.enrolledGauge.set(enrolment.state.ready ? 1 : 0);
    return enrolment;
  }

  /** Never rejects. An approved role is valid without the DID document, and the next read tries again. */
  private async addToDidDocument(identity: SigningIdentity, claims: readonly RoleClaim[]): Promise<void> {
    const { did } = identity;
    for (const token of findTokensToAdd(this.settings.USER_ROLE, claims)) {
      if (this.identities.current() !== identity) return;
      try {
        await this.broker.addClaimToDidDocument(identity, token);
        this.log.info({ did }, 'claim added to DID document');
      } catch (error) {
        this.log.warn({ did, err: error }, 'claim addition to DID document failed');
      }
    }
  }

  private onDecision({ role, state }: RoleClaim): void {
    this.log.info({ role, state }, 'role decision received');
    if (role !== this.settings.USER_ROLE) return;
    this.enrolledGauge.set(state === 'APPROVED' ? 1 : 0);
    if (state === 'APPROVED') void this.refresh();
  }

  private async refresh(): Promise<void> {
    try {
      const { state } = await this.getEnrolment();
      this.log.info({ ready: state.ready, waiting: state.waiting }, 'enrolment read');
    } catch (error) {
      this.log.warn({ err: error }, 'enrolment read failed');
    }
  }
}

/** Document 002, "Enrolment". A client gateway never requests the role of a message broker. */
export function toEnrolment(did: string, userRole: string, claims: readonly RoleClaim[]): Enrolment {
  const user: RoleState = claims.find(({ role }) => role === userRole)?.state ?? 'NO_CLAIM';
  return {
    did,
    state: {
      ready: user === 'APPROVED',
      waiting: user === 'AWAITING_APPROVAL',
      roles: { user, messagebroker: 'NOT_WANTED' },
    },
  };
}

/** The issuer's tokens for the user role that are not in the DID document. A broker without DID documents returns no tokens. */
export function findTokensToAdd(userRole: string, claims: readonly RoleClaim[]): string[] {
  return claims.flatMap(({ role, state, token, inDocument }) =>
    role === userRole && state === 'APPROVED' && token !== undefined && inDocument === false ? [token] : [],
  );
}
