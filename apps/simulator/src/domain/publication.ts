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

/** Whose record it is; the timeline is everybody's. */
export function participantOf(line: BulkLine): string {
  switch (line.kind) {
    case 'prudential':
    case 'prudential-details':
    case 'prudential-estimations':
    case 'invoices':
      return line.record.participantCode;
    case 'statements':
      return line.record.statement.participantCode;
    case 'statement-details':
    case 'statement-estimations':
      return line.record.details.participantCode;
    case 'timelines':
      return 'everybody';
  }
}
