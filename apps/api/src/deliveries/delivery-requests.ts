import { Injectable } from '@nestjs/common';
import { Database } from '@ssb/postgres';
import { maySee, type Caller } from '../access/caller.js';
import { findDeliveredEvent } from '../database/find-id.js';
import { invalid } from '../http/problems.js';
import type { RequestRow } from '../requests/request-dto.js';
import { RequestWriter } from '../requests/request-writer.js';
import type { Wait } from '../requests/wait.js';
import type { ReplayRequest, ResendRequest, SkipRequest } from './delivery-request-dto.js';
import { findDeliveryTypes } from './delivery-types.js';

/** Requests about many deliveries. A caller of some participants changes only what belongs to these. */
@Injectable()
export class DeliveryRequests {
  constructor(
    private readonly database: Database,
    private readonly writer: RequestWriter,
  ) {}

  /** @throws InvalidRequestError, ProblemException */
  async change(
    kind: 'resend' | 'skip',
    caller: Caller,
    selection: ResendRequest | SkipRequest,
    wait: Wait,
  ): Promise<RequestRow> {
    const { events, sink, states, types, since, comment } = selection;
    if ([events, states, types, since].every((given) => given === undefined))
      throw invalid('', 'Say which deliveries: with events, states, types or since');
    await this.requireKnownSink(caller, sink);
    const parameters = {
      ...toParameters(caller, selection),
      ids: events && (await this.findEvents(caller, events)),
      states,
      // The events of a digest belong to several participants.
      ...(caller.participants !== 'all' && { digests: false }),
    };
    return this.writer.add(caller, { kind, parameters, comment }, wait);
  }

  /** @throws InvalidRequestError, ProblemException */
  async replay(caller: Caller, selection: ReplayRequest, wait: Wait): Promise<RequestRow> {
    await this.requireKnownSink(caller, selection.sink);
    const { comment } = selection;
    return this.writer.add(
      caller,
      { kind: 'replay', parameters: toParameters(caller, selection), comment },
      wait,
    );
  }

  /** @throws InvalidRequestError for an unknown one */
  private async findEvents(caller: Caller, events: readonly string[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const text of events) {
      const id = await findDeliveredEvent(this.database, caller, text, 'events');
      if (id === undefined)
        throw invalid(
          'events',
          `events must be ids of events that sinks get, or their first 6 characters or more: none begins with ${text}. /v1/deliveries lists them.`,
        );
      ids.push(id);
    }
    return ids;
  }

  /** A caller of some participants knows the sinks that have had something of these. The others are unknown to it. */
  private async requireKnownSink({ participants }: Caller, sink: string | undefined): Promise<void> {
    if (sink === undefined || participants === 'all') return;
    const rows = await this.database.query(
      'SELECT FROM delivery WHERE sink = $1 AND listed_participant = ANY ($2::text[]) LIMIT 1',
      [sink, participants],
    );
    if (rows.length === 0)
      throw invalid(
        'sink',
        `sink must be one that has had deliveries of ${listFirst(participants)}: /v1/deliveries lists them.`,
      );
  }
}

/** Of the participants that an error names. */
const MAX_NAMED = 10;

function listFirst(participants: readonly string[]): string {
  const named = participants.slice(0, MAX_NAMED).join(', ');
  const others = participants.length - MAX_NAMED;
  return others > 0 ? `${named} and ${others} ${others === 1 ? 'other' : 'others'}` : named;
}

/** `parameters` of a request, without those that are of one kind only. */
function toParameters(
  caller: Caller,
  { sink, types, participants, since, until }: Omit<SkipRequest, 'events' | 'states'>,
): Readonly<Record<string, unknown>> {
  if (since !== undefined && until !== undefined && since >= until)
    throw invalid('until', 'until must be after since');
  const foreign = participants?.find((code) => !maySee(caller, code));
  if (foreign !== undefined && caller.participants !== 'all')
    throw invalid(
      'participants',
      `participants must be among those of the credentials: ${listFirst(caller.participants)}`,
    );
  return {
    sink,
    types: types?.flatMap(findDeliveryTypes),
    participants: participants ?? (caller.participants === 'all' ? undefined : caller.participants),
    since: since?.toISOString(),
    until: until?.toISOString(),
  };
}
