import { Inject, Injectable } from '@nestjs/common';
import { errorKind, type Gap, type Message } from '@ssb/bus';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { TimeoutError, withTimeout } from '@ssb/net';
import { BrokerClient, type ReadQuery } from '../broker/broker-client.js';
import { BrokerError, toGatewayException } from '../broker/broker-error.js';
import { IdentityService, type SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';
import { checkNameLengths, DEFAULT_CLIENT_ID } from './bus-names.js';

export interface ReadResult {
  readonly messages: readonly Message[];
  /** Messages that retention removed before this client read them. */
  readonly gap: Gap | undefined;
  /** Whether the channel has more messages. */
  readonly more: boolean;
  /** Must be called once. The messages are acknowledged only when the response was sent completely. Never throws. */
  readonly onResponseEnd: (sentCompletely: boolean) => void;
}

/**
 * GET message (document 002). The client's offset moves when the response was sent completely.
 * The messages of a lost response are read again.
 */
@Injectable()
export class MessageReader {
  private readonly mutex: KeyedMutex;

  constructor(
    private readonly identities: IdentityService,
    private readonly broker: BrokerClient,
    @Inject(SETTINGS) { BROKER_TIMEOUT_MS }: Settings,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.mutex = new KeyedMutex(BROKER_TIMEOUT_MS);
  }

  /** @returns the unread messages of a channel, or with `from` all messages since then. @throws GatewayException */
  async read(query: ReadQuery): Promise<ReadResult> {
    try {
      const identity = this.identities.require();
      checkNameLengths(query);
      if (query.from === undefined) return await this.readUnread(identity, query);
      return { ...(await this.broker.readMessages(identity, query)), onResponseEnd: () => undefined };
    } catch (error) {
      throw toGatewayException(error, 'read');
    }
  }

  /** Reads of one client run one at a time, because the broker returns the same messages until they are acknowledged. */
  private async readUnread(identity: SigningIdentity, query: ReadQuery): Promise<ReadResult> {
    const { fqcn, clientId = DEFAULT_CLIENT_ID } = query;
    const release = await this.mutex.acquire(JSON.stringify([identity.address, fqcn, clientId]));
    try {
      const page = await this.broker.readMessages(identity, query);
      const last = page.messages.at(-1);
      return {
        ...page,
        onResponseEnd: (sentCompletely) => {
          if (sentCompletely && last) void this.acknowledge(identity, query, last).finally(release);
          else release();
        },
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Never rejects: messages that cannot be acknowledged are read again. */
  private async acknowledge(
    identity: SigningIdentity,
    { fqcn, clientId }: ReadQuery,
    { id: upTo }: Message,
  ): Promise<void> {
    try {
      await this.broker.acknowledge(identity, { fqcn, ...(clientId !== undefined && { clientId }), upTo });
    } catch (error) {
      if (isAcknowledgementUnknown(error)) return;
      this.log.warn({ err: error, channel: fqcn }, 'acknowledgement of read messages failed');
    }
  }
}

/** Whether the broker lacks the operation. Such a broker also ignores `move=false` and has already moved the offset. */
function isAcknowledgementUnknown(error: unknown): boolean {
  if (!(error instanceof BrokerError) || error.problem.kind !== 'refused') return false;
  const { status, err } = error.problem;
  return status === 405 || (status === 404 && errorKind(err?.code ?? '') !== 'CHANNEL_NOT_FOUND');
}

/** One holder for each key at a time. Waiting ends after a timeout, because a client may not read its response. */
class KeyedMutex {
  /** Resolves when the latest holder of the key releases it. */
  private readonly latest = new Map<string, Promise<void>>();

  constructor(private readonly timeoutMs: number) {}

  /** @returns a function that releases the key; idempotent */
  async acquire(key: string): Promise<() => void> {
    const previous = this.latest.get(key);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve)).then(() => {
      if (this.latest.get(key) === released) this.latest.delete(key);
    });
    this.latest.set(key, released);
    try {
      if (previous) await withTimeout(previous, this.timeoutMs);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
    }
    return release;
  }
}
