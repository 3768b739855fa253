import { DiscardPolicy, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { makeStream } from './make-stream.js';
import type { NatsEngine } from './nats-engine.js';
import type { NatsNames } from './names.js';

/**
 * Stores an empty message in a stream of its own that keeps one: a server whose JetStream is off or full, by its own limit or the
 * account's, answers everything else.
 */
export class SignOfLife {
  private made = false;

  constructor(
    private readonly engine: NatsEngine,
    private readonly manager: JetStreamManager,
    private readonly client: JetStreamClient,
    private readonly names: NatsNames,
    private readonly replicas: number,
  ) {}

  /** @throws EngineUnavailableError */
  async check(): Promise<void> {
    await this.engine.run(async () => {
      if (!this.made) await makeStream(this.manager, this.configuration());
      // Until it has stored, the stream counts as not made: it may have gone with the server's data.
      this.made = false;
      await this.client.publish(this.names.signOfLife);
      this.made = true;
    });
  }

  private configuration() {
    return {
      name: this.names.signsOfLife,
      subjects: [this.names.signOfLife],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      num_replicas: this.replicas,
      max_msgs: 1,
    };
  }
}
