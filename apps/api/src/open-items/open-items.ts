import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '@ssb/platform';
import { visibleParticipants, type Caller } from '../access/caller.js';
import { openItemList } from '../hops/hop-responses.js';
import { Hops } from '../hops/hops.js';
import { toPage, wrongCursor, type Page } from '../http/page.js';
import type { OpenItemRow, OpenItemsQuery } from './open-item-dto.js';

/** More are not sent to the poller, because an address is limited. The API leaves the others out itself. */
const MAX_SENT_PARTICIPANTS = 50;

/** The open items, which the poller saves at each poll. */
@Injectable()
export class OpenItems {
  constructor(private readonly hops: Hops) {}

  /** What is missing for longest first. @throws InvalidRequestError, ProblemException */
  async list(caller: Caller, query: OpenItemsQuery): Promise<Page<OpenItemRow>> {
    const { market, kind, cursor, limit } = query;
    const codes = visibleParticipants(caller, query.participant);
    const rows = codes?.length === 0 ? [] : await this.read(codes);
    const isWanted = (row: OpenItemRow): boolean =>
      (codes === undefined || codes.includes(row.participant)) &&
      (market === undefined || (row.market !== undefined && market.includes(row.market))) &&
      (kind === undefined || kind.includes(row.kind));
    const places = new Map(rows.filter(isWanted).map((row) => [placeOf(row), row]));
    const last = cursor === undefined ? '' : readCursor(cursor);
    const later = [...places.keys()].filter((place) => place > last).sort();
    const page = later.slice(0, limit + 1).flatMap((place) => places.get(place) ?? []);
    return toPage(page, limit, (row) => Buffer.from(placeOf(row)).toString('base64url'));
  }

  /** Each replica lists all participants of its configuration; pollers of one participant each list theirs. */
  private async read(codes: readonly string[] | undefined): Promise<OpenItemRow[]> {
    const isSent = codes !== undefined && codes.length <= MAX_SENT_PARTICIPANTS;
    const lists = await this.hops.readEach('poller', openItemList, {
      path: '/open-items',
      ...(isSent && { query: { participant: codes } }),
    });
    if (lists.some(({ furtherItems }) => furtherItems > 0))
      throw new InvalidRequestError([
        { path: 'participant', message: 'participant is needed: more items are open than a poller lists' },
      ]);
    return lists
      .flatMap(({ items }) => items)
      .map(({ periodFrom, ...item }) => ({
        ...item,
        ...(periodFrom !== undefined && { periodFrom: periodFrom.slice(0, 'yyyy-MM-dd'.length) }),
      }));
  }
}

/** Sorts an item, and names it. A missing time sorts first. */
function placeOf(row: OpenItemRow): string {
  const { since = '', participant, kind, market, periodFrom, designation, invoiceNumber } = row;
  return JSON.stringify([since, participant, kind, market, periodFrom, designation, invoiceNumber]);
}

function readCursor(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString();
  if (!place.startsWith('["') || Buffer.from(place).toString('base64url') !== cursor) throw wrongCursor();
  return place;
}
