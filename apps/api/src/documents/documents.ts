import { MEDIA_TYPES, type DocumentRecord, type DocumentStore, type OpenedDocument } from '@ssb/documents';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, ProblemException, type Logger } from '@ssb/platform';
import { maySee, visibleParticipants, type Caller } from '../access/caller.js';
import { isBeginningOfId, refuseShortId } from '../database/find-id.js';
import { toPage, wrongCursor, type Page } from '../http/page.js';
import { isUuid } from '../http/texts.js';
import type { DocumentRow, DocumentsQuery } from './document-dto.js';

/** Token of the DocumentStore; undefined with DOCUMENT_STORE=none. */
export const DOCUMENTS = Symbol('DOCUMENTS');

/** The id of no document. */
const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** Ids that an error lists. */
const MAX_CANDIDATES = 10;

/** The documents that a caller may see. */
@Injectable()
export class Documents implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(DOCUMENTS) private readonly store: DocumentStore | undefined,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** A wrong folder or key is reported at the start. The API serves everything else without the store. */
  onApplicationBootstrap(): void {
    this.store?.get(NIL_ID).catch((err: unknown) => this.log.error({ err }, 'document store cannot be used'));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store?.close();
  }

  /** The newest first. @throws InvalidRequestError */
  async list(caller: Caller, query: DocumentsQuery): Promise<Page<DocumentRow>> {
    const { participant, market: markets, invoice: reference, since, until, limit, cursor } = query;
    if (this.store === undefined) return { items: [] };
    const after = cursor === undefined ? undefined : await this.findPlace(caller, cursor);
    const participants = visibleParticipants(caller, participant);
    const filter = { participants, markets, reference, since, until, after, limit: limit + 1 };
    const records = await this.store.list(filter);
    return toPage(records.map(toRow), limit, ({ id }) => id);
  }

  /** @param id or its beginning @throws InvalidRequestError, ProblemException 409 when several begin so */
  async find(caller: Caller, id: string): Promise<DocumentRow | undefined> {
    const record = await this.findRecord(caller, id);
    return record && toRow(record);
  }

  /** As `find`, with the bytes, which are requested when they are read. */
  async open(caller: Caller, id: string): Promise<OpenedDocument | undefined> {
    const record = await this.findRecord(caller, id);
    return record && this.store?.open(record.id);
  }

  private async findRecord(caller: Caller, text: string): Promise<DocumentRecord | undefined> {
    refuseShortId(text, 'id');
    const idBeginning = text.toLowerCase();
    if (this.store === undefined || !isBeginningOfId(text)) return undefined;
    if (isUuid(idBeginning)) {
      const record = await this.store.get(idBeginning);
      return record && maySee(caller, record.participant) ? record : undefined;
    }
    const participants = visibleParticipants(caller, undefined);
    const [first, ...others] = await this.store.list({
      participants,
      idBeginning,
      limit: MAX_CANDIDATES + 1,
    });
    if (first === undefined || others.length === 0) return first;
    const ids = [first, ...others].slice(0, MAX_CANDIDATES).map(({ id }) => id);
    const more = others.length >= MAX_CANDIDATES ? ' and others' : '';
    throw new ProblemException(
      409,
      'Conflict',
      `Several documents begin with ${idBeginning}: ${ids.join(', ')}${more}. Give more characters.`,
    );
  }

  private async findPlace(caller: Caller, id: string): Promise<DocumentRecord> {
    const record = isUuid(id) ? await this.store?.get(id) : undefined;
    if (record === undefined || !maySee(caller, record.participant)) throw wrongCursor();
    return record;
  }
}

function toRow(record: DocumentRecord): DocumentRow {
  const { kind, reference: invoice, version: digest, ...same } = record;
  const { id, participant, market, periodFrom, designation, bytes, sha256, storedAt } = same;
  const key = { id, participant, market, periodFrom, designation, invoice, digest };
  return { ...key, mediaType: MEDIA_TYPES[kind], bytes, sha256, storedAt };
}
