import { MalformedJsonError, parseJson, type Reading, type Resource, serialiseJson } from '@ssb/market';
import { defineResource, int32 } from '@ssb/market/schemas';
import { z } from 'zod';
import {
  InvoiceLoad,
  PrudentialDetailLoad,
  PrudentialEstimationLoad,
  PrudentialLoad,
  StatementDetailLoad,
  StatementEstimationLoad,
  StatementLoad,
  TimelineLoad,
} from './envelopes.js';

/** Where JSON lines are posted: all lines are loaded in one transaction, or none of them. */
export const BULK_PATH = '/operator/v1/records';
/** One JSON object a line, each line ended by a line feed; blank lines are passed over. */
export const BULK_MEDIA_TYPE = 'application/x-ndjson';

/** The name of each kind of record, as its own path and a bulk line spell it, and what is loaded under it. */
export const LOADS = {
  prudential: PrudentialLoad,
  'prudential-details': PrudentialDetailLoad,
  'prudential-estimations': PrudentialEstimationLoad,
  statements: StatementLoad,
  'statement-details': StatementDetailLoad,
  'statement-estimations': StatementEstimationLoad,
  invoices: InvoiceLoad,
  timelines: TimelineLoad,
} as const;

export type RecordKind = keyof typeof LOADS;
export const RECORD_KINDS = Object.keys(LOADS) as RecordKind[];

/** One record to load: `{"kind":"statements","record":{"statement":{…}}}` on a line of its own. */
export type BulkLine = { [Kind in RecordKind]: { kind: Kind; record: LoadOf<Kind> } }[RecordKind];
export type LoadOf<Kind extends RecordKind> =
  (typeof LOADS)[Kind] extends Resource<infer Load> ? Load : never;

/** The bulk door's answer: how many records were new, and how many were there already. */
export const BulkAnswer = defineResource('BulkAnswer', (form) =>
  form.object({ loaded: int32(0, 2147483647), alreadyThere: int32(0, 2147483647) }),
);
export type BulkAnswer = z.output<typeof BulkAnswer.strict>;

const frame = defineResource('BulkLine', (form) =>
  form.object({ kind: z.enum(RECORD_KINDS as [RecordKind, ...RecordKind[]]), record: z.unknown() }),
);

/** Reads one line in the strict form; the paths of its issues begin at the line's own object: `record.statement.runId`. */
export function readBulkLine(line: string): Reading<BulkLine> {
  const outer = readFrame(line);
  if (!outer.ok) return outer;
  const { kind, record } = outer.value;
  const inner = LOADS[kind].readStrict(record) as Reading<unknown>;
  if (!inner.ok) {
    const issues = inner.issues.map(({ path, message }) => ({
      path: path === '' ? 'record' : `record.${path}`,
      message,
    }));
    return { ok: false, issues };
  }
  return { ok: true, value: { kind, record: inner.value } as BulkLine, unknownProperties: [] };
}

/** Writes one line, without its line feed. @throws InvalidRecordError */
export function writeBulkLine({ kind, record }: BulkLine): string {
  const load = LOADS[kind] as unknown as Resource<unknown>;
  return serialiseJson({ kind, record: load.toWire(record) });
}

function readFrame(line: string): Reading<{ kind: RecordKind; record: unknown }> {
  try {
    const reading = frame.readStrict(parseJson(line));
    return reading;
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    return { ok: false, issues: [{ path: '', message: error.message }] };
  }
}

/** Whose record it is; undefined for the timeline, which is everybody's. */
export function participantOf(line: BulkLine): string | undefined {
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
      return undefined;
    default:
      return line satisfies never;
  }
}
