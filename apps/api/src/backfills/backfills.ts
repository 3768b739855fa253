import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { HopActions, type HopAction } from '../hops/hop-actions.js';
import { backfill, backfillList, listedEvents, startedBackfill } from '../hops/hop-responses.js';
import { Hops } from '../hops/hops.js';
import { toPage, wrongCursor, type Page, type PageQuery } from '../http/page.js';
import { notFound } from '../http/problems.js';
import { isStorable, MAX_CODE_LENGTH } from '../http/texts.js';
import type { OptionalComment } from '../requests/comment.js';
import type { BackfillRow, ListedEvent, StartBackfillBody, StartedBackfill } from './backfill-dto.js';

const ACTION = { app: 'poller', lookAt: 'GET /v1/backfills' } as const satisfies Partial<HopAction<never>>;

/** The backfills, which the poller carries out. */
@Injectable()
export class Backfills {
  constructor(
    private readonly hops: Hops,
    private readonly actions: HopActions,
  ) {}

  /** @throws InvalidRequestError for the cursor of a participant without a backfill */
  async list({ limit, cursor }: PageQuery): Promise<Page<BackfillRow>> {
    const lists = await this.hops.readEach('poller', backfillList, { path: '/backfills' });
    const found = lists.flatMap((list) => list.items.map((each) => [each.participant, each] as const));
    const items = [...new Map(found).values()];
    const start = cursor === undefined ? -1 : items.findIndex(({ participant }) => participant === cursor);
    if (cursor !== undefined && start < 0) throw wrongCursor();
    return toPage(items.slice(start + 1, start + 2 + limit), limit, ({ participant }) => participant);
  }

  read(participant: string): Promise<BackfillRow> {
    return this.hops.read('poller', backfill, requestOf(participant));
  }

  listed(participant: string, { limit, cursor }: PageQuery): Promise<Page<ListedEvent>> {
    const query = { limit: String(limit), ...(cursor !== undefined && { cursor }) };
    return this.hops.read('poller', listedEvents, { ...requestOf(participant, '/events'), query });
  }

  start({ name: author }: Caller, { comment, ...range }: StartBackfillBody): Promise<StartedBackfill> {
    return this.actions.carryOut(
      { kind: 'start-backfill', parameters: range, author, comment },
      {
        ...ACTION,
        request: { path: '/backfills', body: range, isOfParticipant: true },
        response: startedBackfill,
        summarise: ({ outcome }) => ({ outcome }),
      },
    );
  }

  async cancel(
    { name: author }: Caller,
    participant: string,
    { comment }: OptionalComment,
  ): Promise<BackfillRow> {
    return this.actions.carryOut(
      { kind: 'cancel-backfill', parameters: { participant }, author, comment },
      {
        ...ACTION,
        request: requestOf(participant, '/cancel'),
        response: backfill,
        summarise: ({ from, to, state, events }) => ({ from, to, state, events }),
      },
    );
  }
}

function requestOf(participant: string, suffix = '') {
  // The client would resolve a path segment of dots.
  if (!isStorable(participant, MAX_CODE_LENGTH) || /^\.+$/.test(participant)) notFound('backfill');
  const path = `/backfills/${encodeURIComponent(participant)}${suffix}`;
  return { path, namesResource: true, isOfParticipant: true };
}
