import type { Logger } from '@ssb/platform';
import type { Unreadable } from '../detection/detection.js';
import type { UnreadableResource } from '../metrics.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';

const MAX_LOGGED_PATHS = 20;
/** More than the statements, invoices and estimations of a timeline. */
const MAX_LOGGED_DOCUMENTS = 5_000;

/** Logs which parts of responses and of the saved state cannot be used, when they change. */
export class UnreadableLog {
  /** What was logged last about each document, the latest document last. */
  private readonly logged = new Map<string, string>();
  private readonly unusable = new Set<string>();

  constructor(
    private readonly metrics: ParticipantMetrics,
    private readonly log: Logger,
  ) {}

  /** Counts the parts of a document that could not be used. An empty list means that the document is usable again. */
  recordResponse(
    resource: UnreadableResource,
    unreadable: readonly Unreadable[],
    document: string = resource,
  ): void {
    const paths = unreadable.slice(0, MAX_LOGGED_PATHS).map(({ path, reason }) => `${path}: ${reason}`);
    const text = paths.join('\n');
    if (unreadable.length > 0) this.metrics.shared.unreadable.inc({ resource }, unreadable.length);
    const isKnown = this.logged.get(document) === text;
    this.logged.delete(document);
    if (text === '') return;
    this.logged.set(document, text);
    const [oldest] = this.logged.keys();
    if (this.logged.size > MAX_LOGGED_DOCUMENTS && oldest !== undefined) this.logged.delete(oldest);
    if (isKnown) return;
    this.log.warn({ resource, count: unreadable.length, paths }, 'response partly unreadable');
  }

  /** The saved state of a part is damaged or of a later release. Its facts are detected again. Logged once for each part. */
  recordState(part: string): void {
    if (this.unusable.has(part)) return;
    this.unusable.add(part);
    this.log.warn({ state: part }, 'saved state unusable');
  }
}
