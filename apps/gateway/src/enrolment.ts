import { Inject, Injectable } from '@nestjs/common';
import type { Enrolment, RoleClaim } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { BrokerClient } from './broker/broker-client.js';
import { BrokerStream } from './broker/broker-stream.js';
import { BrokerError, failureOf } from './domain/broker-failure.js';
import { enrolmentOf } from './domain/enrolment.js';
import { IdentityKeeper } from './identity/identity-keeper.js';
import type { SigningIdentity } from './identity/signing-identity.js';
import type { Settings } from './settings.js';

/**
 * Document 002, "States and transitions": asks for the user role and listens for the issuer's decision.
 *
 * The claim lives in the broker, so it survives the gateway. The broker's stream, connected whenever there is an identity, is the
 * listener; a decision that was pushed while it was down is found by asking, on each connection and on each GET.
 */
@Injectable()
export class Enrolments {
  private readonly enrolled;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(IdentityKeeper) private readonly keeper: IdentityKeeper,
    @Inject(BrokerClient) private readonly broker: BrokerClient,
    @Inject(BrokerStream) stream: BrokerStream,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.enrolled = metrics.gauge({
      name: 'gateway_enrolled',
      help: '1 when the identity holds the user role, as far as the gateway knows',
    });
    keeper.onChange(() => this.enrolled.set(0));
    stream.onClaim((claim) => this.decided(claim));
    stream.onOpen(() => void this.askAgain());
  }

  /** Asks for the role; repeating it changes nothing. @throws GatewayFailure */
  async enrol(): Promise<Enrolment> {
    return this.asked(async (identity) => [await this.broker.claim(identity, this.settings.USER_ROLE)]);
  }

  /** The state that the broker knows at this moment. @throws GatewayFailure */
  async current(): Promise<Enrolment> {
    return this.asked((identity) => this.broker.claims(identity));
  }

  private async asked(ask: (identity: SigningIdentity) => Promise<RoleClaim[]>): Promise<Enrolment> {
    try {
      const identity = this.keeper.required();
      const enrolment = enrolmentOf(identity.did, this.settings.USER_ROLE, await ask(identity));
      if (this.keeper.current() === identity) this.enrolled.set(enrolment.state.ready ? 1 : 0);
      return enrolment;
    } catch (error) {
      throw error instanceof BrokerError ? failureOf(error.problem, 'enrol') : error;
    }
  }

  private decided({ role, state }: RoleClaim): void {
    this.log.info({ role, state }, 'the issuer decided on a role');
    if (role === this.settings.USER_ROLE) this.enrolled.set(state === 'APPROVED' ? 1 : 0);
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
