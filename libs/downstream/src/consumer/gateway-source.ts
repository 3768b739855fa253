import { GatewayStream, type StreamDelivery, type StreamFault, type StreamState } from '@ssb/bus';
import {
  ChannelRefusedError,
  concernsChannel,
  SupersededError,
  toRefusal,
  type ConsumerError,
} from './consumer-errors.js';
import type { ConsumerFault, ConsumerOptions, ConsumerState } from './consumer-options.js';
import type { Received } from './message-queue.js';

export const DEFAULT_WINDOW = 100;
const MAX_DELAY_MS = 30_000;
const PASSWORD_PROBLEM = 'the function of the password failed';

export interface GatewaySourceOptions {
  readonly consumer: ConsumerOptions;
  readonly channels: readonly string[];
  readonly onReceived: (items: readonly Received[]) => void;
  /** The bus will deliver again what was received and not acknowledged. */
  readonly onInterrupted: () => void;
  readonly onState: (state: ConsumerState) => void;
  readonly onFault: (fault: ConsumerFault) => void;
  /** No other attempt would succeed. */
  readonly onFailure: (error: ConsumerError) => void;
}

/** The connection of a consumer to its gateway. Decides after which errors it is not repeated. */
export class GatewaySource {
  private readonly stream: GatewayStream;
  private lastPassword: string | undefined;

  constructor(private readonly options: GatewaySourceOptions) {
    const { consumer, onReceived, onFault } = options;
    const { url, user, ca, cert, key, protocol, maxDelayMs = MAX_DELAY_MS } = consumer;
    const delivery = this.toDelivery();
    this.stream = new GatewayStream({
      url,
      username: user,
      password: () => (this.lastPassword = this.readPassword()),
      ...(protocol !== undefined && { protocol }),
      delivery,
      maxDelayMs,
      connection: {
        tls: {
          ...(ca && { ca: toMaterial(ca) }),
          ...(cert && { cert: toMaterial(cert) }),
          ...(key && { key: toMaterial(key) }),
        },
      },
      onMessages: (batch, acknowledge) =>
        onReceived(
          batch
            .filter(({ fqcn }) => options.channels.includes(fqcn))
            .map((message) => ({ kind: 'message', message, acknowledge: () => acknowledge([message.id]) })),
        ),
      onGap: (gap) => onReceived([{ kind: 'gap', gap }]),
      onState: (state) => this.changeState(state),
      onFault: (fault) => this.receiveFault(fault),
      ...(delivery.mode === 'plain' && {
        onMalformed: ({ message: reason }) => onFault({ reason: `a message was left out: ${reason}` }),
      }),
    });
  }

  start(): void {
    this.stream.start();
  }

  /** What is delivered meanwhile waits in the network. */
  pause(): void {
    this.stream.pause();
  }

  resume(): void {
    this.stream.resume();
  }

  /** Opens no more connections. An open one stays open, for acknowledgements. */
  stopRetrying(): void {
    this.stream.stopRetrying();
  }

  stop(): Promise<void> {
    return this.stream.stop();
  }

  private toDelivery(): StreamDelivery {
    const { consumer, channels } = this.options;
    const { delivery = 'acknowledged', clientId, from = 'oldest', window = DEFAULT_WINDOW } = consumer;
    if (delivery === 'plain') return { mode: 'plain' };
    return { mode: 'acknowledged', clientId, window, fqcn: channels, from };
  }

  /** @throws Error with a text for a log, after the fault was reported */
  private readPassword(): string {
    const { consumer, onFault } = this.options;
    try {
      return typeof consumer.password === 'function' ? consumer.password() : consumer.password;
    } catch (error) {
      onFault({ reason: PASSWORD_PROBLEM, error });
      throw new Error(PASSWORD_PROBLEM, { cause: error });
    }
  }

  /** Whether the password was replaced after the gateway refused it, or may be once it can be read. */
  private mayHaveNewPassword(): boolean {
    try {
      return this.readPassword() !== this.lastPassword;
    } catch {
      return true;
    }
  }

  private changeState(state: StreamState): void {
    const { consumer, onState, onFailure, onInterrupted } = this.options;
    if (state.state !== 'disconnected') return onState(state);
    const { reason, retryInMs, isSuperseded, refusedWith } = state;
    if (consumer.delivery !== 'plain') onInterrupted();
    const failure = isSuperseded ? new SupersededError(consumer.clientId) : toRefusal(refusedWith, reason);
    if (failure === undefined || (refusedWith === 401 && this.mayHaveNewPassword()))
      return onState({ state: 'disconnected', reason, retryInMs });
    onFailure(failure);
  }

  private receiveFault({ reason, err }: StreamFault): void {
    const { onFault, onFailure } = this.options;
    if (err === undefined) return onFault({ reason });
    if (concernsChannel(err.code)) return onFailure(new ChannelRefusedError(err.code, err.reason));
    // The connection closes next, with a code.
    if (err.code.endsWith('::SUPERSEDED')) return;
    onFault({ reason: `${err.code}: ${err.reason}` });
  }
}

/** The types of Node accept no other bytes. */
function toMaterial(content: string | Uint8Array): string | Buffer {
  return typeof content === 'string' ? content : Buffer.from(content);
}
