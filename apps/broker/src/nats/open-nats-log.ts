import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '@ssb/platform';
import { ChannelStreams, type StreamOptions } from './channel-streams.js';
import { NatsEngine } from './nats-engine.js';
import { NatsMessageLog } from './nats-message-log.js';
import { NatsNames } from './names.js';
import { ReaderPositions } from './reader-positions.js';
import { Requests } from './requests.js';
import { SignOfLife } from './sign-of-life.js';
import { StoredMessages } from './stored-messages.js';
import { LOOK_EVERY_MS, WakeUps } from './wake-ups.js';

/** A question that nobody answers, as while a cluster chooses its leader, is asked again after this while. */
const LONGEST_QUESTION_MS = 1_000;

export interface NatsLogOptions extends StreamOptions {
  readonly prefix: string;
  readonly patienceMs: number;
  readonly now: () => Date;
}

export interface OpenNatsLog {
  readonly log: NatsMessageLog;
  /** Whether JetStream answers. @throws EngineUnavailableError */
  readonly ping: () => Promise<void>;
  /** Whether it takes appends. @throws EngineUnavailableError */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The log on a connection that stands already; takes the connection over. Resolves when wake-ups flow. */
export async function openNatsLog(
  connection: NatsConnection,
  options: NatsLogOptions,
  log: Logger,
): Promise<OpenNatsLog> {
  const { prefix, patienceMs, replicas, now } = options;
  const names = new NatsNames(prefix);
  const engine = new NatsEngine(connection, patienceMs, log);
  const manager = await jetstreamManager(connection, {
    timeout: Math.min(patienceMs, LONGEST_QUESTION_MS),
    checkAPI: false,
  });
  const client = jetstream(connection, { timeout: patienceMs });
  const streams = new ChannelStreams(manager, names, options);
  const questions = new Requests(connection, Math.min(patienceMs, LONGEST_QUESTION_MS));
  const stored = new StoredMessages(manager, questions, replicas > 1);
  const positions = new ReaderPositions(client, streams, stored, names);
  const signOfLife = new SignOfLife(engine, manager, client, names, replicas);
  const requests = new Requests(connection, patienceMs);
  const wakeUps = new WakeUps(engine, names, replicas > 1 ? LOOK_EVERY_MS : undefined);
  await wakeUps.start();
  return {
    log: new NatsMessageLog({ engine, requests, names, streams, stored, positions, wakeUps, now }),
    ping: async () => {
      await engine.run(() => manager.getAccountInfo());
    },
    check: () => signOfLife.check(),
    close: async () => {
      wakeUps.stop();
      await engine.close();
    },
  };
}
