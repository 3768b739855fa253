import type { MarketInterface } from '@ssb/events';
import type { PollOutcome } from './detection/market-access.js';
import type { FencingToken } from './lease/lease.js';
import type { AccessRecorder } from './polls/access-recorder.js';
import type { PollResult } from './polls/poll-result.js';
import type { PrudentialPoll } from './polls/prudential-poll.js';
import type { SettlementPoll } from './polls/settlement-poll.js';

/**
 * The polls of one participant. Each fetches answers, compares them with the saved state (detection), queues an event for each fact, then
 * saves the state. After a crash, an interrupted detection is completed first.
 */
export class Poller {
  constructor(
    private readonly polls: {
      readonly prudential: PrudentialPoll;
      readonly settlement: SettlementPoll;
      readonly access: AccessRecorder;
    },
  ) {}

  /** @param mayContinue false once this replica has lost the lease */
  async poll(name: MarketInterface, token: FencingToken, mayContinue: () => boolean): Promise<PollResult> {
    switch (name) {
      case 'prudential':
        return this.polls.prudential.run(token);
      case 'settlement':
        return this.polls.settlement.run(token, mayContinue);
      default:
        return name satisfies never;
    }
  }

  /** Records whether the operator could be reached. */
  async recordAccess(token: FencingToken, name: MarketInterface, outcome: PollOutcome): Promise<void> {
    await this.polls.access.record(token, name, outcome);
  }

  /** Records what follows from the time alone, after a failed poll. @throws FencedOffError */
  async recordFailure(token: FencingToken, name: MarketInterface): Promise<void> {
    if (name === 'prudential') await this.polls.prudential.recordFailure(token);
  }
}
