import type { SinkConfig } from '@ssb/config';
import type { ReceivedMessage } from '@ssb/testing/sinks';

/** `echo`: refuses, and repeats the request and every secret. `flood`: accepts, with a body that never ends. */
export type Behaviour = 'accept' | 'refuse' | 'fail' | 'hang' | 'close' | 'flood' | 'echo';

export interface SinkReceiver {
  /** The configuration of a sink that delivers here. */
  readonly config: SinkConfig;
  readonly received: readonly ReceivedMessage[];
  /** The secrets that the configuration names, by file. */
  readonly files: Readonly<Record<string, string>>;
  /** The most connections that were open at the same time. */
  readonly connections: number;
  behaviour: Behaviour;
  stop(): Promise<void>;
}

/** A kind of sink under test: a real receiver, and how its messages are read. */
export interface SinkAdapter {
  readonly kind: string;
  /** Those that the receiver can show. */
  readonly behaviours: readonly Behaviour[];
  /** Whether the configuration names files. No log and no outcome may contain their secrets. */
  readonly hasFiles: boolean;
  /** A text of the market as the receiver shows it. */
  readonly shows: (text: string) => string;
  /** @param lines of the log of the subscriber */
  start(lines: readonly Record<string, unknown>[]): Promise<SinkReceiver>;
}
