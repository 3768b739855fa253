import { Inject, Injectable } from '@nestjs/common';
import { errorKind, type Gap, type Message } from '@ssb/bus';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { BrokerClient } from '../broker/broker-client.js';
import { asOperation, BrokerError } from '../broker/broker-error.js';
import { messageOf } from '../broker/to-message.js';
import { requirePossibleNames, USUAL_CLIENT, type ReadQuery } from '../events/events-query.js';
import { IdentityKeeper, type SigningIdentity } from '../identity/identity.service.js';
import type { Settings } from '../settings.js';

export interface ReadAnswer {
  readonly messages: readonly Message[];
  /** Messages of the channel that retention took before this client had them. */
  readonly gap: Gap | undefined;
  /** The answer ended by its bounds, and there are further messages. */
  readonly more: boolean;
  /** To be called once, with whether the answer has left whole: only then do its messages count as had. Never throws. */
  readonly settle: (whole: boolean) => void;
}

/**
 * GET message (document 002). The broker is read without moving the client's position; that moves when the answer has left the gateway. So an
 * answer that is lost on either way costs no message: it comes again.
 */
@Injectable()
export class Reading {
  private readonly turns: ReadingTurns;

  constructor(
    private readonly keeper: IdentityKeeper,
    private readonly broker: BrokerClient,
    @Inject(SETTINGS) { BROKER_TIMEOUT_MS }: Settings,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.turns = new ReadingTurns(BROKER_TIMEOUT_MS);
  }

  /** What the client has not had yet on a channel, or with `from` everything since then. @throws GatewayFailure */
  read(query: ReadQuery): Promise<ReadAnswer> {
    return asOperation('read', async () => {
      const identity = this.keeper.required();
      requirePossibleNames(query);
      return query.from === undefined
        ? this.readOn(identity, query)
        : this.page(identity, query, () => undefined);
    });
  }

  private async readOn(identity: SigningIdentity, query: ReadQuery): Promise<ReadAnswer> {
    const { fqcn, clientId = USUAL_CLIENT } = query;
    const end = await this.turns.take(JSON.stringify([identity.address, fqcn, clientId]));
    try {
      return await this.page(identity, query, (last) => {
        if (last === undefined) end();
        else void this.acknowledge(identity, query, last).finally(end);
      });
    } catch (error) {
      end();
      throw error;
    }
  }

  /** @param settled told the last message that the client has got; undefined when it has got none */
  private async page(
    identity: SigningIdentity,
    query: ReadQuery,
    settled: (last: Message | undefined) => void,
  ): Promise<ReadAnswer> {
    const { messages, ...told } = await this.broker.messages(identity, query);
    const answered = messages.map(messageOf);
    return { messages: answered, ...told, settle: (whole) => settled(whole ? answered.at(-1) : undefined) };
  }

  /** Never rejects: what is not acknowledged comes again, which is the lesser evil. */
  private async acknowledge(
    identity: SigningIdentity,
    { fqcn, clientId }: ReadQuery,
    { id }: Message,
  ): Promise<void> {
    try {
      await this.broker.acknowledge(identity, {
        fqcn,
        ...(clientId !== undefined && { clientId }),
        upTo: id,
      });
    } catch (error) {
      if (movesByItself(error)) return;
      this.log.warn(
        { err: error, fqcn },
        'messages that were read come again: they could not be acknowledged',
      );
    }
  }
}

/** A broker that does not know the address, nor `move=false`: it has moved the position before it answered. */
function movesByItself(error: unknown): boolean {
  if (!(error instanceof BrokerError) || error.problem.kind !== 'refused') return false;
  const { status, err } = error.problem;
  return status === 405 || (status === 404 && errorKind(err?.code ?? '') !== 'CHANNEL_NOT_FOUND');
}

/**
 * Whoever reads for one reader waits until the reading before has been settled, since the broker gives both the same messages until then.
 * Nobody waits longer than the patience, so one that does not take its answer holds up the others no longer than that; they may then get
 * what it was given.
 */
class ReadingTurns {
  /** For each reader the end of the turn that was asked for last. */
  private readonly last = new Map<string, Promise<void>>();

  constructor(private readonly patienceMs: number) {}

  /** @returns ends the turn; harmless when repeated */
  async take(reader: string): Promise<() => void> {
    const before = this.last.get(reader);
    let end: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (end = resolve)).then(() => {
      if (this.last.get(reader) === over) this.last.delete(reader);
    });
    this.last.set(reader, over);
    if (before) await this.patiently(before);
    return end;
  }

  private async patiently(awaited: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.patienceMs)));
    await Promise.race([awaited, late]);
    clearTimeout(timer);
  }
}
