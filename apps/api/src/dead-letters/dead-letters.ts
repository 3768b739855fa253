import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { HopActions, type HopAction } from '../hops/hop-actions.js';
import {
  deadLetterDetails,
  deadLetterPage,
  removedLetter,
  retriedLetter,
  retriedPage,
} from '../hops/hop-responses.js';
import { Hops } from '../hops/hops.js';
import { notFound } from '../http/problems.js';
import { isStorable } from '../http/texts.js';
import type { OptionalComment } from '../requests/comment.js';
import type { Page } from '../http/page.js';
import type {
  DeadLetter,
  DeadLetterRow,
  DeadLettersQuery,
  RetriedLetter,
  RetriedPage,
  RetryBody,
  RetryPageBody,
} from './dead-letter-dto.js';

const MAX_ID_LENGTH = 255;
const ACTION = { app: 'bus-publisher', lookAt: 'GET /v1/dead-letters' } as const satisfies Partial<
  HopAction<never>
>;

/** The dead letters, which the bus-publisher keeps. */
@Injectable()
export class DeadLetters {
  constructor(
    private readonly hops: Hops,
    private readonly actions: HopActions,
  ) {}

  list({ limit, cursor }: DeadLettersQuery): Promise<Page<DeadLetterRow>> {
    const query = { limit: String(limit), ...(cursor !== undefined && { cursor }) };
    return this.hops.read('bus-publisher', deadLetterPage, { path: '/dead-letters', query });
  }

  read(id: string): Promise<DeadLetter> {
    return this.hops.read('bus-publisher', deadLetterDetails, {
      path: pathOf(id),
      right: 'operate',
      namesResource: true,
    });
  }

  retry({ name: author }: Caller, id: string, { unverified, comment }: RetryBody): Promise<RetriedLetter> {
    return this.actions.carryOut(
      { kind: 'retry-dead-letter', parameters: { id, unverified }, author, comment },
      {
        ...ACTION,
        request: { path: `${pathOf(id)}/retry`, body: { unverified }, namesResource: true },
        response: retriedLetter,
        summarise: ({ outcome }) => ({ outcome }),
      },
    );
  }

  retryPage({ name: author }: Caller, { limit, cursor, comment }: RetryPageBody): Promise<RetriedPage> {
    const page = { limit, ...(cursor !== undefined && { cursor }) };
    return this.actions.carryOut(
      { kind: 'retry-dead-letters', parameters: page, author, comment },
      {
        ...ACTION,
        request: { path: '/dead-letters/retry', body: page },
        response: retriedPage,
        summarise: ({ items }) => ({ results: items.map(({ id, outcome }) => ({ id, outcome })) }),
      },
    );
  }

  async remove({ name: author }: Caller, id: string, { comment }: OptionalComment): Promise<DeadLetterRow> {
    return this.actions.carryOut(
      { kind: 'remove-dead-letter', parameters: { id }, author, comment },
      {
        ...ACTION,
        request: { path: `${pathOf(id)}/remove`, namesResource: true },
        response: removedLetter,
        summarise: ({ type, subject, reason }) => ({ type, subject, reason }),
      },
    );
  }
}

function pathOf(id: string): string {
  // The client would resolve a path segment of dots.
  if (!isStorable(id, MAX_ID_LENGTH) || /^\.+$/.test(id)) notFound('dead letter');
  return `/dead-letters/${encodeURIComponent(id)}`;
}
