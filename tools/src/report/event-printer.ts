import { HEARTBEAT_TYPE } from '@ssb/config';
import { isEventType, timePrecisionOf } from '@ssb/events';
import type { LogLine } from '../system/app-process.js';
import { BacklogSummary } from './backlog-summary.js';
import type { ArchiveReader } from './archive-reader.js';
import { type LinePrinter, printEventLine, shortenType } from './event-lines.js';

export interface EventPrinterOptions {
  readonly printer: LinePrinter;
  readonly archive: Pick<ArchiveReader, 'read'>;
  /** Facts that were published before are counted, and not listed. Without it, only those that the subscriber took for backlog. */
  readonly listedSince?: Date | undefined;
  /** Time without an event of the past after which their number is printed. */
  readonly quietMs?: number | undefined;
}

const CALCULATED = 'position.calculated';
/** Comes seconds or days after the invoice. */
const DOCUMENT_STORED = 'invoice.document-stored';
const PAYMENT_DUE = 'payment.due';
const DAY_MS = 86_400_000;
/** Invoices that are remembered, because their documents and reminders follow. */
const MAX_INVOICES = 1_000;

/** What the subscriber logs when it has archived an event. */
interface ArchivedLine {
  readonly id: string;
  /** Without `settlementbus.` and the version. */
  readonly type: string;
  readonly subject: string;
  readonly isAlert: boolean;
  readonly isPast: boolean;
}

/** Prints one line for each archived event, in the order of the log. Calculations and heartbeats have none. */
export class EventPrinter {
  private readonly summary: BacklogSummary;
  private readonly listedInvoices = new Set<string>();
  /** Prints what was recorded, and from now on each line at once. */
  readonly start: () => void;
  /** Resolves when everything up to now is printed. */
  private printed: Promise<void>;

  constructor(private readonly options: EventPrinterOptions) {
    let start: () => void = () => undefined;
    this.printed = new Promise((resolve) => (start = resolve));
    this.start = start;
    const printSummary = (): void => this.enqueue(() => this.summary.print());
    this.summary = new BacklogSummary(options.printer, printSummary, options.quietMs);
  }

  /** Records a log line of the subscriber. */
  record(line: LogLine): void {
    const archived = this.read(line);
    if (archived === undefined) return;
    switch (this.decide(archived)) {
      case 'count':
        this.summary.add(archived.type, archived.isAlert);
        break;
      case 'list':
        this.remember(archived);
        this.enqueue(() => this.print(line, archived));
        break;
      case 'ignore':
    }
  }

  /** Resolves when everything up to now is printed. Only after the start. */
  settled(): Promise<void> {
    this.enqueue(() => this.summary.print());
    return this.printed;
  }

  private enqueue(work: () => Promise<void> | void): void {
    this.printed = this.printed.then(work);
  }

  private read(line: LogLine): ArchivedLine | undefined {
    const { step, eventId, eventType, subject, factTime, backlog, deliveryKind } = line;
    if (step !== 'archived' || typeof eventId !== 'string' || typeof eventType !== 'string') return undefined;
    if (eventType === HEARTBEAT_TYPE) return undefined;
    const isBacklog = backlog === true;
    const { listedSince } = this.options;
    return {
      id: eventId,
      type: shortenType(eventType),
      subject: String(subject),
      isAlert: deliveryKind === 'alert',
      isPast:
        isBacklog || (listedSince !== undefined && publishedBy(eventType, factTime) <= listedSince.getTime()),
    };
  }

  private decide({ type, subject, isPast }: ArchivedLine): 'list' | 'count' | 'ignore' {
    const isOfListedInvoice = this.listedInvoices.has(invoiceOf(subject));
    if (isPast) return type === PAYMENT_DUE && isOfListedInvoice ? 'ignore' : 'count';
    if (type === CALCULATED) return 'ignore';
    // The documents of the backlog are stored little by little.
    const isDocument = type === DOCUMENT_STORED && this.options.listedSince !== undefined;
    return isDocument && !isOfListedInvoice ? 'ignore' : 'list';
  }

  private remember({ type, subject }: ArchivedLine): void {
    if (!type.startsWith('invoice.')) return;
    this.listedInvoices.add(invoiceOf(subject));
    const [oldest] = this.listedInvoices;
    if (this.listedInvoices.size > MAX_INVOICES && oldest !== undefined) this.listedInvoices.delete(oldest);
  }

  private async print(line: LogLine, { id, subject, isAlert }: ArchivedLine): Promise<void> {
    const { printer, archive } = this.options;
    const event = await archive.read(id);
    this.summary.print();
    const { eventType, time, detectedAt } = line as Readonly<
      Record<'eventType' | 'time' | 'detectedAt', string>
    >;
    printEventLine(printer, { type: eventType, subject, archivedAt: time, detectedAt, isAlert, event });
  }
}

/** The subject of the invoice that a document or a reminder is about. */
function invoiceOf(subject: string): string {
  return subject.replace(/\/(?:document|payment)$/, '');
}

/** The latest time that `factTime` may stand for: a fact that has only a date counts as published at the end of that day. */
function publishedBy(type: string, factTime: unknown): number {
  const at = Date.parse(String(factTime));
  return isEventType(type) && timePrecisionOf(type) === 'day' ? at + DAY_MS : at;
}
