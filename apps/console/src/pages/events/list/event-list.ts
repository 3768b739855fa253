import type { ApiError } from '../../../api/api-client.js';
import type { EventRow } from '../../../api/operations.js';

export interface EventPage {
  readonly items: readonly EventRow[];
  readonly next?: string;
}

export interface EventListState {
  /** The newest facts first, as the API lists them. */
  readonly rows: readonly EventRow[];
  /** Page one was read. */
  readonly hasRead: boolean;
  /** There are earlier events, and the list is not too long for them. */
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  readonly error: ApiError | undefined;
  /** When page one was read, epoch milliseconds; zero before. */
  readonly readAt: number;
}

/** More rows than a person reads. */
export const MAX_ROWS = 20_000;
/** Events that arrive together change the list once. */
const COLLECT_MS = 100;
/** Events that wait for a person to return to the list. */
const MAX_WAITING = 2_000;

/**
 * The events of one filter. Pages are read once, the stream adds what is new. Page one is read again only when events of the stream may be
 * missing.
 */
export class EventList {
  /** Whether the reader sees the first row. Otherwise no row is removed. */
  isAtTop = true;
  /** The row that the keyboard is on. */
  selectedId: string | undefined;
  /** The entry of the browser's history from which a row was opened. */
  openedFrom: string | undefined;
  /** The beginning of the stream from which on the list has all its events. */
  heardSince: number | undefined;

  private state: EventListState = {
    rows: [],
    hasRead: false,
    hasMore: false,
    isReadingMore: false,
    error: undefined,
    readAt: 0,
  };
  private known = new Set<string>();
  private next: string | undefined;
  private arrived: EventRow[] = [];
  private readonly watchers = new Set<() => void>();
  private newest: Promise<void> | undefined;

  constructor(
    private readonly readPage: (cursor: string | undefined) => Promise<EventPage>,
    private readonly schedule: (work: () => void) => void = (work) => void setTimeout(work, COLLECT_MS),
  ) {}

  readonly getState = (): EventListState => this.state;

  /** @returns ends the subscription */
  readonly subscribe = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    if (this.arrived.length > 0) this.schedule(() => this.insertArrived());
    return () => void this.watchers.delete(watcher);
  };

  /** Adds an event of the stream in its place, once somebody sees the list. */
  add(row: EventRow): void {
    if (this.watchers.size === 0 && this.arrived.length === MAX_WAITING) {
      this.arrived = [];
      this.heardSince = undefined;
    }
    this.arrived.push(row);
    if (this.arrived.length === 1) this.schedule(() => this.insertArrived());
  }

  /** Reads page one, and adds what is not in the list. A list that ends above page one begins again with it. */
  readNewest(): Promise<void> {
    this.newest ??= this.readPage(undefined)
      .then((page) => this.merge(page))
      .catch((error: unknown) => this.change({ error: error as ApiError }))
      .finally(() => (this.newest = undefined));
    return this.newest;
  }

  /** Reads page one, also when a reading that may be too old has begun. */
  async readAgain(): Promise<void> {
    await this.newest;
    await this.readNewest();
  }

  /** Drops all rows, and begins with page one. */
  beginAgain(): Promise<void> {
    this.next = undefined;
    this.known = new Set();
    this.arrived = [];
    this.change({ rows: [], hasRead: false, hasMore: false, error: undefined });
    return this.readAgain();
  }

  /** Reads the page after the last row. After an error only when page one was read again. */
  async readMore(): Promise<void> {
    const { next, state } = this;
    if (next === undefined || !state.hasMore || state.isReadingMore || state.error !== undefined) return;
    this.change({ isReadingMore: true });
    try {
      const page = await this.readPage(next);
      // Meanwhile the list may have begun again.
      if (this.next !== next) return;
      const rows = page.items.filter(({ id }) => !this.known.has(id));
      this.setRows([...this.state.rows, ...rows], page.next);
    } catch (error) {
      this.change({ error: error as ApiError });
    } finally {
      this.change({ isReadingMore: false });
    }
  }

  private merge(page: EventPage): void {
    const { hasRead } = this.state;
    const overlaps = page.next === undefined || page.items.some(({ id }) => this.known.has(id));
    if (hasRead && overlaps && this.state.rows.length <= MAX_ROWS) this.insert(page.items);
    else this.setRows(page.items, page.next);
    this.change({ readAt: Date.now() });
    this.insertArrived();
  }

  private insertArrived(): void {
    if (!this.state.hasRead || this.watchers.size === 0) return;
    const { arrived } = this;
    this.arrived = [];
    this.insert(arrived);
    if (this.isAtTop && this.state.rows.length > MAX_ROWS) void this.readNewest();
  }

  private insert(added: readonly EventRow[]): void {
    const fresh = added.filter(({ id }) => !this.known.has(id));
    const rows = fresh.reduce((before, row) => this.insertOne(before, row), this.state.rows);
    this.setRows(rows, this.next);
  }

  private insertOne(rows: readonly EventRow[], row: EventRow): readonly EventRow[] {
    const at = Date.parse(row.time);
    const found = rows.findIndex(({ time }) => Date.parse(time) <= at);
    const place = found < 0 ? rows.length : found;
    // What is earlier than the last row comes with its page.
    if ((place === rows.length && this.next !== undefined) || this.known.has(row.id)) return rows;
    this.known.add(row.id);
    return rows.toSpliced(place, 0, row);
  }

  private setRows(rows: readonly EventRow[], next: string | undefined): void {
    this.next = next;
    if (rows === this.state.rows && this.state.hasRead && this.state.error === undefined) return;
    this.known = new Set(rows.map(({ id }) => id));
    this.change({
      rows,
      hasRead: true,
      hasMore: next !== undefined && rows.length < MAX_ROWS,
      error: undefined,
    });
  }

  private change(change: Partial<EventListState>): void {
    this.state = { ...this.state, ...change };
    for (const watcher of this.watchers) watcher();
  }
}
