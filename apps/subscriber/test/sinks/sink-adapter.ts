import type { SinkConfig } from '@ssb/config';

/** `echo`: refuses, and repeats the request and every secret. `flood`: accepts, with a body that never ends. */
export type Behaviour = 'accept' | 'refuse' | 'fail' | 'hang' | 'close' | 'flood' | 'echo';

/** A message as the software of the receiver reads it. */
export interface ReceivedMessage {
  readonly id: string;
  readonly subject: string;
}

export interface SinkReceiver {
  /** The configuration of a sink that delivers here. */
  readonly config: SinkConfig;
  readonly received: readonly ReceivedMessage[];
  /** Connections that were opened so far. */
  readonly connections: number;
  behaviour: Behaviour;
  stop(): Promise<void>;
}

/** A kind of sink under test: a real receiver, and how its messages are read. */
export interface SinkAdapter {
  readonly kind: string;
  /** Those that the receiver can show. */
  readonly behaviours: readonly Behaviour[];
  /** The secrets that the configuration names, by file. No log and no outcome may contain them. */
  readonly files: Readonly<Record<string, string>>;
  /** @param lines of the log of the subscriber */
  start(lines: readonly Record<string, unknown>[]): Promise<SinkReceiver>;
}
