import { setTimeout as pause } from 'node:timers/promises';
import { backoffDelayMs } from '@ssb/net';
import { standardError, standardOutput, StyledText } from '@ssb/platform/cli';
import type { ApiClient } from '../api/api-client.js';
import { checkParticipants } from '../api/visible-participants.js';
import type { EventRow } from '../api/operations.js';
import { withApi } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { severityStyle, shortId, showTime, showType } from '../output/text.js';
import { filtersOf, type TailOptions } from './events.js';
import { readServerSentEvents } from './server-sent-events.js';

const BACKOFF = { baseMs: 1_000, maxMs: 30_000 };

/** Prints events as they are archived, until Ctrl-C. */
export const tailEvents = (options: TailOptions): Promise<void> =>
  withApi(options, async (api) => {
    await checkParticipants(api, options.participant);
    await new EventTail(api, options).run();
  });

/** A stream of the archive API, across as many connections as it needs. */
class EventTail {
  private last: string | undefined;
  /** Connections in a row without an event. */
  private failures = 0;

  constructor(
    private readonly api: ApiClient,
    private readonly options: TailOptions,
  ) {
    this.last = options.after;
  }

  /** @throws CommandError when the first connection fails, or the caller may not read any more */
  async run(): Promise<void> {
    for (let isFirst = true; ; isFirst = false) {
      const reason = await this.follow(isFirst);
      this.failures += 1;
      const gap =
        this.last === undefined
          ? ' Events that are archived meanwhile are only in "busbridge events list".'
          : '';
      standardError.writeLine(`${reason} Connecting again.${gap}`);
      await pause(backoffDelayMs(this.failures, BACKOFF, Math.random()));
    }
  }

  /** Prints the events of one connection. @returns why it has ended, in a sentence */
  private async follow(isFirst: boolean): Promise<string> {
    let body: AsyncIterable<Uint8Array>;
    try {
      body = await this.api.streamEvents(filtersOf(this.options), this.last);
    } catch (error) {
      if (isFirst || !(error instanceof CommandError)) throw error;
      if (error.status === EXIT.unreachable) return error.message;
      if (error.status !== EXIT.usage || this.last === undefined) throw error;
      this.last = undefined;
      return 'The event after which the stream continues was deleted.';
    }
    try {
      for await (const { id, type, data } of readServerSentEvents(body)) {
        if (type === 'end') return describeEnd(data);
        if (type !== 'message') continue;
        this.last = id;
        if (data === '') continue;
        this.print(JSON.parse(data) as EventRow);
        this.failures = 0;
      }
      return 'The stream ended without a reason.';
    } catch (error) {
      if (error instanceof CommandError) throw error;
      return `The connection was lost: ${(error as Error).message.replace(/\.$/, '')}.`;
    }
  }

  private print(event: EventRow): void {
    if (this.options.output === 'json') return standardOutput.writeJson(event, 0);
    const { time, severity, type, participant, id, subject } = event;
    standardOutput.writeLine(
      StyledText.join(
        [
          StyledText.of(showTime(time)),
          StyledText.of(severity, severityStyle(severity)).pad('critical'.length),
          StyledText.of(showType(type)).pad('invoice.document-stored'.length),
          StyledText.of(participant),
          StyledText.of(shortId(id)),
          StyledText.of(subject),
        ],
        '  ',
      ),
    );
  }
}

/** @throws CommandError when another connection would be refused */
function describeEnd(data: string): string {
  const { reason, message } = JSON.parse(data) as { readonly reason: string; readonly message: string };
  if (reason === 'expired') throw new CommandError(message, EXIT.notPermitted);
  return message.replace(/ Connect again.*$/, '');
}
