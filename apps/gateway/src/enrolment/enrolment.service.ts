import { Inject, Injectable } from '@nestjs/common';
import type { Enrolment, RoleClaim, RoleState } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { BrokerClient } from '../broker/broker-client.js';
import { BrokerStream } from '../broker/broker-stream.js';
import { asOperation } from '../broker/broker-error.js';
import { IdentityKeeper, type SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';

/**
 * Document 002, "States and transitions": asks for the user role and listens for the issuer's decision.
 *
 * The claim lives in the broker, so it survives the gateway. The broker's stream, connected whenever there is an identity, is the
 * listener. An approved claim is synced to the identity's DID document: when the decision is pushed, and, as that event can be missed, on
 * each connection and whenever enrolment is read.
 */
@Injectable()
export class Enrolments {
  private readonly enrolled;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly keeper: IdentityKeeper,
    private readonly broker: BrokerClient,
    private readonly stream: BrokerStream,
    metrics: Metrics,
  ) {
    this.enrolled = metrics.gauge({
      name: 'gateway_enrolled',
      help: '1 when the identity holds the user role, as far as the gateway knows',
    });
    keeper.onChange(() => this.enrolled.set(0));
    stream.onClaim((claim) => this.decided(claim));
    stream.onOpen(() => void this.askAgain());
  }

  /** Asks for the role and listens for the decision; repeating it changes nothing. @throws GatewayFailure */
  async enrol(): Promise<Enrolment> {
    return this.asked(async (identity) => {
      const claim = await this.broker.claim(identity, this.settings.USER_ROLE);
      this.stream.listen();
      // Approved before: the whole claim tells whether the DID document has it.
      return claim.state === 'APPROVED' ? this.broker.claims(identity) : [claim];
    });
  }

  /** The state that the broker knows at this moment. @throws GatewayFailure */
  async current(): Promise<Enrolment> {
    return this.asked((identity) => this.broker.claims(identity));
  }

  private asked(ask: (identity: SigningIdentity) => Promise<RoleClaim[]>): Promise<Enrolment> {
    return asOperation('enrol', async () => {
      const identity = this.keeper.required();
      const claims = await ask(identity);
      await this.sync(identity, claims);
      const enrolment = enrolmentOf(identity.did, this.settings.USER_ROLE, claims);
      if (this.keeper.current() === identity) this.enrolled.set(enrolment.state.ready ? 1 : 0);
      return enrolment;
    });
  }

  private decided({ role, state }: RoleClaim): void {
    this.log.info({ role, state }, 'the issuer decided on a role');
    if (role !== this.settings.USER_ROLE) return;
    this.enrolled.set(state === 'APPROVED' ? 1 : 0);
    if (state === 'APPROVED') void this.askAgain();
  }

  /** A claim that cannot be added now is still approved: what uses it goes on, and the next read tries again. */
  private async sync(identity: SigningIdentity, claims: readonly RoleClaim[]): Promise<void> {
    for (const token of claimsToAdd(this.settings.USER_ROLE, claims)) {
      try {
        await this.broker.addToDocument(identity, token);
        this.log.info({ did: identity.did }, 'the approved claim is in the DID document');
      } catch (error) {
        this.log.warn({ did: identity.did, err: error }, 'the approved claim is not in the DID document yet');
      }
    }
  }

  private async askAgain(): Promise<void> {
    try {
      const { state } = await this.current();
      this.log.info({ ready: state.ready, waiting: state.waiting }, 'enrolment known');
    } catch (error) {
      this.log.warn({ err: error }, 'the enrolment could not be asked for');
    }
  }
}

/**
 * Document 002, "Enrolment", of what the broker says of a DID's claims. The role of a message broker is not one that a client
 * gateway wants.
 */
export function enrolmentOf(did: string, userRole: string, claims: readonly RoleClaim[]): Enrolment {
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

/** The issuer's words for the wanted role that the subject's DID document still lacks. A broker without documents gives none. */
export function claimsToAdd(userRole: string, claims: readonly RoleClaim[]): string[] {
  return claims.flatMap(({ role, state, token, inDocument }) =>
    role === userRole && state === 'APPROVED' && token !== undefined && inDocument === false ? [token] : [],
  );
}
