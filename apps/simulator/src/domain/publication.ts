import type { BulkLine } from '@ssb/market';

export type PublicationKind =
  'timeline' | 'margin' | 'forecast' | 'margin-details' | 'statement' | 'statement-details' | 'invoice';

/** What the market makes public in one moment: one record, or several that are loaded together or not at all. */
export interface Publication {
  kind: PublicationKind;
  /** What it is about, for people and for the log. */
  subject: string;
  lines: readonly BulkLine[];
  /** Further fields of the log line. */
  note?: Record<string, string> | undefined;
}
