import { Injectable } from '@nestjs/common';
import { InvalidRequestError } from '@ssb/platform';
import { visibleParticipants, type Caller } from '../access/caller.js';
import { ParticipantSettings } from '../configuration/participant-settings.js';
import { openItemList } from '../hops/hop-responses.js';
import { Hops } from '../hops/hops.js';
import { toPage, wrongCursor, type Page } from '../http/page.js';
import type { OpenItemRow, OpenItemsQuery } from './open-item-dto.js';

/** More are not sent to the poller, because an address is limited. The API leaves the others out itself. */
const MAX_SENT_PARTICIPANTS = 50;

const SETTLEMENT_KINDS = ['statement', 'invoice', 'document'];

/** The open items, which the poller saves at each poll. */
@Injectable()
export class OpenItems {
  constructor(
    private readonly hops: Hops,
    private readonly settings: ParticipantSettings,
  ) {}

  /** What is missing for longest first. @throws InvalidRequestError, ProblemException */
  async list(caller: Caller, query: OpenItemsQuery): Promise<Page<OpenItemRow>> {
    const { cursor, limit } = query;
    const codes = visibleParticipants(caller, query.participant);
    const rows = codes?.length === 0 ? [] : await this.read(codes);
    const places = new Map(
      rows
        .filter((row) => (codes === undefined || codes.includes(row.participant)) && isWanted(row, query))
        .map((row) => [placeOf(row), row]),
    );
    const last = cursor === undefined ? '' : readCursor(cursor);
    const later = [...places.keys()].filter((place) => place > last).sort();
    const page = later.slice(0, limit + 1).flatMap((place) => places.get(place) ?? []);
    return toPage(page, limit, (row) => Buffer.from(placeOf(row)).toString('base64url'));
  }

  /** Each replica lists all participants of its configuration; pollers of one participant each list theirs. */
  private async read(codes: readonly string[] | undefined): Promise<OpenItemRow[]> {
    const isSent = codes !== undefined && codes.length <= MAX_SENT_PARTICIPANTS;
    const { values: lists, failure } = await this.hops.readThose('poller', openItemList, {
      path: '/open-items',
      ...(isSent && { query: { participant: codes } }),
    });
    const listed = new Set(lists.flatMap(({ participants }) => participants));
    const isComplete = (codes ?? this.settings.codes()).every((code) => listed.has(code));
    // A replica that is down takes nothing away when another one has listed the same participants.
    if (failure !== undefined && !isComplete) throw failure;
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

/** What is unknown may be of every market, and of every kind of its interface. */
function isWanted(row: OpenItemRow, { market, kind }: OpenItemsQuery): boolean {
  const isOfSettlement = row.kind === 'unknown' && row.interface !== 'prudential';
  const kinds = isOfSettlement ? SETTLEMENT_KINDS : row.kind === 'unknown' ? ['calculation'] : [];
  return (
    (market === undefined || isOfSettlement || (row.market !== undefined && market.includes(row.market))) &&
    (kind === undefined || [row.kind, ...kinds].some((each) => kind.includes(each)))
  );
}

/** Sorts an item, and names it. A missing time sorts first. */
function placeOf(row: OpenItemRow): string {
  const { since = '', participant, kind, market, periodFrom, designation, invoiceNumber } = row;
  return JSON.stringify([
    ...[since, participant, kind, row.interface, market, periodFrom],
    ...[designation, invoiceNumber],
  ]);
}

function readCursor(cursor: string): string {
  const place = Buffer.from(cursor, 'base64url').toString();
  if (!place.startsWith('["') || Buffer.from(place).toString('base64url') !== cursor) throw wrongCursor();
  return place;
}
